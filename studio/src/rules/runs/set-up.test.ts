/** Set-ups of folders, through a whole studio: scripts that are run for real, and what agents are told of them. */
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Unit, makeUnit, post, queue, read } from '../../testing/doors/calls.js';
import { git, gitRepository } from '../../testing/git/git-repository.js';
import { scriptedModels } from '../../testing/models/scripted-models.js';
import { openRecord } from '../../testing/record/open-record.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';
import { nodePrograms } from '../../workspace/programs/node-programs.js';
import type { SetUp } from '../../workspace/set-ups/set-ups.js';
import { type SetUpContext, setUpFolder } from './set-up.js';

const FILES = { 'lock.json': '{"v":1}\n', 'a.txt': '1\n', '.gitignore': 'deps/\nlog\n' };
/** Leaves what no other run leaves. */
const SCRIPT = 'mkdir deps && od -An -N16 -tx1 /dev/urandom > deps/id && ln -s id deps/link';
const SOON = { timeout: 60_000, interval: 30 };

async function begin(script: string, more: Partial<SetUp> = {}, options: Parameters<typeof startTestStudio> = []) {
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, FILES);
  const told: string[] = [];
  const models = scriptedModels(({ said }) => {
    told.push(said);
    return { calls: [['clarification_request', { question: 'Which?' }]] };
  });
  const setUp = { repository: user, script, lockfiles: ['lock.json'], seconds: 60, isOnline: false, ...more };
  const [host, given] = options;
  const start = (): Promise<TestStudio> => startTestStudio(host, { agents: { models }, setUps: [setUp], ...given });
  const studio = await start();
  await post(studio, '/repositories', { path: user });
  return { studio, user, told, start };
}

async function waiting(studio: TestStudio, ...units: readonly Unit[]): Promise<Unit[]> {
  return vi.waitFor(async () => {
    const all = await Promise.all(units.map(({ workUnitId }) => read<Unit>(studio, `/workunits/${workUnitId}`)));
    expect(all.map(({ status }) => status)).toEqual(units.map(() => 'Waiting'));
    return all;
  }, SOON);
}

/** What stands in one file of each folder, sorted. */
async function inFolders(branches: string, path: string): Promise<string[]> {
  const folders = (await readdir(join(branches, 'workspaces'))).sort();
  const texts = folders.map((name) =>
    readFile(join(branches, 'workspaces', name, path), 'utf8').catch((error: NodeJS.ErrnoException) => error.code!),
  );
  return (await Promise.all(texts)).sort();
}

it('two units at once run it once, each has a copy of its own, and both agents are told', async () => {
  const { studio, told } = await begin(SCRIPT);
  const units = [await makeUnit(studio), await makeUnit(studio)];
  await Promise.all(units.map((unit) => queue(studio, unit)));
  await waiting(studio, ...units);
  const [one, other, ...none] = await inFolders(studio.branches, 'deps/id');
  expect([one, none]).toEqual([other, []]);
  expect(one).toMatch(/^( [0-9a-f]{2}){16}\n$/);
  expect(told).toHaveLength(2);
  for (const said of told) expect(said).toMatch(/set up before you began:\nmkdir deps .*\nIt left deps, which git/);
  // Agents write in place: what one does is seen by no other, and not by a third.
  const [folder = ''] = await readdir(join(studio.branches, 'workspaces'));
  await writeFile(join(studio.branches, 'workspaces', folder, 'deps/id'), 'mine');
  const third = await makeUnit(studio);
  await queue(studio, third);
  await waiting(studio, third);
  expect(await inFolders(studio.branches, 'deps/id')).toEqual([one, one, 'mine'].sort());
  expect(await inFolders(studio.branches, 'deps/link')).toEqual([one, one, 'mine'].sort());
});

it('other lockfiles run it again, and it is not run again for who goes on in a folder', async () => {
  const { studio, user } = await begin(SCRIPT);
  const first = await makeUnit(studio);
  await queue(studio, first);
  await waiting(studio, first);
  await writeFile(join(user, 'lock.json'), '{"v":2}\n');
  await git(user, 'commit', '--quiet', '--all', '--message=other');
  const second = await makeUnit(studio);
  await queue(studio, second);
  await waiting(studio, second);
  const [one, other] = await inFolders(studio.branches, 'deps/id');
  expect(one).not.toBe(other);
  await rm(join(studio.branches, 'set-ups/results'), { recursive: true });
  await post(studio, `/clarifications/${first.workUnitId}/respond`, { response: 'This.', resume: true });
  await vi.waitFor(async () => {
    const unit = await read<Unit>(studio, `/workunits/${first.workUnitId}`);
    expect(unit.status).not.toBe('Waiting');
  }, SOON);
  await waiting(studio, first);
  expect(await inFolders(studio.branches, 'deps/id')).toEqual([one, other]);
});

