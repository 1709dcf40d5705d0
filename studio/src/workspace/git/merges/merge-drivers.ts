/**
 * Merge drivers: programs that the user has configured for git to merge files. The studio runs none of them: a program named by
 * a repository's file must not run where agents write such files, with no person there to agree.
 */
import { askGit } from '../calls/run-git.js';

/** Drivers built into git. */
const BUILT_IN: ReadonlySet<string> = new Set(['text', 'binary', 'union']);
const CONFIGURED = /^merge\.(.*)\.driver$/s;

/** Drivers, of those named, that git would run in the folder. All of them, where that cannot be found out. */
export async function configuredDrivers(folder: string, named: readonly string[]): Promise<readonly string[]> {
  const args = ['config', '-z', '--name-only', '--get-regexp', '^merge\\..*\\.driver$'];
  const found = await askGit(folder, args).catch(() => undefined);
  if (found === undefined) return named.filter((name) => !BUILT_IN.has(name) && !name.includes('\0'));
  const drivers = new Set(found.answer.split('\0').flatMap((line) => CONFIGURED.exec(line)?.[1] ?? []));
  return named.filter((name) => drivers.has(name));
}
