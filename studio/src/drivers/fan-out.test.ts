/** Parts of a plan: those that may change the same files run one after the other, and none goes beyond the whole. */
import { describe, expect, it } from 'vitest';
import { createAgentDoor } from '../doors/tools/agent.js';
import { SHOWN_INSTEAD, agentTable } from '../operations/agent-tools/table.js';
import { operationTable } from '../operations/table.js';
import { workUnit } from '../record/aggregates/work-unit/work-unit.js';
import { agent } from '../record/aggregates/agent/agent.js';
import { unitIn } from '../rules/goals/tree.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { openRecord } from '../testing/record/open-record.js';
import { tempFolder } from '../testing/temp-folder.js';
import { fanOut } from './fan-out.js';

type Scopes = Readonly<Record<string, readonly string[]>>;

async function divided(scopes: Scopes, whole: object = {}) {
  const record = await openRecord(undefined, { folder: await tempFolder() });
  const user = await tempFolder();
  await gitRepository(user, { 'src/a.js': '1\n', 'lib/c.js': '1\n' });
  await record.call('repository.register', { path: user });
  const divide = async (workUnitId: string, by: Scopes) => {
    const slices = Object.entries(by).map(([sliceId, fileScope]) => ({ sliceId, goal: `do ${sliceId}`, fileScope }));
    await record.call('artifact.recordPlan', { workUnitId, slices });
    return record.change((change) => fanOut(change, record.records, unitIn(change, workUnitId)));
  };
  const { workUnitId } = (await record.call('workunit.create', { goal: 'all', ...whole })) as { workUnitId: string };
  const parts = await divide(workUnitId, scopes);
  const sliceOf = new Map(parts.map((part) => [part.workUnitId, part.fanOutInfo.sliceId]));
  const after = Object.fromEntries(
    parts.map((one) => [one.fanOutInfo.sliceId, one.dependsOn.map((id) => sliceOf.get(id))]),
  );
  return { ...record, divide, parts, after };
}

describe('parts of a plan', () => {
  it('run at once where their scopes have no file in common; one without a scope has every file', async () => {
    const { after } = await divided({ a: ['src/a.js'], b: ['lib/**'], c: ['./src/'], all: [], d: ['docs/*.md'] });
    expect(after).toEqual({ a: [], b: [], c: ['a'], all: ['a', 'b', 'c'], d: ['all'] });
  });

  it('run at once where they change no files', async () => {
    const { after } = await divided({ a: [], b: [] }, { expectedOutputKind: 'KnowledgeArtifact' });
    expect(after).toEqual({ a: [], b: [] });
  });

  it('have the scope of the whole where the plan says none, and never more than it', async () => {
    const { parts, shared, change } = await divided({ a: [], b: ['src/*.js'] }, { fileScope: ['src/**', 'lib/**'] });
    expect(parts.map(({ fileScope }) => fileScope)).toEqual([['src/**', 'lib/**'], ['src/*.js']]);
    // A person draws the whole narrower, and one part wider than that.
    const whole = parts[0]!.parentWorkUnitId!;
    await change((open) => {
      open.run(workUnit, whole, 'scope', { fileScope: ['src/**'] });
      open.run(workUnit, parts[1]!.workUnitId, 'scope', { fileScope: ['lib/**'] });
    });
    const door = createAgentDoor(operationTable, shared, { table: agentTable, shownInstead: SHOWN_INSTEAD });
    const write = async (workUnitId: string, path: string) => {
      const about = { agentId: `of-${workUnitId}`, agentType: 'worker', workUnitId, profileId: 'worker' };
      await change((open) => open.run(agent, about.agentId, 'spawn', about));
      return door.call({
        agentId: about.agentId,
        workUnitId,
        allowed: [],
        name: 'write',
        input: { path, text: '2\n' },
      });
    };
    const [a, b] = parts.map(({ workUnitId }) => workUnitId);
    expect(await write(a!, 'src/new.js')).toMatchObject({ isError: false });
    expect(await write(b!, 'lib/new.js')).toMatchObject({
      isError: true,
      text: expect.stringContaining('not in the scope of') as string,
    });
  });
});
