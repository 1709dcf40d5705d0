/**
 * Kept folders: folders that are no git repositories. Their store is with the studio's own, and nobody commits to it: the
 * folder's present content becomes a commit when it is looked at. The folder itself only gets the file that names the store.
 */
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refusal } from '../../../reasons.js';
import { STUDIO_IDENTITY } from '../objects/git-identity.js';
import { FitNames, expectApart } from './keepable.js';
import { leftOutPatterns } from './left-out.js';
import { type GitSettings, askGit, failed, readGit, runGit } from '../calls/run-git.js';

const KEPT = 'weft.kept';
const TIMEOUT_MS = 300_000;
/** Settings that make the bytes equal on every machine. */
const SETTINGS: Readonly<Record<string, string>> = {
  'core.bare': 'false',
  'core.autocrlf': 'false',
  'core.quotePath': 'false',
  [KEPT]: 'true',
};

/** Makes the store, with the folder's content as its first commit. The folder is touched last. */
export async function keepFolder(folder: string, store: string): Promise<void> {
  await expectApart(folder, store);
  const isNew = (await mkdir(store, { recursive: true, mode: 0o700 })) !== undefined;
  try {
    await fill(folder, store);
  } catch (error) {
    if (isNew) await rm(store, { recursive: true, force: true });
    throw error;
  }
  await writeFile(join(folder, '.git'), `gitdir: ${store}\n`, { flag: 'wx' });
}

async function fill(folder: string, store: string): Promise<void> {
  await run(store, ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', '.']);
  for (const [name, value] of Object.entries(SETTINGS)) await run(store, ['config', name, value]);
  await mkdir(join(store, 'info'), { recursive: true });
  const leftOut = leftOutPatterns(await readdir(folder));
  await writeFile(join(store, 'info', 'exclude'), leftOut.map((line) => `${line}\n`).join(''));
  const at = [`--git-dir=${store}`, `--work-tree=${folder}`];
  await refuseUnfit(folder, at);
  await commit(folder, at);
}

/** Commits the folder's content, if it is a kept folder. */
export async function commitIfKept(folder: string): Promise<void> {
  const pointer = await lstat(join(folder, '.git')).catch(() => undefined);
  if (pointer?.isFile() !== true) return;
  const { answer } = await askGit(folder, ['config', '--local', '--get', KEPT]);
  if (answer.trim() === 'true') await commit(folder, []);
}

async function commit(folder: string, at: readonly string[]): Promise<void> {
  await run(folder, [...at, 'add', '--all', '.']);
  const { code, said } = await readGit({ folder, args: [...at, 'diff', '--cached', '--quiet'], timeoutMs: TIMEOUT_MS });
  if (code === 0) return;
  if (code !== 1) throw failed('diff', folder, { code, said });
  const signature = { ...STUDIO_IDENTITY, at: new Date().toISOString() };
  const args = ['commit', '--quiet', '--no-verify', '--no-gpg-sign', '--message=What is in the folder'];
  await run(folder, [...at, ...args], { signature });
}

async function refuseUnfit(folder: string, at: readonly string[]): Promise<void> {
  const args = [...at, 'ls-files', '-z', '--others', '--exclude-standard'];
  const fit = new FitNames(folder);
  const onBytes = (bytes: Buffer): void => fit.take(bytes);
  const exit = await runGit({ folder, args, onBytes, timeoutMs: TIMEOUT_MS, settings: { alone: true } });
  if (exit.code !== 0) throw failed('ls-files', folder, exit);
}

async function run(folder: string, args: readonly string[], settings: GitSettings = {}): Promise<string> {
  const { bytes, ...exit } = await readGit({
    folder,
    args,
    timeoutMs: TIMEOUT_MS,
    settings: { ...settings, alone: true },
  });
  const lock = /'([^']*\.lock)'/.exec(exit.said)?.[1];
  if (exit.code !== 0 && lock !== undefined)
    throw refusal('reject.folder_busy', `git is at work in ${dirname(lock)}`, { path: folder, lock });
  if (exit.code !== 0) throw failed(args.find((arg) => !arg.startsWith('-')) ?? '', folder, exit);
  return bytes.toString('utf8');
}
