import { readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectRefusal, makeUnit, post, queue, read, tool, toolData } from '../../testing/doors/calls.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { type StudioRepository, studioWith, withRepository } from '../../testing/git/studio-repository.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';
import { tempFolder } from '../../testing/temp-folder.js';

interface Read {
  readonly content: string | null;
  readonly exists: boolean;
}

const call = <Result>(studio: TestStudio, name: string, input: object): Promise<Result> =>
  toolData<Result>(studio, `svc_v1_workspace_${name}`, input);

const refusedTool = async (studio: TestStudio, name: string, input: object): Promise<unknown> =>
  (await tool(studio, `svc_v1_workspace_${name}`, input)).code;

async function withBranch(files?: Readonly<Record<string, string>>): Promise<StudioRepository & { branchId: string }> {
  const repository = await studioWith(files);
  await repository.branch('fix', {});
  return { ...repository, branchId: 'fix' };
}

async function folderOf(studio: TestStudio, branchId: string): Promise<string> {
  const path = `/branches/${encodeURIComponent(branchId)}/checkout`;
  return (await post<{ workingDirectory: string }>(studio, path)).workingDirectory;
}

describe('files of a workspace', () => {
  it('are read, listed and found, with a folder or without', async () => {
    const { studio } = await withBranch({ a: '1\n2\n3\n', 'dir/b.ts': 'two\n', 'dir/c': 'Two' });
    const inStore = await look();
    expect((await read<{ exists: boolean }>(studio, '/workspace/path?branchId=fix')).exists).toBe(false);
    const folder = await folderOf(studio, 'fix');
    expect(await read(studio, '/workspace/path?branchId=fix')).toEqual({
      branchId: 'fix',
      workingDirectory: folder,
      exists: true,
    });
    expect(await look()).toEqual(inStore);
    expect(inStore).toEqual([
      { branchId: 'fix', path: 'a', content: '2\n', exists: true, totalLines: 3, truncated: true },
      { branchId: 'fix', path: 'none', content: null, exists: false, totalLines: 0, truncated: false },
      { files: ['dir/b.ts'], branchId: 'fix', truncated: false },
      [{ exists: true }, { exists: true }, { exists: false }],
      { files: [{ path: 'a', content: '1\n2\n3\n', found: true }, expect.objectContaining({ found: false })] },
    ]);
    await writeFile(join(folder, 'bytes'), Buffer.from([0, 1]));
    await writeFile(join(folder, 'dir/d'), 'TWO by hand');
    expect(await read(studio, '/workspace/read?branchId=fix&path=bytes')).toMatchObject({
      content: null,
      exists: true,
    });
    const found = { branchId: 'fix', query: 'two', contextLines: 0 };
    expect(await call(studio, 'search', found)).toMatchObject({
      matches: ['dir/b.ts', 'dir/c', 'dir/d'].map((path) => ({ path, line: 1 })),
      truncated: false,
    });
    expect(await call(studio, 'search', { ...found, filePattern: '*.ts', regex: true, query: '^t.o$' })).toMatchObject({
      matches: [{ path: 'dir/b.ts', line: 1, startLine: 1, endLine: 1, snippet: 'two\n' }],
    });

    async function look(): Promise<unknown[]> {
      const { files } = await call<{ files: object[] }>(studio, 'read_many', {
        branchId: 'fix',
        paths: ['a', '../x'],
      });
      return [
        await read<Read>(studio, '/workspace/read?branchId=fix&path=./a&offset=2&limit=1'),
        await read<Read>(studio, '/workspace/read?branchId=fix&path=none'),
        await call(studio, 'list', { branchId: 'fix', path: 'dir', pattern: '*.ts' }),
        await Promise.all(['dir', 'dir/c', 'di'].map((path) => call(studio, 'exists', { branchId: 'fix', path }))),
        { files },
      ];
    }
  });

  it('are written, replaced and deleted, and become what the branch offers', async () => {
    const { studio } = await withBranch({ a: 'one\ntwo\n' });
    const at = { branchId: 'fix' };
    expect(await call(studio, 'write', { ...at, path: 'new/b', content: 'ü' })).toEqual({
      written: true,
      path: 'new/b',
      branchId: 'fix',
    });
    expect(await call(studio, 'replace', { ...at, path: 'a', oldText: 'two', newText: 'three' })).toEqual({
      replaced: true,
      path: 'a',
      branchId: 'fix',
      matches: 1,
      oldLength: 8,
      newLength: 10,
      diff: '--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n',
    });
    expect(await refusedTool(studio, 'replace', { ...at, path: 'a', oldText: 'e', newText: '' })).toBe(
      'reject.text_not_found',
    );
    expect(await call(studio, 'diff', { ...at, targetBranchId: 'main' })).toMatchObject({
      sourceBranchId: 'fix',
      truncated: false,
      diff: expect.stringMatching(/\+three[^]*\+ü/) as string,
    });
    expect(await call(studio, 'delete', { ...at, path: 'new/b' })).toEqual({ deleted: true, path: 'new/b' });
    expect(await refusedTool(studio, 'delete', { ...at, path: 'new/b' })).toBe('reject.file_not_found');
    expect(await read(studio, '/branches/fix/status')).toMatchObject({ pendingChangeCount: 1 });
  });

  it('are written over only by who knows what is in them now, also after a restart', async () => {
    const host = createHost({ store: memoryStore() });
    onTestFinished(() => host.close());
    const studio = await startTestStudio(host);
    const user = join(await tempFolder(), 'user');
    const { branch } = await withRepository(studio, user, await gitRepository(user, { a: '1\n' }));
    await branch('fix', {});
    const folder = await folderOf(studio, 'fix');
    const path = 'a';
    expect(await refusedTool(studio, 'write', { branchId: 'fix', path, content: 'x' })).toBe('reject.not_read');
    // Writing it once more is no loss.
    await call(studio, 'write', { branchId: 'fix', path, content: '1\n' });
    await writeFile(join(folder, path), 'by hand\n2\n');
    expect(await refusedTool(studio, 'write', { branchId: 'fix', path, content: 'x' })).toBe('reject.not_read');
    // A part of it is not the whole.
    await call(studio, 'read', { branchId: 'fix', path, limit: 1 });
    expect(await refusedTool(studio, 'write', { branchId: 'fix', path, content: 'x' })).toBe('reject.not_read');
    await call(studio, 'read', { branchId: 'fix', path });
    await studio.close();
    const again = await startTestStudio(host, { folder: join(studio.branches, '..') });
    await call(again, 'write', { branchId: 'fix', path, content: 'x' });
  });

  it('of a unit are changed within its scope, on its branch, while no other has them', async () => {
    const { studio } = await studioWith({ 'src/a': '1', b: '2' });
    const root = await makeUnit(studio);
    const part = (body: object = {}) => makeUnit(studio, { parentWorkUnitId: root.workUnitId, ...body });
    const [one, two] = [await part({ fileScope: ['src', '*.md'] }), await part()];
    for (const unit of [one, two]) await queue(studio, unit);
    const write = (unit: typeof one, path: string) =>
      tool(studio, 'svc_v1_workspace_write', { workUnitId: unit.workUnitId, branchId: 'typo', path, content: '1' });
    expect((await write(one, 'b')).code).toBe('reject.outside_file_scope');
    expect((await write(one, 'src/a')).data).toMatchObject({ written: true, branchId: one.branchId });
    expect((await write(one, 'new.md')).data).toMatchObject({ written: true });
    expect((await write(two, 'SRC/A')).data).toMatchObject({
      written: false,
      awaitingFileLease: 'SRC/A',
      heldBy: one.workUnitId,
    });
    expect(await read(studio, `/workunits/${two.workUnitId}`)).toMatchObject({ awaitingFileLease: true });
    await post(studio, `/workunits/${one.workUnitId}/cancel`);
    expect((await write(one, 'src/a')).code).toBe('reject.wrong_state');
  });

  it('are known to each agent for itself, and changed on the branch of its own unit alone', async () => {
    const { studio } = await studioWith({ a: '1' });
    const unit = await makeUnit(studio);
    const spawn = async ({ workUnitId }: { workUnitId: string }) => {
      const { agentId } = await post<{ agentId: string }>(studio, '/agents/spawn', { agentType: 'worker', workUnitId });
      return studio.mintAgentToken(agentId).secret;
    };
    const [one, two, foreign] = [await spawn(unit), await spawn(unit), await spawn(await makeUnit(studio))];
    const ask = (token: string, name: string, input: object) => tool(studio, `svc_v1_workspace_${name}`, input, token);
    const at = { workUnitId: unit.workUnitId, path: 'a' };
    expect((await ask(foreign, 'read', at)).data).toMatchObject({ content: '1' });
    expect((await ask(foreign, 'write', { ...at, content: '2' })).code).toBe('reject.branch_of_others');
    expect((await ask(one, 'write', { path: 'a', content: '2' })).code).toBe('reject.not_read');
    await ask(one, 'read', at);
    await ask(two, 'read', at);
    expect((await ask(one, 'write', { path: 'a', content: '2' })).data).toMatchObject({ branchId: unit.branchId });
    expect((await ask(two, 'write', { ...at, content: '3' })).code).toBe('reject.not_read');
    await ask(two, 'search', { workUnitId: unit.workUnitId, query: '2' });
    expect(await read(studio, '/usage-metrics/search-activity')).toMatchObject({ searchCount: 1, totalMatches: 1 });
    expect(JSON.stringify(await read(studio, '/usage-metrics/file-hits'))).toContain('"a"');
  });

  it('fault 16: are not written where the folder has gone, nor anywhere else', async () => {
    const { studio, folder: user } = await studioWith({ a: '1' });
    const { workUnitId, branchId } = await makeUnit(studio);
    const spawned = await post<{ agentId: string }>(studio, '/agents/spawn', { agentType: 'worker', workUnitId });
    const token = studio.mintAgentToken(spawned.agentId).secret;
    const ask = (name: string, input: object) => tool(studio, `svc_v1_${name}`, input, token);
    const write = (path: string) => ask('workspace_write', { path, content: 'x' });
    const offer = { sourceBranch: branchId, targetBranch: 'main', summary: 's' };
    expect((await write('saved')).data).toMatchObject({ written: true });
    const folder = await folderOf(studio, branchId);
    expect((await write('lost')).data).toMatchObject({ written: true });
    const around = async () => [await readdir(join(folder, '..')), await readdir(user), await readdir(process.cwd())];
    // Taken away, or made to lead into the folder of the user.
    for (const takeAway of [() => rm(folder, { recursive: true }), () => symlink(user, folder)]) {
      await takeAway();
      const before = await around();
      for (const [name, input] of [
        ['workspace_write', { path: 'dir/new', content: 'x' }],
        ['workspace_write', { path: 'saved', content: 'y' }],
        ['workspace_delete', { path: 'a' }],
        ['workspace_replace', { path: 'saved', oldText: 'x', newText: 'y' }],
        ['workspace_search', { query: 'x' }],
        ['workspace_build', { buildCommand: 'touch built' }],
        ['merge_propose', offer],
      ] as const)
        expect([name, (await ask(name, { ...input, workUnitId })).code]).toEqual([name, 'reject.workspace_gone']);
      expect(await around()).toEqual(before);
    }
    expect(await readFile(join(user, 'a'), 'utf8')).toBe('1');
    await rm(folder);
    expect(await folderOf(studio, branchId)).toBe(folder);
    expect((await readdir(folder)).sort()).toEqual(['.git', 'a', 'saved']);
    expect((await write('new')).data).toMatchObject({ written: true });
    expect((await ask('merge_propose', { ...offer, workUnitId })).data).toMatchObject({
      filesTouched: ['new', 'saved'],
    });
  });

  it('fault 16: are not made by a program whose folder goes while it runs', async () => {
    const { studio } = await withBranch({ a: '1' });
    const [folder, outside] = [await folderOf(studio, 'fix'), await tempFolder()];
    const script = `echo > ${outside}/begun; until [ -e ${outside}/go ]; do sleep 0.02; done; echo x > late`;
    const built = post<{ allSucceeded: boolean }>(studio, '/workspace/build?branchId=fix', { buildCommand: script });
    while ((await readdir(outside)).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await rm(folder, { recursive: true });
    await writeFile(join(outside, 'go'), '');
    expect(await built).toMatchObject({ allSucceeded: false });
    expect(await readdir(outside)).toEqual(['begun', 'go']);
    await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('fault 39: are none outside of it, and none of main', async () => {
    const { studio } = await withBranch();
    for (const path of ['../x', '/etc/passwd', '.git/config', 'a/../../x'])
      for (const [name, more] of [['read'], ['exists'], ['delete'], ['write', { content: '' }], ['list']] as const)
        expect(await refusedTool(studio, name, { branchId: 'fix', path, ...more }), `${name} ${path}`).toBe(
          'reject.path_outside_repository',
        );
    for (const branchId of ['main', 'candidate'])
      expect(await refusedTool(studio, 'write', { branchId, path: 'x', content: '' })).toBe('reject.branch_reserved');
    await expectRefusal(studio, ['GET', '/workspace/read?path=a'], 400, 'invalid_input');
    await expectRefusal(studio, ['GET', '/workspace/read?branchId=none&path=a'], 404, 'branch_not_found');
  });
});
