import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectRefusal, makeUnit, post, read, statusOf } from '../../testing/doors/calls.js';
import { git, gitRepository } from '../../testing/git/git-repository.js';
import { npmProject } from '../../testing/git/npm-project.js';
import { studioWith, withRepository } from '../../testing/git/studio-repository.js';
import { toolClient } from '../../testing/doors/tool-client.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

/** How it is built and tested: by the options, since starting npm takes longer than all the rest. */
const COMMANDS = { buildCommand: 'true', testCommand: 'touch made; ! grep -q bad a' };
const BLOCKING = { postMergeExecutionMode: 'Blocking' };
const FILES = { a: 'good\n', b: '1\n' };
/** Project whose files say these commands. */
const PROJECT = { ...FILES, 'package.json': npmProject({ build: COMMANDS.buildCommand, test: COMMANDS.testCommand }) };

async function triedStudio(options: object = {}) {
  const begun = await studioWith(FILES);
  await post(begun.studio, '/options', { ...COMMANDS, ...options });
  return begun;
}

describe('what has landed', () => {
  it('is taken back when it breaks its target, and nothing else is', async () => {
    const { studio, folder, branch, approved } = await triedStudio(BLOCKING);
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
    const { studio, folder, branch, approved } = await triedStudio(BLOCKING);
    await branch('bad', { a: 'bad\n' });
    const outside = await toolClient(studio);
    const proposalId = await approved('bad');
    expect(await outside.refused('svcs_v1_results_apply', { proposalId })).toBe('reject.merge_taken_back');
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('good\n');
  });

  it('stays when that is only to be known, or when nothing says how to find out', async () => {
    const { studio, folder, branch, approved } = await studioWith(PROJECT);
    await post(studio, '/options', { postMergeExecutionMode: 'Async' });
    await branch('bad', { a: 'bad\n' });
    const bad = await approved('bad');
    await post(studio, `/merges/${bad}/apply`);
    const latest = async () => (await studio.call('GET', '/studio/workspace/exec/latest?branchId=main')).status;
    while ((await latest()) !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('bad\n');
    await post(studio, '/options', BLOCKING);
    await branch('none', { 'package.json': null });
    expect(await post(studio, `/merges/${await approved('none')}/apply`)).toMatchObject({ status: 'Merged' });
  });

  it('reaches the user from the candidate branch only when it builds and passes its tests, if that is wanted', async () => {
    const { studio, folder, branch, approved, repositoryId } = await triedStudio();
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

describe('what was taken back', () => {
  it('was never answered as merged, also not to who asks again by the same name', async () => {
    const { studio, branch, approved } = await triedStudio(BLOCKING);
    await branch('bad', { a: 'bad\n' });
    const bad = await approved('bad');
    const ask = async () => {
      const headers = { 'idempotency-key': 'once' };
      return (await studio.call('POST', `/studio/merges/${bad}/apply`, { body: {}, headers })).json;
    };
    expect(await ask()).toMatchObject({ code: 'reject.merge_taken_back' });
    expect(await ask()).toMatchObject({ code: 'reject.wrong_state', details: { status: 'Rejected' } });
    await branch('good', { b: '2\n' });
    const good = `/studio/merges/${await approved('good')}/apply`;
    const headers = { 'idempotency-key': 'twice' };
    const first = await studio.call('POST', good, { body: {}, headers });
    expect(first.json).toMatchObject({ status: 'Merged' });
    expect((await studio.call('POST', good, { body: {}, headers })).json).toEqual(first.json);
  });

  it('goes back to whoever has made it, who is told why, and lands whole when it is repaired', async () => {
    const { studio } = await triedStudio(BLOCKING);
    const root = await makeUnit(studio);
    const part = await makeUnit(studio, { parentWorkUnitId: root.workUnitId });
    const offer = async (files: Readonly<Record<string, string>>): Promise<string> => {
      const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
      await post(studio, `/branches/${part.branchId}/resync-files`, { files: entries });
      const offered = { sourceBranch: part.branchId, targetBranch: 'main', workUnitId: part.workUnitId, summary: 's' };
      const { proposalId } = await post<{ proposalId: string }>(studio, '/merges', offered);
      await post(studio, `/merges/${proposalId}/review`, { decision: 'Approved' });
      return proposalId;
    };
    const bad = await offer({ a: 'bad\n', b: '2\n', c: '3\n' });
    await expectRefusal(studio, ['POST', `/merges/${bad}/apply`], 409, 'merge_taken_back');
    expect(await statusOf(studio, part)).toBe('Queued');
    const told = await read<{ type: string; title: string }[]>(studio, `/workunits/${part.workUnitId}/artifacts`);
    expect(told.at(-1)).toMatchObject({ type: 'RevisionContext', title: `${bad} was taken back` });
    const repaired = await offer({ a: 'better\n' });
    expect(await read(studio, `/merges/${repaired}`)).toMatchObject({ filesTouched: ['a', 'b', 'c'] });
    await post(studio, `/merges/${repaired}/apply`);
    expect(await statusOf(studio, part)).toBe('Merged');
    const files = await Promise.all(
      ['a', 'b', 'c'].map((path) => read(studio, `/workspace/read?branchId=merge/${root.workUnitId}&path=${path}`)),
    );
    expect(files).toMatchObject([{ content: 'better\n' }, { content: '2\n' }, { content: '3\n' }]);
    // What is offered after that counts from there.
    const more = await offer({ d: '4\n' });
    expect(await read(studio, `/merges/${more}`)).toMatchObject({ filesTouched: ['d'] });
  });

  it('fault 22: is taken back by the next host when the first one ended before that was known', async () => {
    const host = createHost({ store: memoryStore() });
    onTestFinished(() => host.close());
    const [data, outside] = [await tempFolder(), await tempFolder()];
    const user = join(outside, 'user');
    const wait = `until [ -e ${outside}/go ]; do sleep 0.02; done; ! grep -q bad a`;
    const commit = await gitRepository(user, FILES);
    const first = await startTestStudio(host, { folder: data });
    const { branch, approved } = await withRepository(first, user, commit);
    await post(first, '/options', { ...BLOCKING, testCommand: wait });
    await branch('bad', { a: 'bad\n' });
    const bad = await approved('bad');
    const asked = first.call('POST', `/studio/merges/${bad}/apply`, { body: {} });
    const statusOf = async (studio: TestStudio) => (await read<{ status: string }>(studio, `/merges/${bad}`)).status;
    const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
    while ((await statusOf(first)) !== 'Merged') await pause();
    const review = ['POST', `/merges/${bad}/review`, { decision: 'Rejected', notes: 'it is bad' }] as const;
    await expectRefusal(first, review, 409, 'wrong_state');
    expect(await readFile(join(user, 'a'), 'utf8')).toBe('bad\n');
    await Promise.all([asked.catch(() => undefined), first.close()]);
    // What was stopped has shown nothing.
    expect(await readFile(join(user, 'a'), 'utf8')).toBe('bad\n');
    const second = await startTestStudio(host, { folder: data });
    expect(await statusOf(second)).toBe('Merged');
    await writeFile(join(outside, 'go'), '');
    while ((await statusOf(second)) !== 'Rejected') await pause();
    expect(await readFile(join(user, 'a'), 'utf8')).toBe('good\n');
    expect(await git(user, 'log', '--first-parent', '--format=%s')).toBe(`Take back ${bad}\ntake bad\nfirst`);
  });
});

describe('while it is found out whether what has landed may stay', () => {
  it('fault 20: nothing else lands there, and what comes after it builds on what is left', async () => {
    const outside = await tempFolder();
    const wait = `touch ${outside}/begun; until [ -e ${outside}/go ]; do sleep 0.02; done; ! grep -q bad a`;
    const { studio, folder, branch, approved } = await triedStudio({ ...BLOCKING, testCommand: wait });
    await branch('bad', { a: 'bad\n' });
    await branch('good', { b: '2\n' });
    const [bad, good] = [await approved('bad'), await approved('good')];
    const apply = (id: string) => studio.call('POST', `/studio/merges/${id}/apply`, { body: {} });
    const isBegun = () =>
      readFile(join(outside, 'begun')).then(
        () => true,
        () => false,
      );
    const first = apply(bad);
    while (!(await isBegun())) await new Promise((resolve) => setTimeout(resolve, 20));
    const second = apply(good);
    // Time enough to land, for what does not wait.
    for (let n = 0; n < 20; n++) expect(await read(studio, `/merges/${good}`)).toMatchObject({ status: 'Approved' });
    await writeFile(join(outside, 'go'), '');
    expect([(await first).status, (await second).status]).toEqual([409, 200]);
    const log = await git(folder, 'log', '--first-parent', '--format=%s');
    expect(log).toBe(`take good\nTake back ${bad}\ntake bad\nfirst`);
  });
});

describe('what is offered', () => {
  it('is refused when it does not build or pass its tests, if that is wanted, with what has shown it', async () => {
    const { studio } = await studioWith(PROJECT);
    await post(studio, '/options', { requireBuildBeforeProposal: true, requireTestBeforeProposal: true });
    const unit = await makeUnit(studio);
    const offer = async (a: string) => {
      await post(studio, `/branches/${unit.branchId}/resync-files`, { files: [{ path: 'a', content: a }] });
      const offered = { sourceBranch: unit.branchId, targetBranch: 'main', workUnitId: unit.workUnitId, summary: 's' };
      return post<{ proposalId: string }>(studio, '/merges', offered);
    };
    interface Shown {
      readonly evidence: readonly { readonly kind: string; readonly success: boolean; readonly proposalId?: string }[];
    }
    const shownOf = async (proposalId: string) => {
      const { evidence } = await read<Shown>(studio, `/evidence?workUnitId=${unit.workUnitId}`);
      return evidence.filter((one) => one.proposalId === proposalId).map(({ kind, success }) => [kind, success]);
    };
    const bad = await offer('bad\n');
    expect(bad).toMatchObject({
      status: 'Rejected',
      reviewNotes: expect.stringContaining('the test has failed with exit code 1: npm run test') as string,
    });
    expect(await shownOf(bad.proposalId)).toEqual([
      ['Build', true],
      ['Test', false],
    ]);
    const good = await offer('better\n');
    expect(good).toMatchObject({ status: 'Draft' });
    expect(await shownOf(good.proposalId)).toEqual([
      ['Build', true],
      ['Test', true],
    ]);
    // Nothing that was left behind gets into the branch.
    expect(good).toMatchObject({ filesTouched: ['a'] });
  });

  it('is not tried out again when that very commit was', async () => {
    const { studio, branch, propose } = await studioWith({ a: '1\n' });
    const outside = join(await tempFolder(), 'runs');
    await post(studio, '/options', { requireTestBeforeProposal: true, testCommand: `echo x >> ${outside}` });
    await branch('fix', { a: '2\n' });
    await post(studio, '/workspace/test?branchId=fix');
    await propose('fix');
    await propose('fix');
    expect(await readFile(outside, 'utf8')).toBe('x\n');
    await branch('other', { a: '3\n' });
    await propose('other');
    expect(await readFile(outside, 'utf8')).toBe('x\nx\n');
  });

  it('needs nothing shown where nothing says how', async () => {
    const { studio, branch, propose } = await studioWith({ a: '1\n' });
    await post(studio, '/options', { requireBuildBeforeProposal: true });
    await branch('fix', { a: '2\n' });
    expect(await read(studio, `/merges/${await propose('fix')}`)).toMatchObject({ status: 'Draft' });
  });
});

describe('programs of main', () => {
  it('leave nothing behind there', async () => {
    const { studio, branch, approved } = await triedStudio();
    expect(await post(studio, '/workspace/test?branchId=main')).toMatchObject({ allSucceeded: true });
    expect(await post(studio, '/workspace/run?branchId=main', { runCommand: 'touch made-too' })).toMatchObject({
      exitCode: 0,
    });
    await branch('good', { b: '2\n' });
    expect(await post(studio, `/merges/${await approved('good')}/apply`)).toMatchObject({ status: 'Merged' });
    expect(await read(studio, '/branches/main/status')).toMatchObject({ pendingChangeCount: 0 });
  });
});
