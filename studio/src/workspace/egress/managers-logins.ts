/**
 * Logins at registries that the settings of cargo, NuGet, Maven and Gradle hold, and `.netrc`. Passwords that a manager keeps encrypted are
 * left: only it can read them. Pure.
 */
import { allowedOf } from './allowed.js';
import { type Login, basic, sendable } from './logins.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What cargo says where a registry wants a login that only the proxy has: without any, it asks nobody. */
export const STANDS_FOR_LOGIN = 'weft-says-the-login';

export interface CargoLogins {
  readonly logins: readonly Login[];
  /** Variables by which cargo inside has something to say for each of these registries. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Logins of cargo: a registry has its address in one file, and its token in another or in a variable. */
export function cargoLogins(text: string, environment: Environment): CargoLogins {
  const logins: Login[] = [];
  const said: Record<string, string> = {};
  for (const [name, { index = '', token }] of registriesIn(text)) {
    const variable = `CARGO_REGISTRIES_${name.toUpperCase().replaceAll('-', '_')}_TOKEN`;
    const authorization = environment[variable] ?? token;
    const found = authorization === undefined ? [] : at(index.replace(/^sparse\+/, ''), authorization);
    logins.push(...found);
    if (found.length > 0) said[variable] = STANDS_FOR_LOGIN;
  }
  // Cargo takes a token from the environment only where that is said, for a registry that wants one.
  const providers = { CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS: 'cargo:token' };
  return { logins, environment: logins.length === 0 ? {} : { ...said, ...providers } };
}

/** Tables `[registries.name]` of TOML, with the strings in them; of several files that are read as one. */
function registriesIn(text: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const found = new Map<string, Record<string, string>>();
  let table: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, head] = /^\s*\[([^\]]+)\]/.exec(line) ?? [];
    if (head !== undefined) {
      const [, name] = /^\s*registries\.\s*"?([\w-]+)"?\s*$/.exec(head) ?? [];
      table = name === undefined ? undefined : (found.get(name) ?? {});
      if (name !== undefined) found.set(name, table!);
      continue;
    }
    const [, key, value] = /^\s*([\w-]+)\s*=\s*["'](.*?)["']\s*(?:#.*)?$/.exec(line) ?? [];
    if (table && key !== undefined && value !== undefined) table[key] = value;
  }
  return found;
}

/** Logins of NuGet: sources by their key, and beside them who one is at each. */
export function nugetLogins(text: string, environment: Environment): Login[] {
  const [sources = ''] = /<packageSources>[\s\S]*?<\/packageSources>/.exec(text) ?? [];
  const [credentials = ''] = /<packageSourceCredentials>[\s\S]*?<\/packageSourceCredentials>/.exec(text) ?? [];
  const variables = (value: string): string => value.replaceAll(/%(\w+)%/g, (_, one: string) => environment[one] ?? '');
  return added(sources).flatMap(({ key, value }) => {
    // Blanks in a key are written so in the name of an element.
    const element = key.replaceAll(' ', '_x0020_').replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const [, inner = ''] = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(credentials) ?? [];
    const of = new Map(added(inner).map((one) => [one.key, variables(one.value)]));
    const [name, password] = [of.get('Username'), of.get('ClearTextPassword')];
    return name === undefined || password === undefined ? [] : at(value, basic(name, password));
  });
}

function added(text: string): { readonly key: string; readonly value: string }[] {
  return [...text.matchAll(/<add\b[^>]*>/g)].map(([element]) => ({
    key: unescaped(/\bkey\s*=\s*"([^"]*)"/.exec(element)?.[1] ?? ''),
    value: unescaped(/\bvalue\s*=\s*"([^"]*)"/.exec(element)?.[1] ?? ''),
  }));
}

/** Logins of Maven: servers by their id, which a mirror or a repository has as well. */
export function mavenLogins(text: string, environment: Environment): Login[] {
  const plain = text.replaceAll(/<!--[\s\S]*?-->/g, '');
  const inside = (part: string, name: string): string | undefined => {
    const [, found] = new RegExp(`<${name}>\\s*([\\s\\S]*?)\\s*</${name}>`).exec(part) ?? [];
    const value = found?.replaceAll(/\$\{env\.(\w+)\}/g, (_, one: string) => environment[one] ?? '');
    return value === undefined ? undefined : unescaped(value);
  };
  const servers = new Map([...plain.matchAll(/<server>[\s\S]*?<\/server>/g)].map(([one]) => [inside(one, 'id'), one]));
  const places = [...plain.matchAll(/<(mirror|repository|pluginRepository)>[\s\S]*?<\/\1>/g)];
  return places.flatMap(([place]) => {
    const server = servers.get(inside(place, 'id')) ?? '';
    const [name, password] = [inside(server, 'username'), inside(server, 'password')];
    if (name === undefined || password === undefined || /^\{.*\}$/.test(password)) return [];
    return at(inside(place, 'url') ?? '', basic(name, password));
  });
}

/** Logins in scripts of Gradle, where they stand as texts beside the address: nothing of a script is run to find one. */
export function gradleLogins(text: string): Login[] {
  const blocks = text.split(/\b(?:maven|ivy)\s*\{/).slice(1);
  return blocks.flatMap((block) => {
    const [, url = ''] = /\burl\s*=?\s*(?:uri\s*)?\(?\s*["'](https?:[^"']+)["']/.exec(block) ?? [];
    const [, inner = ''] = /\bcredentials\s*\{([^}]*)\}/.exec(block) ?? [];
    const textOf = (name: string): string | undefined =>
      new RegExp(`\\b${name}\\s*=?\\s*["']([^"'$]*)["']`).exec(inner)?.[1];
    const [name, password] = [textOf('username'), textOf('password')];
    return name === undefined || password === undefined ? [] : at(url, basic(name, password));
  });
}

/** Logins of `.netrc`, by the name of a machine. They are for all kinds of servers, so who reads them says which are meant. */
export function netrcLogins(text: string): Login[] {
  const words = text.replaceAll(/^\s*macdef[\s\S]*?(?:\n\s*\n|(?![\s\S]))/gm, '').match(/"[^"]*"|\S+/g) ?? [];
  const found: { machine?: string; login?: string; password?: string }[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (word === 'default') found.push({});
    else if (word === 'machine') found.push({ machine: words[++index] ?? '' });
    else if (word === 'login' || word === 'password' || word === 'account') {
      const value = (words[++index] ?? '').replace(/^"(.*)"$/, '$1');
      const last = found.at(-1);
      if (last && word !== 'account') last[word] = value;
    }
  }
  return found.flatMap(({ machine, login, password }) => {
    const host = machine === undefined ? undefined : allowedOf(machine)?.host;
    if (host === undefined || login === undefined || password === undefined) return [];
    return [{ host, port: undefined, below: '/', authorization: basic(login, password) }];
  });
}

function at(url: string, authorization: string): Login[] {
  const found = /^https?:\/\//i.test(url) ? allowedOf(url) : undefined;
  if (!found || !sendable(authorization)) return [];
  return [{ host: found.host, port: found.port, below: '/', authorization }];
}

function unescaped(text: string): string {
  const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => named[name] ?? '');
}
