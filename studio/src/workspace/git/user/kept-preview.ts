/** Preview of a kept folder: what would be taken in and what left out, before anything is written there. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FitNames, expectApart } from './keepable.js';
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

export async function previewKept(folder: string, store: string): Promise<KeptPreview> {
  await expectApart(folder, store);
  const passing = await mkdtemp(join(tmpdir(), 'weft-preview-'));
  try {
    const made = await readGit({ folder: passing, args: ['init', '--quiet', '--bare', '--template=', '.'] });
    if (made.code !== 0) throw failed('init', folder, made);
    const [all, secrets] = [join(passing, 'all'), join(passing, 'secrets')];
    await writeFile(all, lines(leftOutPatterns(await readdir(folder))));
    await writeFile(secrets, lines(secretPatterns));
    const list = [`--git-dir=${passing}`, `--work-tree=${folder}`, 'ls-files', '-z', '--others'];
    const perFolder = '--exclude-per-directory=.gitignore';
    const fit = new FitNames(folder);
    await eachName(folder, [...list, `--exclude-from=${all}`, perFolder], (bytes) => fit.take(bytes));
    const names = await firstNames(folder, [...list, '--ignored', `--exclude-from=${secrets}`]);
    return { files: fit.count, secrets: names };
  } finally {
    await rm(passing, { recursive: true, force: true });
  }
}

/** The first names that git lists. */
async function firstNames(folder: string, args: readonly string[]): Promise<string[]> {
  const first: string[] = [];
  let rest = '';
  await eachName(folder, args, (bytes) => {
    const names = (rest + bytes.toString('utf8')).split('\0');
    rest = names.pop() ?? '';
    for (const name of names) if (first.length < MOST_NAMED) first.push(name);
  });
  return first;
}

async function eachName(folder: string, args: readonly string[], onBytes: (bytes: Buffer) => void): Promise<void> {
  const exit = await runGit({ folder, args, onBytes, timeoutMs: TIMEOUT_MS, settings: { alone: true } });
  if (exit.code !== 0) throw failed('ls-files', folder, exit);
}

function lines(patterns: readonly string[]): string {
  return patterns.map((line) => `${line}\n`).join('');
}
