/**
 * Variables by which programs inside find what they would look for in the home of the user: toolchains, which are seen where they lie, and
 * the home that is theirs, for Java, which asks the system whose home is where. Pure.
 */
import { join } from 'node:path';
import { HOME } from './caches.js';

/** Folders of managers that look below the home unless a variable says otherwise. */
const MANAGED_BY = {
  RUSTUP_HOME: '.rustup',
  PYENV_ROOT: '.pyenv',
  RBENV_ROOT: '.rbenv',
  ASDF_DATA_DIR: '.asdf',
} as const;

/** Variables of the toolchains that are seen; what the environment says itself goes first. */
export function toolchainVariables(seen: readonly string[], home: string | undefined): Record<string, string> {
  if (home === undefined) return {};
  const all = Object.entries(MANAGED_BY).map(([name, folder]) => [name, join(home, folder)] as const);
  return Object.fromEntries(all.filter(([, path]) => seen.includes(path)));
}

/** Options of Java, for the build tools that take any. */
export function javaVariables(options: readonly string[]): Record<string, string> {
  const text = [`-Duser.home=${HOME}`, ...options].join(' ');
  return { GRADLE_OPTS: text, MAVEN_OPTS: text, SBT_OPTS: text };
}
