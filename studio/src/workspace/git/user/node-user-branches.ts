/** User's repository over the `git` program. */
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { refusal } from '../../../reasons.js';
import { readRegular } from '../../files/no-links.js';
import { inTheWay } from './in-the-way.js';
import { commitIfKept } from './node-kept-folder.js';
import { readLooseBranch } from '../objects/stored-refs.js';
import { type GitSettings, askGit, failed, readGit } from '../calls/run-git.js';
import type { Advance, UserBranch, UserBranches } from './user-branches.js';

const HEADS = 'refs/heads/';
/** Length of a ref's name in a file of git. */
const MOST_NAME_BYTES = 4096;

export const nodeUserBranches: UserBranches = {
  async defaultBranch(folder): Promise<UserBranch> {
    await commitIfKept(folder);
    const loose = await readLooseBranch(folder, `${HEADS}main`);
    if (loose !== undefined) return { name: 'main', commit: loose };
    const heads = await ask(folder, [
      'for-each-ref',
      '--format=%(refname) %(objectname) %(symref)',
      `${HEADS}main`,
      `${HEADS}master`,
    ]);
    const found = new Map(heads.split('\n').map((line) => [line.split(' ', 1)[0], line.split(' ')] as const));
    for (const name of ['main', 'master']) {
      const [, commit, other = ''] = found.get(HEADS + name) ?? [];
      // A name for another branch stays one: it is the other that moves.
      if (commit !== undefined) return { name: other.startsWith(HEADS) ? other.slice(HEADS.length) : name, commit };
    }
    const { code, answer } = await askGit(folder, ['symbolic-ref', '--quiet', 'HEAD']);
    const ref = code === 0 ? answer.trim() : await leftRef(folder);
    if (ref !== undefined) return { name: ref.slice(HEADS.length), commit: await commitAt(folder, ref) };
    return { name: 'main', commit: await commitAt(folder, 'HEAD'), isToBe: true };
  },

  async branchesAt(folder, remote) {
    const prefix = `refs/remotes/${remote}/`;
    const refs = await ask(folder, ['for-each-ref', '--format=%(refname)', prefix]);
    const names = refs.split('\n').flatMap((ref) => (ref.startsWith(prefix) ? [ref.slice(prefix.length)] : []));
    return names.filter((name) => name !== 'HEAD').sort();
  },

  async realFolder(path) {
    if (!isAbsolute(path)) return undefined;
    const folder = await realpath(path).catch(() => undefined);
    return folder !== undefined && (await stat(folder)).isDirectory() ? folder : undefined;
  },

  async commitOf(folder, name) {
    return commitAt(folder, name);
  },

  async create(folder, branch, commit, checkout) {
    const ref = HEADS + branch;
    const { code } = await askGit(folder, ['check-ref-format', ref]);
    if (code !== 0 || branch.startsWith('-'))
      throw refusal('reject.invalid_input', `branchName: ${branch} cannot be the name of a branch`);
    const neutral = checkout ? await withoutFilters(folder) : [];
    if (checkout) {
      await refuseDirty(folder, neutral);
      if (neutral.length > 0) await refuseFiltered(folder, await commitAt(folder, 'HEAD'), commit);
    }
    if (!(await moveRef(folder, ref, undefined, commit)))
      throw refusal('reject.branch_exists', `branch ${branch} is there already in ${folder}`, { branchName: branch });
    if (!checkout) return;
    const exit = await askGit(folder, [
      ...neutral,
      '-c',
      'submodule.recurse=false',
      'checkout',
      '--quiet',
      '--no-overwrite-ignore',
      branch,
      '--',
    ]);
    if (exit.code === 0) return;
    // Rolled back, so that it can be asked for again.
    await ask(folder, ['update-ref', '--no-deref', '-d', ref, commit]);
    throw refusal('reject.folder_dirty', `${folder} cannot change branches`, { said: exit.said });
  },

  async advance(folder, { branch, from, to, source }) {
    const ref = HEADS + branch;
    const now = await commitAt(folder, ref);
    if (now === to) return true;
    if (now !== from) return false;
    await refuseWhileBusy(folder, ref);
    const isHere = await isCheckedOutHere(folder, ref);
    if (isHere) await refuseUnconcluded(folder);
    const neutral = isHere ? await withoutFilters(folder) : [];
    if (isHere) await refuseDirty(folder, neutral);
    await ask(
      folder,
      [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        '--end-of-options',
        source,
        to,
      ],
      { protocols: ['file'] },
    );
    if (!isHere) return moveRef(folder, ref, from, to);
    if (neutral.length > 0) await refuseFiltered(folder, from, to);
    if (from === undefined) await refuseInTheWay(folder, to);
    return fastForward(folder, ref, { branch, from, to, source }, neutral);
  },
};

