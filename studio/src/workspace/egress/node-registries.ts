/** Reads which registries the settings of this user name: files of the home, never of a repository, which agents write to. */
import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Allowed } from './allowed.js';
import { type Login, addressLogins, hasLogin, npmLogins } from './logins.js';
import { cargoLogins, gradleLogins, mavenLogins, netrcLogins, nugetLogins } from './managers-logins.js';
import { LONGEST_SETTINGS, REGISTRY_RULES, serversIn, withoutSecrets } from './registries.js';
import { ownCertificates } from './trust.js';

export interface Registries {
  readonly allowed: readonly Allowed[];
  /** Settings for programs inside: paths below their home, and texts. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly environment: Readonly<Record<string, string>>;
  /** Logins that those settings hold. */
  readonly logins?: readonly Login[] | undefined;
  /** Certificates that they trust beside those of the system. */
  readonly trusted?: readonly string[] | undefined;
}

export const NO_REGISTRIES: Registries = { allowed: [], files: [], environment: {} };

export async function registriesOf(
  home: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Registries> {
  const allowed: Allowed[] = [];
  const files: { path: string; text: string }[] = [];
  const said: Record<string, string> = {};
  const logins: Login[] = [];
  const whole: string[] = [];
  for (const { files: named, variables = [], keep, inside } of REGISTRY_RULES) {
    for (const name of variables) {
      const value = environment[name];
      if (value === undefined || value === '') continue;
      allowed.push(...serversIn(value));
      said[name] = withoutSecrets(value);
      logins.push(...addressLogins(value));
    }
    const texts = home === undefined ? [] : await settings(home, named);
    const kept = texts.flatMap(keep);
    whole.push(...texts);
    logins.push(...addressLogins(kept.join('\n')));
    if (named.includes('.npmrc')) logins.push(...npmLogins(texts.join('\n'), environment));
    if (named.includes('.m2/settings.xml')) logins.push(...mavenLogins(texts.join('\n'), environment));
    if (named.includes('.gradle/init.gradle')) logins.push(...gradleLogins(texts.join('\n')));
    for (const text of named.some((one) => one.endsWith('NuGet.Config')) ? texts : [])
      logins.push(...nugetLogins(text, environment));
    if (named.includes('.cargo/config.toml') && home !== undefined) {
      const secrets = await settings(home, ['.cargo/credentials.toml', '.cargo/credentials']);
      const ofCargo = cargoLogins([...texts, ...secrets].join('\n'), environment);
      logins.push(...ofCargo.logins);
      Object.assign(said, ofCargo.environment);
    }
    if (kept.length === 0) continue;
    allowed.push(...serversIn(kept.join('\n')));
    if (inside) files.push({ path: inside.path, text: withoutSecrets(inside.text(kept)) });
  }
  const unique = new Map(allowed.map((one) => [`${one.scheme} ${one.host} ${one.port}`, one]));
  // A machine of `.netrc` may be anything: those alone are meant that are registries.
  const netrc = home === undefined ? [] : await settings(home, ['.netrc']);
  for (const login of netrcLogins(netrc.join('\n')))
    for (const { scheme, host, port } of unique.values())
      if (host === login.host && !hasLogin(logins, { host, port }, scheme)) logins.push({ ...login, port });
  const trusted = await ownCertificates(environment, whole);
  return {
    allowed: [...unique.values()],
    files,
    environment: said,
    ...(logins.length === 0 ? {} : { logins }),
    ...(trusted.length === 0 ? {} : { trusted }),
  };
}

/** Texts of those of these files that are there. */
async function settings(home: string, named: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of named) {
    const path = join(home, name);
    if (basename(name) !== '*') {
      const text = await textOf(path);
      if (text !== undefined) found.push(text);
      continue;
    }
    const folder = dirname(path);
    const names = await readdir(folder).catch(() => []);
    for (const one of names.slice(0, 100)) found.push((await textOf(join(folder, one))) ?? '');
  }
  return found;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    return !found.isFile() || found.size > LONGEST_SETTINGS ? undefined : await readFile(path, 'utf8');
  } catch {
    // Most users have no such file.
    return undefined;
  }
}
