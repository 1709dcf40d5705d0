import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeRepository } from '../../demo/repository.js';
import { post as postTo } from '../../testing/doors/calls.js';
import { git, gitRepository, writeFiles } from '../../testing/git/git-repository.js';
import { studioWith } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

const refused = (status: number, code: string) => ({ status, json: { code } });

describe('repositories beside those that are registered', () => {
  it('are cloned from this machine, and from nowhere else unless that is allowed', async () => {
    const { post, folder, repositoryId } = await studioWith();
    const base = await tempFolder();
    // A clone has the same history, so it is the same repository, which is registered already.
    expect(await post('repositories/clone', { url: folder, targetPath: join(base, 'same') })).toMatchObject(
      refused(409, 'reject.repository_registered_elsewhere'),
    );
    const other = join(base, 'other');
    await gitRepository(other, { z: 'other' });
    const made = await post('repositories/clone', {
      url: `file://${other}`,
      targetPath: join(base, 'copy'),
      label: 'l',
    });
    expect(made.json).toMatchObject({ path: join(base, 'copy'), label: 'l' });
    expect((made.json as { repositoryId: string }).repositoryId).not.toBe(repositoryId);
    expect(await readFile(join(base, 'copy', 'z'), 'utf8')).toBe('other');
    const evil = [
      'https://example.test/x',
      'ext::sh -c touch% /tmp/x',
      '--upload-pack=touch',
      'git@host:x',
      'relative',
    ];
    for (const url of evil)
      expect(await post('repositories/clone', { url, targetPath: join(base, 'no') }), url).toMatchObject(
        refused(400, 'reject.protocol_not_allowed'),
      );
    // What is refused leaves nothing: neither a folder that was made for it, nor anything in one that was empty.
    await mkdir(join(base, 'empty'));
    const file = join(folder, 'a');
    for (const url of [folder, '/nowhere', file])
      for (const targetPath of [join(base, 'gone'), join(base, 'empty')])
        expect((await post('repositories/clone', { url, targetPath })).status, url).not.toBe(200);
    await git(base, 'init', '--quiet', '--bare', 'bare');
    expect((await post('repositories', { path: join(base, 'empty', 'no', 'no') })).status).toBe(400);
    expect(await readdir(base)).toEqual(['bare', 'copy', 'empty', 'other']);
    expect(await readdir(join(base, 'empty'))).toEqual([]);
    await writeFiles(join(base, 'full'), { a: '' });
    expect(await post('repositories/clone', { url: other, targetPath: join(base, 'full') })).toMatchObject(
      refused(400, 'reject.repository_path_unusable'),
    );
  });

  it('are made as the studio reads them, and so are its own stores, by a git that names commits by SHA-256', async () => {
    const base = await tempFolder();
    const real = (process.env['PATH'] ?? '').split(':').find((folder) => existsSync(join(folder, 'git')));
    const script = `#!/bin/sh\nexport GIT_DEFAULT_HASH="\${GIT_DEFAULT_HASH:-sha256}"\nexec '${real}/git' "$@"\n`;
    await mkdir(join(base, 'bin'));
    await writeFile(join(base, 'bin', 'git'), script, { mode: 0o755 });
    vi.stubEnv('PATH', `${join(base, 'bin')}:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    await git(base, 'init', '--quiet', 'plain');
    expect(await git(join(base, 'plain'), 'rev-parse', '--show-object-format')).toBe('sha256');
    vi.stubEnv('GIT_DEFAULT_HASH', 'sha1');
    await gitRepository(join(base, 'users'), { a: '1' });
    vi.stubEnv('GIT_DEFAULT_HASH', undefined);
    await writeFiles(join(base, 'kept'), { k: '1' });
    await makeRepository(join(base, 'sample'));
    const studio = await startTestStudio();
    for (const [name, file] of [
      ['users', 'a'],
      ['kept', 'k'],
      ['new', undefined],
      ['sample', 'package.json'],
    ] as const) {
      const path = join(base, name);
      const { repositoryId } = await postTo<{ repositoryId: string }>(studio, '/repositories', { path });
      const made = await postTo<{ workingDirectory: string }>(studio, '/branches/main/checkout', { repositoryId });
      if (file !== undefined) expect(await readdir(made.workingDirectory), name).toContain(file);
      expect(await git(path, 'rev-parse', '--show-object-format'), name).toBe('sha1');
    }
  });

  it('are known or not by their paths', async () => {
    const { studio, folder } = await studioWith();
    const path = `/studio/repositories/unregistered?paths=${folder}/&paths=/nowhere&paths=${folder}`;
    expect((await studio.call('GET', path)).json).toEqual({ unregistered: ['/nowhere'] });
  });

  it('give and take commits, and move forward only', async () => {
    const { post, repositoryId, commit, folder } = await studioWith();
    const other = join(await tempFolder(), 'other');
    const theirs = await gitRepository(other, { z: '1' });
    const of = `repositories/${repositoryId}/git`;
    for (const branchName of ['HEAD', '@', '-x', 'a\0b'])
      for (const [how, where] of [
        ['branch', { gitRepoPath: other }],
        ['export', { targetGitRepoPath: other }],
      ] as const)
        expect(await post(`${of}/${how}`, { ...where, branchName }), branchName).toMatchObject(
          refused(400, 'reject.invalid_input'),
        );
    expect((await post(`${of}/import`, { gitRepoPath: other })).json).toEqual({
      repositoryId,
      snapshotId: theirs,
      gitRepoPath: other,
      commitSha: theirs,
    });
    const exported = { targetGitRepoPath: other, branchName: 'from-studio' };
    expect((await post(`${of}/export`, exported)).json).toMatchObject({
      committed: true,
      commitSha: commit,
      pushed: false,
      targetPath: other,
      branchName: 'from-studio',
    });
    expect((await post(`${of}/export`, exported)).json).toMatchObject({ committed: false });
    expect(await git(other, 'rev-parse', 'from-studio')).toBe(commit);
    expect(await post(`${of}/export`, { ...exported, snapshotId: theirs })).toMatchObject(
      refused(409, 'reject.branch_moved'),
    );
    expect(await post(`${of}/export`, { ...exported, snapshotId: '0'.repeat(40) })).toMatchObject(
      refused(404, 'reject.commit_not_found'),
    );
    for (const gitRepoPath of ['/nowhere', 'relative', join(folder, 'dir')])
      expect(await post(`${of}/import`, { gitRepoPath })).toMatchObject(
        refused(400, 'reject.repository_path_unusable'),
      );
    expect(await post(`${of}/import`, { gitRepoPath: other, commitSha: '--all' })).toMatchObject(
      refused(404, 'reject.commit_not_found'),
    );
  });

  it('get branches, which are checked out where nothing is in the way', async () => {
    const { post, repositoryId, folder, commit } = await studioWith();
    const of = `repositories/${repositoryId}/git/branch`;
    expect((await post(of, { gitRepoPath: folder, branchName: 'next' })).json).toEqual({
      repositoryId,
      gitRepoPath: folder,
      branchName: 'next',
      fromRef: 'HEAD',
      checkout: false,
      commitSha: commit,
    });
    expect(await post(of, { gitRepoPath: folder, branchName: 'next' })).toMatchObject(
      refused(409, 'reject.branch_exists'),
    );
    await post(of, { gitRepoPath: folder, branchName: 'out', fromRef: 'main', checkout: true });
    expect(await git(folder, 'symbolic-ref', '--short', 'HEAD')).toBe('out');
    await writeFile(join(folder, 'a'), 'mine');
    expect(await post(of, { gitRepoPath: folder, branchName: 'more', checkout: true })).toMatchObject(
      refused(409, 'reject.folder_dirty'),
    );
    await git(folder, 'checkout', '--quiet', 'a');
    // What is ignored is somebody's too; a branch that could not be checked out is not made.
    await git(folder, 'checkout', '--quiet', '-b', 'with-built');
    await writeFiles(folder, { built: 'of the branch' });
    await git(folder, 'add', 'built');
    await git(folder, 'commit', '--quiet', '-m', 'built');
    await git(folder, 'checkout', '--quiet', 'main');
    await writeFiles(folder, { '.git/info/exclude': 'built\n', built: 'by hand' });
    const ask = { gitRepoPath: folder, branchName: 'more', fromRef: 'with-built', checkout: true };
    for (const _ of [1, 2]) expect(await post(of, ask)).toMatchObject(refused(409, 'reject.folder_dirty'));
    expect(await readFile(join(folder, 'built'), 'utf8')).toBe('by hand');
    for (const branchName of ['-f', 'a..b', 'x.lock'])
      expect(await post(of, { gitRepoPath: folder, branchName })).toMatchObject(refused(400, 'reject.invalid_input'));
  });

  it('that began without a history are asked about when they have one that is known', async () => {
    const { post, get, studio, repositoryId } = await studioWith();
    const one = { repositoryId, workgroupRepoId: repositoryId, pendingDisambiguation: null };
    expect((await get(`repositories/${repositoryId}/identity`)).json).toEqual(one);
    const folder = join(await tempFolder(), 'late');
    const late = (await studio.call('POST', '/studio/repositories', { body: { path: folder } })).json as {
      repositoryId: string;
    };
    expect((await get(`repositories/${late.repositoryId}/identity`)).json).toMatchObject({
      pendingDisambiguation: null,
    });
    await gitRepository(folder, { first: '1' });
    const path = `repositories/${late.repositoryId}/identity`;
    const { pendingDisambiguation } = (await get(path)).json as {
      pendingDisambiguation: { candidates: { repoId: string }[] };
    };
    const { repoId } = pendingDisambiguation.candidates[0]!;
    expect(await post(`${path}/resolve`, { chosenRepoId: 'repo-other' })).toMatchObject(
      refused(400, 'reject.invalid_input'),
    );
    expect((await post(`${path}/resolve`, { chosenRepoId: repoId })).json).toEqual({
      repositoryId: late.repositoryId,
      workgroupRepoId: repoId,
    });
    expect((await get(path)).json).toMatchObject({ workgroupRepoId: repoId, pendingDisambiguation: null });
  });
});