async function moveRef(folder: string, ref: string, from: string | undefined, to: string): Promise<boolean> {
  const exit = await askGit(folder, ['update-ref', '--no-deref', ref, to, from ?? '0'.repeat(to.length)]);
  if (exit.code === 0) return true;
  if ((await commitAt(folder, ref)) === from) throw failed('update-ref', folder, exit);
  return false;
}

/** Fast-forward: files first, then the ref, both by git, which refuses to overwrite what it does not know. */
async function fastForward(
  folder: string,
  ref: string,
  { from, to }: Advance,
  neutral: readonly string[],
): Promise<boolean> {
  const flags = [
    '--ff-only',
    '--quiet',
    '--no-autostash',
    '--no-verify-signatures',
    '--no-stat',
    '--no-overwrite-ignore',
  ];
  const exit = await askGit(folder, [
    ...neutral,
    '-c',
    'gc.auto=0',
    '-c',
    'submodule.recurse=false',
    'merge',
    ...flags,
    to,
  ]);
  const now = await commitAt(folder, ref);
  if (now === to) return true;
  const lock = /'([^']*\.lock)'/.exec(exit.said)?.[1];
  if (lock !== undefined) throw refusal('reject.folder_busy', `git is at work in ${folder}`, { path: folder, lock });
  if (/would be overwritten|would lose untracked|not uptodate/.test(exit.said))
    throw refusal('reject.folder_dirty', `files in ${folder} are in the way`, { path: folder, said: exit.said });
  if (now !== from) return false;
  throw failed('merge', folder, exit);
}

async function refuseDirty(folder: string, neutral: readonly string[]): Promise<void> {
  const args = [...neutral, 'status', '--porcelain=v1', '-z', '--untracked-files=no', '--ignore-submodules=all'];
  const files = (await ask(folder, args)).split('\0').filter((line) => line !== '');
  if (files.length === 0) return;
  const named = files.slice(0, 20).map((line) => line.slice(3));
  throw refusal(
    'reject.folder_dirty',
    `${folder} has ${files.length === 1 ? 'a change that is' : `${files.length} changes that are`} not committed`,
    {
      path: folder,
      files: named,
    },
  );
}