it('a failure is told to the agent and to people, with the end of what it wrote', async () => {
  const { studio, told } = await begin('mkdir deps; echo no such registry >&2; exit 3');
  const { goalId } = await post<{ goalId: string }>(studio, '/goals/run', { goal: 'Do it', shape: 'single' });
  await vi.waitFor(() => expect(told).toHaveLength(1), SOON);
  expect(told[0]).toMatch(/could not be set up[^]*It ended with 3\. The end of what it wrote:\nno such registry/);
  const status = await read<{ setUpFailures: object[] }>(studio, `/goals/${goalId}/status`);
  expect(status.setUpFailures).toMatchObject([{ text: expect.stringContaining('no such registry') }]);
  // Nothing of it is kept.
  expect(await readdir(join(studio.branches, 'set-ups/results'))).toEqual([]);
});

it('one that lasts too long is stopped, and so is told', async () => {
  const { studio, told } = await begin('echo begun; sleep 600', { seconds: 0.2 });
  await queue(studio, await makeUnit(studio));
  await vi.waitFor(() => expect(told).toHaveLength(1), SOON);
  expect(told[0]).toMatch(/It was stopped after 0\.2 s\. The end of what it wrote:\nbegun/);
});

it('files that are not ignored are as they were before, and it is said', async () => {
  const { studio, told } = await begin(`${SCRIPT}; echo 2 > a.txt; echo new > b.txt`);
  await queue(studio, await makeUnit(studio));
  await vi.waitFor(() => expect(told).toHaveLength(1), SOON);
  expect(told[0]).toContain('taken back: a.txt, b.txt');
  expect(await inFolders(studio.branches, 'a.txt')).toEqual(['1\n']);
  expect(await inFolders(studio.branches, 'b.txt')).toEqual(['ENOENT']);
});

it('what agents have written decides nothing in other folders', async () => {
  const { studio } = await begin(SCRIPT);
  const write = async (branchId: string): Promise<void> => {
    const files = [{ path: 'a.txt', content: 'of an agent\n' }];
    await post(studio, `/branches/${encodeURIComponent(branchId)}/resync-files`, { files });
  };
  const units = [await makeUnit(studio), await makeUnit(studio)];
  for (const unit of units) {
    await write(unit.branchId);
    await queue(studio, unit);
  }
  await waiting(studio, ...units);
  const [one, other] = await inFolders(studio.branches, 'deps/id');
  expect(one).not.toBe(other);
  expect(await readdir(join(studio.branches, 'set-ups/results'))).toEqual([]);
});

it('fault: the host ends in the middle, and it is done again from the beginning', async () => {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  const [folder, gate] = [await tempFolder(), join(await tempFolder(), 'gate')];
  // Without the gate it hangs in the middle; what it left then would make `mkdir` fail.
  const script = `mkdir deps && echo half > deps/half && { [ -e ${gate} ] || sleep 600; } && echo whole > deps/id`;
  const { studio, told, start } = await begin(script, {}, [host, { folder }]);
  const branches = join(folder, 'studio');
  const unit = await makeUnit(studio);
  await queue(studio, unit);
  await vi.waitFor(async () => expect(await inFolders(branches, 'deps/half')).toEqual(['half\n']), SOON);
  await studio.close();
  expect(told).toEqual([]);
  await writeFile(gate, '');
  const again = await start();
  await waiting(again, unit);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('It left deps');
  expect(await inFolders(branches, 'deps/id')).toEqual(['whole\n']);
});

it('is of one repository alone', async () => {
  const { studio, told } = await begin(SCRIPT, { repository: '/elsewhere' });
  await queue(studio, await makeUnit(studio));
  await vi.waitFor(() => expect(told).toHaveLength(1), SOON);
  expect(told[0]).not.toContain('set up before');
});

it('a script is stopped whose work is given up while it is begun, and nothing is told', async () => {
  const base = await tempFolder();
  await gitRepository(join(base, 'user'), FILES);
  const setUp = { repository: join(base, 'user'), lockfiles: [], seconds: 6000, isOnline: false };
  const setUps = [{ ...setUp, script: 'mkdir deps; sleep 6000' }];
  const real = await nodePrograms(join(base, 'programs'), { setUps });
  onTestFinished(() => real.close());
  const work = new AbortController();
  const run: typeof real.runner.run = async (program) => {
    const running = await real.runner.run(program);
    work.abort();
    return running;
  };
  const programs = { ...real, runner: { run } };
  const { call, change, shared, records } = await openRecord(undefined, {
    folder: join(base, 'studio'),
    parts: { programs },
  });
  await call('repository.register', { path: join(base, 'user') });
  await call('workunit.create', { goal: 'g' });
  const [{ workUnitId, branchId } = { workUnitId: '', branchId: '' }] = records.workUnits.all();
  const [{ repositoryId } = { repositoryId: '' }] = records.repositories.all();
  const told: string[] = [];
  const tell = (key: string): Promise<void> => Promise.resolve(void told.push(key));
  await setUpFolder({ ...shared, change, log: () => undefined } as SetUpContext, workUnitId, tell, work.signal);
  expect(told).toEqual([]);
  const { folder = '' } = (await shared.disk.spaces.find({ repositoryId, branchId })) ?? {};
  expect(await real.setUps.markOf(folder)).toMatchObject({ isDone: false });
});
