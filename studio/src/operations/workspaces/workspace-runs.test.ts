import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { execution } from '../../record/aggregates/execution/execution.js';
import { expectRefusal, makeUnit, post, read, tool, toolData } from '../../testing/doors/calls.js';
import { openRecord } from '../../testing/record/open-record.js';
import { npmProject } from '../../testing/git/npm-project.js';
import { studioWith } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startOf } from '../../workspace/programs/process-identity.js';

interface Result {
  readonly resultId: string;
  readonly nodeId: string;
  readonly allSucceeded: boolean;
  readonly builds: readonly { readonly pid?: number; readonly running: boolean; readonly stdOut: string }[];
}

const SCRIPTS = { build: 'echo built', test: 'echo 1 passed; exit 1', lint: 'printf "a.c:%s: bad" 1:2; exit 1' };
const PROJECT = npmProject(SCRIPTS, { workspaces: ['sub'] });
const BUILT: unknown = expect.stringMatching(/\nbuilt\n$/);

/** Input of one of both: each takes its own command. */
function pick({ rootPath, buildCommand, runCommand }: Record<string, string>, how: string): object {
  return how === 'build' ? { rootPath, buildCommand } : { rootPath, runCommand };
}

describe('what is on a branch', () => {
  it('is built, tested and checked, and what came of it is kept', async () => {
    const { studio, branch } = await studioWith({ 'package.json': PROJECT, 'sub/package.json': PROJECT });
    await branch('fix', {});
    const at = '?branchId=fix';
    await expectRefusal(studio, ['GET', `/workspace/exec/latest${at}`], 404, 'execution_not_found');
    expect(await read(studio, `/workspace/profile${at}`)).toMatchObject({ branchId: 'fix', roots: [] });
    expect(await post(studio, `/workspace/profile/rescan${at}`)).toMatchObject({
      roots: [
        {
          relativePath: '.',
          stack: 'npm',
          buildCommand: 'npm run build',
          testCommand: 'npm run test',
          isLongRunning: false,
        },
      ],
    });
    const built = await post<Result>(studio, `/workspace/build${at}`);
    expect(built).toMatchObject({
      branchId: 'fix',
      allSucceeded: true,
      tests: [],
      lintResults: [],
      resultId: expect.stringMatching(/^exec\/fix\/\d{14}$/) as string,
      builds: [
        { success: true, exitCode: 0, stdOut: BUILT, buildSystem: 'npm', command: 'npm run build', projectRoot: '.' },
      ],
    });
    const all = await post<Result>(studio, `/workspace/exec${at}`, { build: true, test: true, lint: true });
    expect(all).toMatchObject({
      allSucceeded: false,
      builds: [{ success: true }],
      tests: [{ success: false, exitCode: 1 }],
      lintResults: [{ severity: 'error', file: 'a.c', line: 1, message: 'bad' }],
    });
    expect(await read(studio, `/workspace/exec/latest${at}`)).toEqual(all);
    const output = `/workspace/exec/output${at}&resultId=${encodeURIComponent(built.resultId)}`;
    expect(await read(studio, output)).toMatchObject({ entries: [{ kind: 'Build', stdOut: BUILT }] });
    await expectRefusal(studio, ['GET', `${output}x`], 404, 'execution_not_found');
    expect(await toolData(studio, 'svc_v1_workspace_exec_status', { branchId: 'fix' })).toEqual(all);
  });

  it('is built by the command that is named, where it is named, with what is given', async () => {
    const { studio, branch } = await studioWith({ 'sub/a': '' });
    await branch('fix', {});
    const at = '?branchId=fix';
    await expectRefusal(studio, ['POST', `/workspace/build${at}`, {}], 422, 'nothing_to_run');
    const body = { buildCommand: 'pwd; echo $GIVEN', rootPath: 'sub', environmentVariables: { GIVEN: 'secret' } };
    const { builds } = await post<Result>(studio, `/workspace/exec${at}`, body);
    expect(builds[0]?.stdOut).toMatch(/\/sub\nsecret\n$/);
    const { text } = await studio.call('GET', '/studio/replay/timeline', { as: 'read' });
    expect(text).toContain('ExecutionStarted');
    expect(text).not.toContain('environment');
    await post(studio, '/options', { buildCommand: 'echo from options' });
    expect(await post(studio, `/workspace/build${at}`)).toMatchObject({ builds: [{ stdOut: 'from options\n' }] });
    await expectRefusal(
      studio,
      ['POST', `/workspace/build${at}`, { rootPath: '../x' }],
      400,
      'path_outside_repository',
    );
    expect(await post(studio, `/workspace/build${at}`, { buildCommand: 'sleep 30', timeoutSeconds: 1 })).toMatchObject({
      allSucceeded: false,
      builds: [{ exitCode: 124 }],
    });
  });

  it('is tested and checked as it is said, and only so far', async () => {
    const alone = npmProject(SCRIPTS);
    const { studio, branch } = await studioWith({ 'main/package.json': alone, 'sub/package.json': alone });
    await branch('fix', {});
    const at = '?branchId=fix';
    const all = { testCommand: 'echo own test', lintCommand: 'echo "a.c:1:2: error: own lint"; exit 1' };
    expect(await post(studio, `/workspace/exec${at}`, all)).toMatchObject({
      builds: [],
      tests: [{ command: 'echo own test' }],
      lintResults: [{ message: 'own lint' }],
    });
    await expectRefusal(studio, ['POST', `/workspace/exec${at}`, { allowAutoDetect: false }], 422, 'nothing_to_run');
    const here = await post<{ tests: { projectRoot: string }[] }>(studio, `/workspace/test${at}`, { rootPath: 'sub' });
    expect(here.tests.map(({ projectRoot }) => projectRoot)).toEqual(['sub']);
    const slow = { testCommand: 'sleep 30', timeoutSeconds: 1 };
    for (const path of ['exec', 'test'])
      expect(await post(studio, `/workspace/${path}${at}`, slow)).toMatchObject({
        tests: [{ success: false, exitCode: 124 }],
      });
    const { workUnitId } = await makeUnit(studio);
    const verified = { workUnitId, build: false, ...slow };
    expect(await post(studio, '/projections/materialize', verified)).toMatchObject({
      execution: { tests: [{ exitCode: 124 }] },
    });
  });

  it('runs in several folders, each of which is read and stopped by its name', async () => {
    const { studio, branch } = await studioWith({ 'one/a': '', 'two/a': '' });
    await branch('fix', {});
    const at = '?branchId=fix';
    for (const rootPath of ['one', 'two']) {
      const runCommand = `echo ${rootPath}; exec sleep 1000`;
      await post(studio, `/workspace/run${at}`, { rootPath, runCommand, timeoutSeconds: 1 });
    }
    const output = (rootPath: string) =>
      read<{ output: string }>(studio, `/workspace/run/output${at}&rootPath=${rootPath}`);
    expect([await output('one'), await output('two')]).toMatchObject([{ output: 'one\n' }, { output: 'two\n' }]);
    expect(await post(studio, `/workspace/run/stop${at}`, { rootPath: 'one' })).toEqual({ stopped: true });
    await expectRefusal(studio, ['GET', `/workspace/run/output${at}&rootPath=one`], 404, 'not_running');
    expect(await output('two')).toMatchObject({ output: 'two\n' });
    expect(await post(studio, `/workspace/run/stop${at}`, { rootPath: 'one' })).toEqual({ stopped: false });
    expect(await post(studio, `/workspace/run/stop${at}`)).toEqual({ stopped: true });
  });

  it('is built in its own folder, where no link leads out of it, and a missing folder is refused', async () => {
    const { studio, branch } = await studioWith({ 'sub/a': '' });
    const outside = await tempFolder();
    await branch('fix', {});
    const at = '?branchId=fix';
    const { workingDirectory } = await post<{ workingDirectory: string }>(studio, '/branches/fix/checkout');
    await symlink(outside, join(workingDirectory, 'out'));
    await symlink('sub', join(workingDirectory, 'in'));
    await mkdir(join(workingDirectory, 'sub', 'deep'));
    await symlink(outside, join(workingDirectory, 'sub', 'deep', 'out'));
    const body = (rootPath: string) => ({ rootPath, buildCommand: 'touch was-here', runCommand: 'touch was-here' });
    for (const rootPath of ['out', 'in', 'sub/deep/out', 'in/deep'])
      for (const how of ['build', 'run'])
        await expectRefusal(
          studio,
          ['POST', `/workspace/${how}${at}`, pick(body(rootPath), how)],
          400,
          'path_outside_repository',
        );
    for (const rootPath of ['none', 'sub/a', 'sub/a/b'])
      for (const how of ['build', 'run'])
        await expectRefusal(
          studio,
          ['POST', `/workspace/${how}${at}`, pick(body(rootPath), how)],
          422,
          'program_not_started',
        );
    expect(await readdir(outside)).toEqual([]);
    expect(await readdir(join(workingDirectory, 'sub'))).toEqual(['a', 'deep']);
  });

  it('speaks for the work unit, and for what is offered of that very commit', async () => {
    const { studio } = await studioWith({ 'package.json': PROJECT });
    const { workUnitId, branchId } = await makeUnit(studio);
    const build = () => post<Result>(studio, `/workspace/exec?workUnitId=${workUnitId}`, { build: true, lint: true });
    await post(studio, `/branches/${encodeURIComponent(branchId)}/resync-files`, {
      files: [{ path: 'first', content: '1\n' }],
    });
    await build();
    interface Shown {
      readonly kind: string;
      readonly success: boolean;
      readonly proposalId?: string;
      readonly commit?: string;
    }
    const evidence = async () =>
      (await read<{ evidence: Shown[] }>(studio, `/evidence?workUnitId=${workUnitId}`)).evidence;
    expect(await evidence()).toMatchObject([
      { kind: 'Build', success: true },
      { kind: 'Lint', success: false },
    ]);
    const offer = { sourceBranch: branchId, targetBranch: 'main', summary: 's', workUnitId };
    const { proposalId } = await post<{ proposalId: string }>(studio, '/merges', offer);
    expect((await evidence()).map((one) => one.proposalId)).toEqual([proposalId, proposalId]);
    await build();
    expect((await evidence()).map((one) => one.proposalId)).toEqual(Array(4).fill(proposalId));
    await tool(studio, 'svc_v1_workspace_write', { workUnitId, path: 'new', content: 'x' });
    await build();
    expect((await evidence()).filter((one) => one.proposalId === undefined)).toHaveLength(2);
    // Nor does a person make it count for what was offered before.
    const attached = () => post<Attached>(studio, `/evidence/attach?workUnitId=${workUnitId}`);
    interface Attached {
      readonly evidence: Shown[];
      readonly message?: string;
    }
    const { headCommit } = await read<{ headCommit: string }>(studio, `/merges/${proposalId}`);
    const late = await attached();
    expect(late.message).toContain(`${proposalId} offers ${headCommit}, for which it does not count`);
    expect(late.evidence.map((one) => [one.proposalId, one.commit === headCommit])).toEqual(
      Array(2).fill([undefined, false]),
    );
    const newer = await post<{ proposalId: string; headCommit: string }>(studio, '/merges', offer);
    const counted = await attached();
    expect(counted).not.toHaveProperty('message');
    expect(counted.evidence.map((one) => [one.proposalId, one.commit])).toEqual(
      Array(2).fill([newer.proposalId, newer.headCommit]),
    );
    expect((await evidence()).slice(0, 4).map((one) => one.commit)).toEqual(Array(4).fill(headCommit));
  });

  it('can be followed while it is built', async () => {
    const { studio, branch } = await studioWith({ a: '' });
    await branch('fix', {});
    const command = 'echo now; until [ -e go ]; do sleep 0.05; done';
    const building = post(studio, '/workspace/build?branchId=fix', { buildCommand: command });
    const { workingDirectory } = await post<{ workingDirectory: string }>(studio, '/branches/fix/checkout');
    let heard: unknown[] = [];
    while (!JSON.stringify(heard).includes('now')) {
      const answer = await studio.call('GET', '/studio/replay/timeline', { as: 'read' });
      heard = (answer.json as { kind: string }[]).filter(({ kind }) => kind === 'ExecutionOutputWritten');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await writeFile(join(workingDirectory, 'go'), '');
    expect(await building).toMatchObject({ allSucceeded: true });
  });
});

describe('a program', () => {
  it('goes on until it is stopped, and can be looked at meanwhile', async () => {
    const { studio, branch } = await studioWith({ a: '' });
    await branch('fix', {});
    const at = '?branchId=fix';
    await expectRefusal(studio, ['GET', `/workspace/run/output${at}`], 404, 'not_running');
    await expectRefusal(studio, ['POST', `/workspace/run${at}`, {}], 422, 'nothing_to_run');
    expect(await post(studio, `/workspace/run${at}`, { runCommand: 'echo over; exit 3' })).toMatchObject({
      running: false,
      success: false,
      exitCode: 3,
      stdOut: 'over\n',
      projectRoot: '.',
    });
    const run = { runCommand: 'echo up; exec sleep 1000', timeoutSeconds: 1 };
    const started = await post<{ pid: number }>(studio, `/workspace/run${at}`, run);
    expect(started).toMatchObject({ running: true, success: true, stdOut: 'up\n' });
    expect(await read(studio, `/workspace/run/output${at}`)).toEqual({
      branchId: 'fix',
      rootPath: '.',
      output: 'up\n',
    });
    // Never a process that is not one of these.
    expect(await post(studio, `/workspace/run/stop${at}`, { pid: process.pid })).toEqual({ stopped: false });
    expect(await post(studio, `/workspace/run/stop${at}`, { pid: started.pid })).toEqual({ stopped: true });
    expect(await startOf(started.pid)).toBeUndefined();
    expect(await post(studio, `/workspace/run/stop${at}`)).toEqual({ stopped: false });
  });

  it('ends when the work on its branch is over', async () => {
    const { studio } = await studioWith({ a: '' });
    const { workUnitId } = await makeUnit(studio);
    const at = `/workspace/run?workUnitId=${workUnitId}`;
    const { pid } = await post<{ pid: number }>(studio, at, { runCommand: 'exec sleep 1000', timeoutSeconds: 1 });
    expect(await startOf(pid)).toBeDefined();
    await post(studio, `/workunits/${workUnitId}/cancel`);
    while ((await startOf(pid)) !== undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('that builds or tests ends when the work on its branch is over, with all that it has started', async () => {
    const { studio } = await studioWith({ a: '' });
    const { workUnitId } = await makeUnit(studio);
    const outside = await tempFolder();
    const buildCommand = `sleep 1000 & echo $! $$ > ${outside}/pids; wait`;
    const body = { buildCommand, testCommand: `touch ${outside}/tested` };
    const building = studio.call('POST', `/studio/workspace/exec?workUnitId=${workUnitId}`, { body });
    const pids = async () => {
      const text = await readFile(join(outside, 'pids'), 'utf8').catch(() => '');
      return text.endsWith('\n') ? text.trim().split(' ').map(Number) : [];
    };
    while ((await pids()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await post(studio, `/workunits/${workUnitId}/cancel`);
    expect(await building).toMatchObject({ status: 409, json: { code: 'reject.execution_stopped' } });
    for (const pid of await pids())
      while ((await startOf(pid)) !== undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await readdir(outside)).toEqual(['pids']);
    await expectRefusal(studio, ['GET', `/workspace/exec/latest?workUnitId=${workUnitId}`], 404, 'execution_not_found');
    // The branch is free for others.
    expect(await post(studio, `/workspace/build?workUnitId=${workUnitId}`, { buildCommand: 'true' })).toMatchObject({
      allSucceeded: true,
    });
  });

  it('ends with the host', async () => {
    const { studio, branch } = await studioWith({ 'package.json': '{"scripts":{"start":"sleep 1000"}}' });
    await branch('fix', {});
    const started = await post<{ pid: number }>(studio, '/workspace/run?branchId=fix');
    expect(started).toMatchObject({ running: true, command: 'npm run start' });
    await studio.close();
    expect(await startOf(started.pid)).toBeUndefined();
  });
});

it('an execution that the host ended under is interrupted at the next start', async () => {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  const first = await openRecord(host);
  const given = { branchId: 'b', repositoryId: 'r', commit: 'c' };
  await first.change((change) => {
    for (const [resultId, hostId] of [
      ['exec/b/1', change.hostId],
      ['exec/b/2', 'another'],
    ] as const)
      change.run(execution, resultId, 'start', { ...given, resultId, hostId });
  });
  first.close();
  const { records } = await openRecord(host);
  expect(records.executions.get('exec/b/1')).toMatchObject({ status: 'interrupted' });
  expect(records.executions.get('exec/b/2')).toMatchObject({ status: 'running', hostId: 'another' });
});