/** Overwrite check for a first commit: without a merge git would overwrite ignored files. */
async function refuseInTheWay(folder: string, to: string): Promise<void> {
  const added = (await ask(folder, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', to])).split('\0').slice(0, -1);
  const file = await inTheWay(folder, { added, gone: [] });
  if (file !== undefined)
    throw refusal('reject.folder_dirty', `${file} in ${folder} is in the way`, { path: folder, file });
}

/**
 * Whether this folder has the branch checked out. Refused when another working tree has, where files would change underneath
 * it.
 */
async function isCheckedOutHere(folder: string, ref: string): Promise<boolean> {
  let path = '';
  let isHere = false;
  for (const line of (await ask(folder, ['worktree', 'list', '--porcelain', '-z'])).split('\0')) {
    if (line.startsWith('worktree ')) path = line.slice('worktree '.length);
    if (line !== `branch ${ref}`) continue;
    if (path === folder || (await isStoreOf(folder, path))) isHere = true;
    else throw refusal('reject.branch_checked_out', `${ref} is checked out at ${path}`, { path });
  }
  return isHere;
}

/** Whether the path is the store of a working tree elsewhere, which git lists by its store. */
async function isStoreOf(folder: string, path: string): Promise<boolean> {
  return (await gitFolderOf(folder)) === path;
}

/** Folder in which git keeps what is this working tree's own. */
async function gitFolderOf(folder: string): Promise<string> {
  return (await ask(folder, ['rev-parse', '--absolute-git-dir'])).replace(/\n$/, '');
}

/** Guard: a rebase holds its branch though it is not checked out, and moves it at the end. */
async function refuseWhileBusy(folder: string, ref: string): Promise<void> {
  if ((await refOfRebase(folder)) === ref)
    throw refusal('reject.folder_busy', `a rebase of ${ref} is not finished`, { path: folder });
}

/** Guard: git moves no branch in the middle of a merge, also where no file differs. */
async function refuseUnconcluded(folder: string): Promise<void> {
  const own = await gitFolderOf(folder);
  for (const [name, work] of [
    ['MERGE_HEAD', 'merge'],
    ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ] as const)
    if ((await readRegular(own, name, MOST_NAME_BYTES).catch(() => undefined)) !== undefined)
      throw refusal('reject.folder_busy', `a ${work} in ${folder} is not finished`, { path: folder });
}

/** Branch that a rebase has taken HEAD from. */
async function refOfRebase(folder: string): Promise<string | undefined> {
  const own = await gitFolderOf(folder);
  for (const work of ['rebase-merge', 'rebase-apply']) {
    const held = await readRegular(join(own, work), 'head-name', MOST_NAME_BYTES).catch(() => undefined);
    const ref = held?.toString('utf8').trim() ?? '';
    if (ref.startsWith(HEADS)) return ref;
  }
  return undefined;
}

/** Branch that was left for the commit that is checked out: by a rebase, as the only one there is, or as git remembers. */
async function leftRef(folder: string): Promise<string | undefined> {
  const all = (await ask(folder, ['for-each-ref', '--format=%(refname)', HEADS])).split('\n').slice(0, -1);
  if (all.length < 2) return all[0];
  const held = await refOfRebase(folder);
  if (held !== undefined) return held;
  const { code, answer } = await askGit(folder, ['rev-parse', '--quiet', '--symbolic-full-name', '@{-1}']);
  const before = answer.trim();
  return code === 0 && all.includes(before) ? before : undefined;
}

/** Settings that switch off the filters that the repository configures. */
async function withoutFilters(folder: string): Promise<string[]> {
  const { code, answer } = await askGit(folder, ['config', '--name-only', '--get-regexp', '^filter\\..*\\.']);
  if (code !== 0) return [];
  const names = new Set(answer.split('\n').flatMap((line) => /^filter\.(.*)\.[^.]+$/.exec(line)?.[1] ?? []));
  return [...names].flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((value) => ['-c', `filter.${name}.${value}`]),
  );
}

/** Guard: without its filter a file would be written in another form than the user's git writes it. */
async function refuseFiltered(folder: string, from: string | undefined, to: string): Promise<void> {
  const changed = await ask(folder, [
    'diff-tree',
    '-r',
    '-z',
    '--name-only',
    '--root',
    '--no-commit-id',
    ...(from === undefined ? [to] : [from, to]),
  ]);
  const [file, filter] =
    (await firstFiltered(folder, changed)) ??
    (isAboutAttributes(changed) ? await firstFilteredThen(folder, to, changed) : undefined) ??
    [];
  if (file === undefined) return;
  throw refusal('reject.branch_checked_out', `${file} goes through the filter ${filter} of ${folder}`, {
    path: folder,
    file,
  });
}

function isAboutAttributes(changed: string): boolean {
  return changed.split('\0').some((path) => /(^|\/)\.gitattributes$/.test(path));
}

/** By the attributes that the commit brings: git writes its files by those. */
async function firstFilteredThen(folder: string, commit: string, changed: string): Promise<Filtered | undefined> {
  const passing = await mkdtemp(join(tmpdir(), 'weft-attributes-'));
  try {
    const settings = { index: join(passing, 'index') };
    await ask(folder, ['read-tree', commit], settings);
    return await firstFiltered(folder, changed, settings);
  } finally {
    await rm(passing, { recursive: true, force: true });
  }
}

type Filtered = readonly [file: string, filter: string];

/** First of the paths that a filter is for, by the attributes of the folder or of the index that the settings name. */
async function firstFiltered(folder: string, paths: string, settings: GitSettings = {}): Promise<Filtered | undefined> {
  const { bytes, ...exit } = await readGit({
    folder,
    args: ['check-attr', ...(settings.index === undefined ? [] : ['--cached']), '-z', '--stdin', 'filter'],
    input: paths,
    settings,
    most: 64 << 20,
  });
  if (exit.code !== 0) throw failed('check-attr', folder, exit);
  const parts = bytes.toString('utf8').split('\0');
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [file = '', , filter = ''] = parts.slice(at, at + 3);
    if (filter !== 'unspecified' && filter !== 'unset') return [file, filter];
  }
  return undefined;
}

async function commitAt(folder: string, ref: string): Promise<string | undefined> {
  const { code, answer } = await askGit(folder, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${ref}^{commit}`,
  ]);
  return code === 0 ? answer.trim() : undefined;
}

async function ask(folder: string, args: readonly string[], settings: GitSettings = {}): Promise<string> {
  const { bytes, ...exit } = await readGit({ folder, args, settings, most: 64 << 20, timeoutMs: 120_000 });
  if (exit.code !== 0) throw failed(args[0] ?? '', folder, exit);
  return bytes.toString('utf8');
}
