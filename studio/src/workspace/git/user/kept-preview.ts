/** Preview of a kept folder: what would be taken in and what left out, before anything is written there. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leftOutPatterns, secretPatterns } from './left-out.js';
import { failed, readGit, runGit } from '../calls/run-git.js';

export interface KeptPreview {
  /** Number of files that would be taken in. */
  readonly files: number;
  /** Files that are left out because of their names, not those that a .gitignore names. */
  readonly secrets: string[];
}

const TIMEOUT_MS = 60_000;
const MOST_NAMED = 50;

export async function previewKept(folder: string): Promise<KeptPreview> {
  const passing = await mkdtemp(join(tmpdir(), 'weft-preview-'));
  try {
    const made = await readGit({ folder: passing, args: ['init', '--quiet', '--bare', '--template=', '.'] });
    if (made.code !== 0) throw failed('init', folder, made);
    const [all, secrets] = [join(passing, 'all'), join(passing, 'secrets')];
    await writeFile(all, lines(leftOutPatterns(await readdir(folder))));
    await writeFile(secrets, lines(secretPatterns));
    const list = [`--git-dir=${passing}`, `--work-tree=${folder}`, 'ls-files', '-z', '--others'];
    const perFolder = '--exclude-per-directory=.gitignore';
    const taken = await namesOf(folder, [...list, `--exclude-from=${all}`, perFolder]);
    const named = await namesOf(folder, [...list, '--ignored', `--exclude-from=${secrets}`], MOST_NAMED);
    return { files: taken.count, secrets: named.first };
  } finally {
    await rm(passing, { recursive: true, force: true });
  }
}

/** How many names git lists, and the first of them. */
async function namesOf(folder: string, args: readonly string[], most = 0): Promise<{ count: number; first: string[] }> {
  const first: string[] = [];
  let [count, rest] = [0, ''];
  const exit = await runGit({
    folder,
    args,
    timeoutMs: TIMEOUT_MS,
    settings: { alone: true },
    onBytes: (bytes) => {
      const names = (rest + bytes.toString('utf8')).split('\0');
      rest = names.pop() ?? '';
      count += names.length;
      for (const name of names) if (first.length < most) first.push(name);
    },
  });
  if (exit.code !== 0) throw failed('ls-files', folder, exit);
  return { count, first };
}

function lines(patterns: readonly string[]): string {
  return patterns.map((line) => `${line}\n`).join('');
}
