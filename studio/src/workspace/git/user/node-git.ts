/** The Git port over the `git` program of the machine. See `run-git.ts` for what makes a call safe. */
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { refusal } from '../../../reasons.js';
import type { FolderKind, Git } from './git.js';
import { HeldBefore } from './held-before.js';
import { previewKept } from './kept-preview.js';
import { keepFolder } from './node-kept-folder.js';
import { askGit, failed, runGit } from '../calls/run-git.js';

const heldBefore = new HeldBefore();
const LIST_TIMEOUT_MS = 120_000;
const MAX_PATH = 65_536;
/** Full id of a commit. */
const ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

export const nodeGit: Git = {
  async inspect(folder): Promise<FolderKind> {
    if (!(await exists(join(folder, '.git')))) {
      const bare = await askGit(folder, ['rev-parse', '--is-bare-repository']);
      return bare.code === 0 && bare.answer.trim() === 'true' ? { kind: 'bare' } : { kind: 'plain' };
    }
    const top = await askGit(folder, ['rev-parse', '--show-object-format', '--show-toplevel']);
    if (top.code !== 0) throw failed('rev-parse', folder, top);
    const [hash = ''] = top.answer.split('\n', 1);
    // Only the final line break is removed: a folder's name may end with more.
    const path = top.answer.slice(hash.length + 1).replace(/\n$/, '');
    if (hash !== 'sha1') return { kind: 'hashed', hash };
    const real = await realpath(path).catch(() => undefined);
    return real === folder ? { kind: 'worktree' } : { kind: 'elsewhere', top: path };
  },

  async init(folder) {
    // Empty template: the machine's would bring hooks and excludes.
    const exit = await askGit(folder, ['init', '--quiet', '--template=', '--initial-branch=main']);
    if (exit.code !== 0) throw failed('init', folder, exit);
  },

  keep: keepFolder,
  previewKept,

  async isPartial(folder) {
    return (
      (await askGit(folder, ['config', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$']))
        .code === 0
    );
  },

  async remotes(folder) {
    const { code, answer } = await askGit(folder, ['config', '--get-regexp', '^remote\\..*\\.url$']);
    if (code !== 0) return [];
    // The part of an address before the @ may be a secret.
    return answer.split('\n').flatMap((line) => line.split(' ')[1]?.replace(/^(\w+:\/\/)[^@/]*@/, '$1') ?? []);
  },

  async rootCommits(folder) {
    const head = await askGit(folder, ['rev-parse', '--is-shallow-repository', 'HEAD^{commit}']);
    if (head.code !== 0 || head.answer.startsWith('true\n')) return [];
    const roots = await askGit(folder, ['rev-list', '--max-parents=0', '--end-of-options', 'HEAD', '--']);
    if (roots.code !== 0) throw failed('rev-list', folder, roots);
    return [...new Set(roots.answer.split('\n').filter((line) => line !== ''))].sort();
  },

  async holds(folder, commits) {
    const isFolder = await lstat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder || (await realpath(folder)) !== folder) return false;
    if (await heldBefore.holds(folder, commits, () => holdsAtOnce(folder, commits))) return true;
    if ((await nodeGit.inspect(folder)).kind !== 'worktree') return false;
    if (commits.length === 0) return true;
    const args = ['rev-list', '--no-walk', '--quiet', '--end-of-options', ...commits, '--'];
    return (await askGit(folder, args)).code === 0;
  },

  async eachFile(folder, scope, accept) {
    const text = new StringDecoder('utf8');
    let rest = '';
    const exit = await runGit({
      folder,
      args: [
        `--work-tree=${folder}`,
        'ls-files',
        '-z',
        '--cached',
        '--others',
        '--exclude-standard',
        '--',
        scope || '.',
      ],
      timeoutMs: LIST_TIMEOUT_MS,
      onBytes: (bytes) => {
        const paths = (rest + text.write(bytes)).split('\0');
        rest = paths.pop() ?? '';
        if (rest.length > MAX_PATH)
          throw refusal('reject.git_failed', 'git listed a path longer than 65,536 characters');
        // A name that ends with a slash is a nested repository.
        for (const path of paths) if (!path.endsWith('/')) accept(path);
      },
    });
    if (exit.code !== 0) throw failed('ls-files', folder, exit);
  },
};

/** Asks in one call what mostly is so: true is certain, all else is found out step by step. */
async function holdsAtOnce(folder: string, commits: readonly string[]): Promise<boolean> {
  if (!commits.every((commit) => ID.test(commit)) || !(await exists(join(folder, '.git')))) return false;
  const { code, answer } = await askGit(folder, [
    'rev-parse',
    '--show-toplevel',
    ...commits.map((commit) => `${commit}^{commit}`),
  ]);
  return code === 0 && answer === `${[folder, ...commits].join('\n')}\n`;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
