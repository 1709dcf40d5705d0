import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectRefusal, post, read, toolData } from '../../testing/doors/calls.js';
import { git, gitRepository, writeFiles } from '../../testing/git/git-repository.js';
import { studioWith } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';

describe('switching', () => {
  it('takes over what was done by hand, in a folder of the studio and in that of the user', async () => {
    const { studio, folder, repositoryId, branch, commit } = await studioWith({ a: '1\n', b: '2\n' });
    await branch('fix', {});
    const { workingDirectory } = await post<{ workingDirectory: string }>(studio, '/branches/fix/checkout');
    const at = { repositoryId, branchId: 'fix' };
    expect(await post(studio, '/workspace/switch', at)).toEqual({ ...at, repositoryPath: folder, sync: null });
    await writeFiles(workingDirectory, { a: 'by hand\n', 'dir/new': '' });
    await rm(join(workingDirectory, 'b'));
    const { sync } = await post<{ sync: { to: string } }>(studio, '/workspace/switch', at);
    expect(sync).toEqual({
      from: commit,
      to: expect.not.stringContaining(commit) as string,
      changes: [
        { path: 'a', changeKind: 'Modified' },
        { path: 'b', changeKind: 'Deleted' },
        { path: 'dir/new', changeKind: 'Added' },
      ],
    });
    expect(await readFile(join(workingDirectory, 'a'), 'utf8')).toBe('by hand\n');
    expect(await read(studio, '/branches/fix/status')).toMatchObject({
      headCheckpoint: sync.to,
      pendingChangeCount: 0,
    });

    await writeFiles(folder, { c: '3\n' });
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '--message=by hand');
    await writeFile(join(folder, 'a'), 'not committed');
    expect(await toolData(studio, 'svc_v1_workspace_switch', { repositoryPath: folder })).toMatchObject({
      branchId: 'main',
      repositoryId,
      sync: { from: commit, changes: [{ path: 'c', changeKind: 'Added' }] },
    });
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('not committed');
  });

  it('fault 24: never writes over a hand edit, also when the branch has changed the same place', async () => {
    const { studio, repositoryId, branch } = await studioWith({ a: '1\n' });
    await branch('fix', {});
    const { workingDirectory } = await post<{ workingDirectory: string }>(studio, '/branches/fix/checkout');
    await branch('other', { a: 'other\n' });
    const proposed = { sourceBranch: 'other', targetBranch: 'fix', summary: 's' };
    const { proposalId } = await post<{ proposalId: string }>(studio, '/merges', proposed);
    await post(studio, `/merges/${proposalId}/review`, { decision: 'Approved' });
    await writeFile(join(workingDirectory, 'a'), 'by hand\n');
    const answer = await studio.call('POST', `/studio/merges/${proposalId}/apply`);
    expect(answer.status).toBe(409);
    expect(await readFile(join(workingDirectory, 'a'), 'utf8')).toBe('by hand\n');
    expect(await post(studio, '/workspace/switch', { repositoryId, branchId: 'fix' })).toMatchObject({
      branchId: 'fix',
    });
    expect(await readFile(join(workingDirectory, 'a'), 'utf8')).toBe('by hand\n');
  });

  it('registers a folder that is not known yet, and refuses what it cannot find', async () => {
    const { studio } = await studioWith({ a: '1\n' });
    const other = join(await tempFolder(), 'other');
    await gitRepository(other, { z: '' });
    expect(await post(studio, '/workspace/switch', { repositoryPath: other })).toMatchObject({ repositoryPath: other });
    await expectRefusal(studio, ['POST', '/workspace/switch', {}], 400, 'invalid_input');
    await expectRefusal(studio, ['POST', '/workspace/switch', { repositoryId: 'x' }], 404, 'repository_not_found');
    await expectRefusal(
      ...([studio, ['POST', '/workspace/switch', { repositoryPath: other, branchId: 'x' }], 404] as const),
      'branch_not_found',
    );
  });
});
