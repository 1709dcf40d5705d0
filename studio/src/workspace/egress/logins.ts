/**
 * Logins of the user at registries, as their own settings say them: what is said for a program that reads there, and that the program
 * itself never has. Pure.
 */
import { type Target, allowedOf } from './allowed.js';

export interface Login {
  readonly host: string;
  /** Port. Undefined: the usual one of the scheme. */
  readonly port: number | undefined;
  /** Beginning of the paths that it is for, with a slash at its end. */
  readonly below: string;
  /** Value of the header that lets the user in. */
  readonly authorization: string;
}

const PRINTABLE = /^[\x20-\x7e]+$/;

/** Logins in the settings of npm: `//host/path/:_authToken=…`, `:_auth=…`, or a name and a password. */
export function npmLogins(text: string, environment: Readonly<Record<string, string | undefined>>): Login[] {
  const said = new Map<string, Map<string, string>>();
  for (const line of text.split(/\r?\n/)) {
    const [, place = '', name = '', value = ''] =
      /^\s*(\/\/[^\s=]+?):(_authToken|_auth|username|_password)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (place === '') continue;
    const bare = value.replace(/^"(.*)"$/, '$1').replaceAll(/\$\{(\w+)\}/g, (_, one: string) => environment[one] ?? '');
    said.set(place, (said.get(place) ?? new Map<string, string>()).set(name, bare));
  }
  return [...said].flatMap(([place, of]) => {
    const authorization = npmAuthorization(of);
    const found = /^\/\/([^/]+)(\/.*)?$/.exec(place);
    const at = found && allowedOf(found[1] ?? '');
    if (!at || authorization === undefined || !sendable(authorization)) return [];
    const port = /:\d+$/.test(found[1] ?? '') ? at.port : undefined;
    return [{ host: at.host, port, below: withSlash(found[2] ?? '/'), authorization }];
  });
}

function npmAuthorization(of: ReadonlyMap<string, string>): string | undefined {
  const [token, both, name, password] = ['_authToken', '_auth', 'username', '_password'].map((one) => of.get(one));
  if (token !== undefined && token !== '') return `Bearer ${token}`;
  if (both !== undefined && both !== '') return `Basic ${both}`;
  if (name === undefined || password === undefined) return undefined;
  return basic(name, Buffer.from(password, 'base64').toString('utf8'));
}

/** Logins within addresses, such as `https://name:password@host/simple`. They are for all of their server. */
export function addressLogins(text: string): Login[] {
  const found = text.matchAll(/(https?):\/\/([^\s"'<>,|;@/]+)@([^\s"'<>,|;/?#)]+)/gi);
  return [...found].flatMap(([, scheme = '', who = '', place = '']) => {
    const at = allowedOf(`${scheme}://${place}`);
    const [name = '', password = ''] = who.split(/:(.*)/s);
    const authorization = basic(decoded(name), decoded(password));
    return at ? [{ host: at.host, port: at.port, below: '/', authorization }] : [];
  });
}

/** What is said for a request: by the login for the longest beginning of its path. */
export function loginFor(
  logins: readonly Login[],
  { host, port }: Target,
  scheme: 'http' | 'https',
  path: string,
): string | undefined {
  const usual = scheme === 'https' ? 443 : 80;
  // Steps upwards lead to where the server would take them.
  const real = new URL(path, 'http://x').pathname;
  const fitting = logins.filter(
    (one) => one.host === host && (one.port ?? usual) === port && real.startsWith(one.below),
  );
  return fitting.toSorted((a, b) => b.below.length - a.below.length)[0]?.authorization;
}

/** Whether the user has a login at a server, whatever the path. */
export function hasLogin(logins: readonly Login[], { host, port }: Target, scheme: 'http' | 'https'): boolean {
  const usual = scheme === 'https' ? 443 : 80;
  return logins.some((one) => one.host === host && (one.port ?? usual) === port);
}

/** Whether a login can be sent as it stands. */
export function sendable(authorization: string): boolean {
  return PRINTABLE.test(authorization);
}

export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`, 'utf8').toString('base64')}`;
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that means itself.
    return text;
  }
}
