import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { git, shell } from '../../testing/git/git-repository.js';
import { studioWith } from '../../testing/git/studio-repository.js';
import { type TestStudio, testTokens } from '../../testing/test-studio.js';

const refused = (status: number, code: string) => ({ status, json: { code } });

/** The tools that agents use, by name. */
async function toolsOf(studio: TestStudio) {
  const client = new Client({ name: 'inside', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  onTestFinished(() => client.close());
  const requestInit = { headers: { authorization: `Bearer ${testTokens.admin}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${studio.origin}/mcp/internal`), { requestInit }));
  return async (name: string, args: Record<string, unknown>) => {
    const { structuredContent, content } = await client.callTool({ name: `svc_v1_${name}`, arguments: args });
    const [first] = content as { text: string }[];
    return (structuredContent ?? JSON.parse(first!.text)) as Record<string, unknown>;
  };
}

describe('files of repositories', () => {
  it("are read from the user's folder as they are there, and not from outside of it", async () => {
    const { get, repositoryId, folder } = await studioWith();
    await writeFile(join(folder, 'a'), 'not saved');
    await symlink('/etc/hostname', join(folder, 'out'));
    await symlink('a', join(folder, 'in'));
    await symlink('.git', join(folder, 'git'));
    const read = (path: string) => get(`repositories/${repositoryId}/file?path=${encodeURIComponent(path)}`);
    expect((await read('a')).json).toEqual({ content: 'not saved' });
    expect((await read('in')).json).toEqual({ content: 'not saved' });
    for (const path of ['../x', '/etc/hostname', 'out', 'a\0'])
      expect(await read(path), path).toMatchObject(refused(400, 'reject.path_outside_repository'));
    for (const path of ['.git/config', 'git/config', 'git'])
      expect(await read(path), path).toMatchObject(refused(400, 'reject.path_outside_repository'));
    for (const path of ['none', 'dir']) expect(await read(path)).toMatchObject(refused(404, 'reject.file_not_found'));
  });

  it('are never waited for: what is no regular file is refused, and holds nobody up', async () => {
    const { get, repositoryId, folder } = await studioWith();
    await shell(folder, 'mkfifo pipe && mkdir sub && mkfifo sub/pipe && ln -s pipe link');
    const read = (path: string) => get(`repositories/${repositoryId}/file?path=${encodeURIComponent(path)}`);
    // Reads for every thread of the disk, so many as would hold up the whole host.
    const waiting = await Promise.all(['pipe', 'sub/pipe', 'link', 'pipe', 'sub/pipe'].map((path) => read(path)));
    for (const one of waiting) expect(one).toMatchObject(refused(404, 'reject.file_not_found'));
    expect((await read('a')).json).toEqual({ content: '1\n' });
  });

  it('are in the store as main has them', async () => {
    const { post, repositoryId, studio, folder, commit } = await studioWith({
      a: 'One two\n',
      'dir/b': 'x\nTWO:2:y\n',
    });
    await writeFile(join(folder, 'a'), 'not saved');
    expect((await post(`repositories/${repositoryId}/prefetch`)).json).toEqual({ fetched: 2 });
    expect((await post(`repositories/${repositoryId}/prefetch`, { fileScope: ['dir/**'] })).json).toEqual({
      fetched: 1,
    });
    const tool = await toolsOf(studio);
    expect(await tool('repository_blob_list', { repositoryId, scope: 'dir' })).toMatchObject({
      data: { paths: ['dir/b'], count: 1, snapshotId: commit },
    });
    expect(await tool('repository_blob_read', { repositoryId, path: 'a' })).toMatchObject({
      data: {
        path: 'a',
        content: 'One two\n',
        contentType: 'text/plain',
        blobId: await git(folder, 'rev-parse', 'main:a'),
      },
    });
    expect(await tool('repository_blob_search', { repositoryId, query: 'two' })).toMatchObject({
      data: {
        count: 2,
        matches: [
          { path: 'a', lineNumber: 1, snippet: 'One two' },
          { path: 'dir/b', lineNumber: 2, snippet: 'TWO:2:y' },
        ],
      },
    });
    expect(await tool('repository_blob_search', { repositoryId, query: 'none such' })).toMatchObject({
      data: { count: 0 },
    });
    expect(await tool('repository_blob_search', { repositoryId, query: '-two', maxResults: 1 })).toMatchObject({
      data: { matches: [] },
    });
    // What is in no encoding that we know is given byte by byte.
    await writeFile(join(folder, 'latin'), Buffer.from([0x67, 0xfc, 0x6e]));
    await git(folder, 'add', 'latin');
    await git(folder, 'commit', '--quiet', '-m', 'latin');
    expect(await tool('repository_blob_read', { repositoryId, path: 'latin' })).toMatchObject({
      data: { content: 'Z/xu', contentType: 'application/octet-stream' },
    });
    expect(await tool('repository_blob_read', { repositoryId, path: 'dir' })).toMatchObject({
      code: 'reject.file_not_found',
    });
  });

  it('are written on a branch, never on main', async () => {
    const { post, repositoryId, studio, folder, commit } = await studioWith();
    const unit = (await post('workunits', { goal: 'g' })).json as { workUnitId: string; branchId: string };
    const tool = await toolsOf(studio);
    const about = { repositoryId, path: 'a', content: 'new' };
    expect(await tool('repository_blob_write', { ...about, workUnitId: unit.workUnitId })).toMatchObject({
      data: { path: 'a', kind: 'Replace', branchId: unit.branchId },
    });
    expect(await tool('repository_blob_write', { ...about, path: 'n', reason: 'r' })).toMatchObject({
      data: { path: 'n', kind: 'Add', branchId: `files/${repositoryId}` },
    });
    expect(await git(folder, 'rev-parse', 'main')).toBe(commit);
    expect(await tool('repository_blob_write', { ...about, path: '../x' })).toMatchObject({
      code: 'reject.path_outside_repository',
    });
  });
});
