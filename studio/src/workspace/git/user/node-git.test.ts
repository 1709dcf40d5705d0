import { access, chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, gitRepository, writeFiles } from '../../../testing/git/git-repository.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { nodeGit } from './node-git.js';
import { runGit } from '../calls/run-git.js';

async function filesOf(folder: string, scope = ''): Promise<string[]> {
  const found: string[] = [];
  await nodeGit.eachFile(folder, scope, (path) => found.push(path));
  return found.sort();
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** A program that leaves a mark when anything runs it. */
async function trap(folder: string): Promise<{ program: string; mark: string }> {
  const mark = join(folder, 'it-ran');
  const program = join(folder, 'trap.sh');
  await writeFile(program, `#!/bin/sh\ntouch '${mark}'\n`);
  await chmod(program, 0o755);
  return { program, mark };
}

describe('inspect', () => {
  it('tells a working tree, a bare repository and a plain folder apart', async () => {
    const base = await tempFolder();
    await gitRepository(join(base, 'tree'), {});
    await mkdir(join(base, 'plain'));
    await git(base, 'init', '--quiet', '--bare', 'bare');
    expect(await nodeGit.inspect(join(base, 'tree'))).toEqual({ kind: 'worktree' });
    expect(await nodeGit.inspect(join(base, 'bare'))).toEqual({ kind: 'bare' });
    expect(await nodeGit.inspect(join(base, 'plain'))).toEqual({ kind: 'plain' });
  });

  it('never takes a folder inside a repository for that repository', async () => {
    const base = await tempFolder();
    await gitRepository(base, { 'inside/file.txt': 'x' });
    expect(await nodeGit.inspect(join(base, 'inside'))).toEqual({ kind: 'plain' });
  });

  it('says where a working tree is that was configured away', async () => {
    const base = await tempFolder();
    await gitRepository(join(base, 'tree'), {});
    await mkdir(join(base, 'other'));
    await git(join(base, 'tree'), 'config', 'core.worktree', join(base, 'other'));
    expect(await nodeGit.inspect(join(base, 'tree'))).toEqual({ kind: 'elsewhere', top: join(base, 'other') });
  });

  it('knows a linked working tree, and a folder whose name ends with a line break', async () => {
    const base = await tempFolder();
    await gitRepository(join(base, 'main'), {});
    await git(join(base, 'main'), 'worktree', 'add', '--quiet', '../linked');
    await gitRepository(join(base, 'odd\n'), {});
    expect(await nodeGit.inspect(join(base, 'linked'))).toEqual({ kind: 'worktree' });
    expect(await nodeGit.inspect(join(base, 'odd\n'))).toEqual({ kind: 'worktree' });
  });

  it('reports a damaged repository with what git said', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, '.git'), 'gitdir: nowhere\n');
    await expect(nodeGit.inspect(folder)).rejects.toMatchObject({
      reason: 'reject.git_failed',
      data: { said: expect.stringContaining('nowhere') as string },
    });
  });
});

describe('root commits', () => {
  it('are none before the first commit', async () => {
    const folder = await tempFolder();
    await nodeGit.init(folder);
    expect(await nodeGit.rootCommits(folder)).toEqual([]);
  });

  it('are all of them, sorted, when unrelated histories were joined', async () => {
    const folder = await tempFolder();
    const first = await gitRepository(folder, { a: '1' });
    await git(folder, 'checkout', '--quiet', '--orphan', 'other');
    await git(folder, 'commit', '--quiet', '--allow-empty', '--message=second root');
    const second = await git(folder, 'rev-parse', 'HEAD');
    await git(folder, 'merge', '--quiet', '--allow-unrelated-histories', '--no-edit', 'main');
    expect(await nodeGit.rootCommits(folder)).toEqual([first, second].sort());
  });

  it('are unknown in a shallow clone, whose oldest commit is only where it was cut', async () => {
    const base = await tempFolder();
    await gitRepository(join(base, 'full'), { a: '1' });
    await git(join(base, 'full'), 'commit', '--quiet', '--allow-empty', '--message=second');
    await git(base, 'clone', '--quiet', '--depth=1', `file://${join(base, 'full')}`, 'cut');
    expect(await nodeGit.rootCommits(join(base, 'cut'))).toEqual([]);
  });

  it('are not changed by replacement refs', async () => {
    const folder = await tempFolder();
    const root = await gitRepository(folder, { a: '1' });
    await git(folder, 'commit', '--quiet', '--allow-empty', '--message=second');
    await git(folder, 'replace', '--graft', 'HEAD');
    expect(await nodeGit.rootCommits(folder)).toEqual([root]);
  });
});

describe('holds', () => {
  it('is true for the repository itself and its clones, false for another, a missing folder and a link', async () => {
    const base = await tempFolder();
    const root = await gitRepository(join(base, 'one'), { a: '1' });
    await gitRepository(join(base, 'two'), { b: '2' });
    await git(base, 'clone', '--quiet', 'one', 'clone');
    await symlink(join(base, 'one'), join(base, 'link'));
    expect(await nodeGit.holds(join(base, 'one'), [root])).toBe(true);
    expect(await nodeGit.holds(join(base, 'clone'), [root])).toBe(true);
    expect(await nodeGit.holds(join(base, 'two'), [root])).toBe(false);
    expect(await nodeGit.holds(join(base, 'missing'), [root])).toBe(false);
    expect(await nodeGit.holds(join(base, 'link'), [root])).toBe(false);
  });
});

