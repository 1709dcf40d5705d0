/**
 * Programs that merge files of a repository, as whoever uses it has configured for their git. The studio runs none of them: what a
 * file of the repository names must not run where agents write such files, and a host has no person who has agreed to it.
 */
import { askGit } from './run-git.js';

/** What git does by itself. */
const BUILT_IN: ReadonlySet<string> = new Set(['text', 'binary', 'union']);
const CONFIGURED = /^merge\.(.*)\.driver$/s;

/** Which of the named programs git would run in the folder. Where that cannot be found out, any may be. */
export async function configuredDrivers(folder: string, named: readonly string[]): Promise<readonly string[]> {
  const args = ['config', '-z', '--name-only', '--get-regexp', '^merge\\..*\\.driver$'];
  const found = await askGit(folder, args).catch(() => undefined);
  if (found === undefined) return named.filter((name) => !BUILT_IN.has(name) && !name.includes('\0'));
  const drivers = new Set(found.answer.split('\0').flatMap((line) => CONFIGURED.exec(line)?.[1] ?? []));
  return named.filter((name) => drivers.has(name));
}
