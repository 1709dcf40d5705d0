import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectRefusal, post, read } from '../testing/calls.js';
import { git, gitRepository } from '../testing/git-repository.js';
import { studioWith, withRepository } from '../testing/studio-repository.js';
import { toolClient } from '../testing/tool-client.js';
import { tempFolder } from '../testing/temp-folder.js';
import { startTestStudio } from '../testing/test-studio.js';

const MAKE = 'all:\n\t@true\ntest:\n\t@touch made; ! grep -q bad a\n';
const FILES = { Makefile: MAKE, a: 'good\n', b: '1\n' };

describe('what has landed', () => {
  it('is taken back when it breaks its target, and nothing else is', async () => {
    const { studio, folder, branch, approved } = await studioWith(FILES);
    await post(studio, '/options', { postMergeExecutionMode: 'Blocking' });
    await branch('bad', { a: 'bad\n' });
    await branch('good', { b: '2\n' });
    const good = await approved('good');
    expect(await post(studio, `/merges/${good}/apply`)).toMatchObject({ status: 'Merged' });
    const bad = await approved('bad');
    await expectRefusal(studio, ['POST', `/merges/${bad}/apply`], 409, 'merge_taken_back');
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('good\n');
    expect(await readFile(join(folder, 'b'), 'utf8')).toBe('2\n');
    expect(await read(studio, `/merges/${bad}`)).toMatchObject({ status: 'Rejected' });
    expect(await git(folder, 'log', '-1', '--format=%s')).toBe(`Take back ${bad}`);
    expect(await git(folder, 'status', '--porcelain')).toBe('');
    expect(await read(studio, '/workspace/exec/latest?branchId=main')).toMatchObject({ allSucceeded: false });
  });

  it('is taken back when a program outside has landed it', async () => {
    const { studio, folder, branch, approved } = await studioWith(FILES);
    await post(studio, '/options', { postMergeExecutionMode: 'Blocking' });
    await branch('bad', { a: 'bad\n' });
    const outside = await toolClient(studio);
    const proposalId = await approved('bad');
    expect(await outside.refused('svcs_v1_results_apply', { proposalId })).toBe('reject.merge_taken_back');
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('good\n');
  });

  it('stays when that is only to be known, or when nothing says how to find out', async () => {
    const { studio, folder, branch, approved } = await studioWith(FILES);
    await post(studio, '/options', { postMergeExecutionMode: 'Async' });
    await branch('bad', { a: 'bad\n' });
    const bad = await approved('bad');
    await post(studio, `/merges/${bad}/apply`);
    const latest = async () => (await studio.call('GET', '/studio/workspace/exec/latest?branchId=main')).status;
    while ((await latest()) !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('bad\n');
    await post(studio, '/options', { postMergeExecutionMode: 'Blocking' });
    await branch('none', { Makefile: null });
    expect(await post(studio, `/merges/${await approved('none')}/apply`)).toMatchObject({ status: 'Merged' });
  });

  it('reaches the user from the candidate branch only when it builds and passes its tests, if that is wanted', async () => {
    const { studio, folder, branch, approved, repositoryId } = await studioWith(FILES);
    await branch('bad', { a: 'bad\n' });
    await post(studio, `/merges/${await approved('bad', 'candidate')}/apply`);
    await post(studio, '/options', { requireTestBeforeProposal: true });
    const promote = '/branches/candidate/promote';
    await expectRefusal(studio, ['POST', promote, { repositoryId }], 409, 'gate_failed');
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('good\n');
    await post(studio, '/options', { requireTestBeforeProposal: false, requireBuildBeforeProposal: true });
    await post(studio, promote, { repositoryId });
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('bad\n');
  });
});

describe('programs of main', () => {
  it('leave nothing behind there', async () => {
    const { studio, branch, approved } = await studioWith(FILES);
    expect(await post(studio, '/workspace/test?branchId=main')).toMatchObject({ allSucceeded: true });
    expect(await post(studio, '/workspace/run?branchId=main', { runCommand: 'touch made-too' })).toMatchObject({
      exitCode: 0,
    });
    await branch('good', { b: '2\n' });
    expect(await post(studio, `/merges/${await approved('good')}/apply`)).toMatchObject({ status: 'Merged' });
    expect(await read(studio, '/branches/main/status')).toMatchObject({ pendingChangeCount: 0 });
  });
});

describe('a studio with a sandbox', () => {
  it('lets programs see neither its tokens nor the work of others', async () => {
    const data = await tempFolder();
    await writeFile(join(data, 'studio.tokens.json'), 'secret');
    const studio = await startTestStudio(undefined, { folder: data, sandbox: { network: false } });
    const user = join(await tempFolder(), 'user');
    const { branch } = await withRepository(studio, user, await gitRepository(user, { a: 'mine\n' }));
    for (const name of ['one', 'two']) {
      await branch(name, {});
      await post(studio, `/branches/${name}/checkout`);
    }
    const buildCommand = `cat a && touch made && ls ${data}/studio/workspaces && ! cat ${data}/studio.tokens.json`;
    const at = '/workspace/build?branchId=one';
    const { builds } = await post<{ builds: { stdOut: string; exitCode: number }[] }>(studio, at, { buildCommand });
    expect(builds[0]).toMatchObject({
      exitCode: 0,
      stdOut: expect.stringMatching(/^mine\none-[0-9a-f]+\n$/) as string,
    });
    expect(await read(studio, '/branches/one/status')).toMatchObject({ pendingChangeCount: 1 });
  });
});