describe('listing', () => {
  it('gives tracked and untracked files, not ignored ones and not nested repositories', async () => {
    const folder = await tempFolder();
    await gitRepository(folder, { 'src/a.ts': '', '.gitignore': '*.log\n' });
    await writeFiles(folder, { 'new.ts': '', 'noise.log': '' });
    await gitRepository(join(folder, 'nested'), { inner: '' });
    expect(await filesOf(folder)).toEqual(['.gitignore', 'new.ts', 'src/a.ts']);
    expect(await filesOf(folder, 'src')).toEqual(['src/a.ts']);
  });

  it('takes names for names: a leading dash, quotes, wildcards, line breaks, other scripts', async () => {
    const folder = await tempFolder();
    const names = ['--help', '-rf/x', 'a\nb', '"q"', '*', ':(top)x', 'größe/日本.txt'];
    await gitRepository(folder, Object.fromEntries(names.map((name) => [name, ''])));
    expect(await filesOf(folder)).toEqual([...names].sort());
    expect(await filesOf(folder, '-rf')).toEqual(['-rf/x']);
    expect(await filesOf(folder, '*')).toEqual(['*']);
    expect(await filesOf(folder, ':(top)x')).toEqual([':(top)x']);
  });

  it('does not follow a symbolic link out of the tree', async () => {
    const base = await tempFolder();
    await writeFiles(join(base, 'outside'), { secret: 'x' });
    await gitRepository(join(base, 'tree'), { a: '' });
    await symlink(join(base, 'outside'), join(base, 'tree', 'link'));
    expect(await filesOf(join(base, 'tree'))).toEqual(['a', 'link']);
  });

  it('never lists the repository around a folder that has lost its own', async () => {
    const base = await tempFolder();
    await gitRepository(base, { 'inside/a': '' });
    await expect(filesOf(join(base, 'inside'))).rejects.toMatchObject({ reason: 'reject.git_failed' });
  });

  it('stays in the folder when the repository says that its working tree is elsewhere', async () => {
    const base = await tempFolder();
    await writeFiles(join(base, 'outside'), { secret: 'x' });
    await gitRepository(join(base, 'tree'), { a: '' });
    await git(join(base, 'tree'), 'config', 'core.worktree', join(base, 'outside'));
    expect(await filesOf(join(base, 'tree'))).toEqual(['a']);
  });
});

describe('a hostile repository', () => {
  it('does not get its fsmonitor run', async () => {
    const base = await tempFolder();
    const folder = join(base, 'tree');
    await gitRepository(folder, { a: '' });
    const { program, mark } = await trap(base);
    await git(folder, 'config', 'core.fsmonitor', program);
    await filesOf(folder);
    await nodeGit.rootCommits(folder);
    await nodeGit.holds(folder, []);
    expect(await exists(mark)).toBe(false);
    // A plain git does run this program, or this test would prove nothing.
    await git(folder, 'ls-files', '--others');
    await git(folder, 'status');
    expect(await exists(mark)).toBe(true);
  });

  it('does not get its hooks run', async () => {
    const base = await tempFolder();
    const folder = join(base, 'tree');
    await gitRepository(folder, { a: '' });
    const { program, mark } = await trap(base);
    await mkdir(join(base, 'hooks'));
    await symlink(program, join(base, 'hooks', 'post-index-change'));
    await git(folder, 'config', 'core.hooksPath', join(base, 'hooks'));
    await runGit({ folder, args: ['read-tree', 'HEAD'], timeoutMs: 10_000, onBytes: () => undefined });
    expect(await exists(mark)).toBe(false);
    await git(folder, 'read-tree', 'HEAD');
    expect(await exists(mark)).toBe(true);
  });

  it('does not get a missing object fetched with a command of its own', async () => {
    const base = await tempFolder();
    const folder = join(base, 'tree');
    await gitRepository(folder, { a: '' });
    const { program, mark } = await trap(base);
    const settings = {
      'extensions.partialClone': 'evil',
      'remote.evil.promisor': 'true',
      'remote.evil.url': `ext::${program}`,
      'protocol.ext.allow': 'always',
      'core.repositoryFormatVersion': '1',
    };
    for (const [key, value] of Object.entries(settings)) await git(folder, 'config', key, value);
    const absent = 'd'.repeat(40);
    expect(await nodeGit.holds(folder, [absent])).toBe(false);
    for (const args of [
      ['cat-file', '-e', absent],
      ['fetch', 'evil'],
    ]) {
      await runGit({ folder, args, timeoutMs: 10_000, onBytes: () => undefined });
    }
    expect(await exists(mark)).toBe(false);
    await git(folder, 'cat-file', '-e', absent).catch(() => undefined);
    expect(await exists(mark)).toBe(true);
  });
});

describe('running git', () => {
  it('kills what does not end in time, and says so', async () => {
    const folder = await tempFolder();
    await gitRepository(folder, {});
    const run = runGit({
      folder,
      args: ['-c', 'alias.wait=!sleep 60', 'wait'],
      timeoutMs: 100,
      onBytes: () => undefined,
    });
    await expect(run).rejects.toMatchObject({
      reason: 'reject.git_failed',
      message: expect.stringContaining('0.1 s') as string,
    });
  });

  it('stops when its reader refuses what it reads', async () => {
    const folder = await tempFolder();
    await gitRepository(folder, {});
    const stop = new Error('enough');
    const run = runGit({
      folder,
      args: ['-c', 'alias.flood=!while :; do echo more; done', 'flood'],
      timeoutMs: 20_000,
      onBytes: () => {
        throw stop;
      },
    });
    await expect(run).rejects.toBe(stop);
  });

  it('is not redirected by git variables of its own parent', async () => {
    const base = await tempFolder();
    await gitRepository(join(base, 'one'), { one: '' });
    await gitRepository(join(base, 'two'), { two: '' });
    process.env.GIT_DIR = join(base, 'two', '.git');
    try {
      expect(await filesOf(join(base, 'one'))).toEqual(['one']);
    } finally {
      delete process.env.GIT_DIR;
    }
  });
});
