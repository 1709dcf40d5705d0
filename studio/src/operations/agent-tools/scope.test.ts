/** Files that the work may not change, asked for: they are given at once, or the answer says who has them and until when. */
import { describe, expect, it } from 'vitest';
import { createAgentDoor } from '../../doors/tools/agent.js';
import { agent } from '../../record/aggregates/agent/agent.js';
import { fanOut } from '../../drivers/fan-out.js';
import { moveUnit } from '../../rules/queue/move.js';
import { unitIn } from '../../rules/goals/tree.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { openRecord } from '../../testing/record/open-record.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { operationTable } from '../table.js';
import { SHOWN_INSTEAD, agentTable } from './table.js';

const slice = (sliceId: string, more: object = {}) => ({ sliceId, goal: `do ${sliceId}`, ...more });

/** Parts of one plan, each with its agent. */
async function divided(root: object = {}) {
  const record = await openRecord(undefined, { folder: await tempFolder() });
  const user = await tempFolder();
  await gitRepository(user, { 'src/a.js': '1\n', 'src/b.js': '1\n', 'lib/c.js': '1\n', 'free.js': '1\n' });
  await record.call('repository.register', { path: user });
  const whole = (await record.call('workunit.create', { goal: 'all', ...root })) as { workUnitId: string };
  const slices = [
    slice('a', { fileScope: ['src/a.js'] }),
    slice('b', { fileScope: ['src/b.js'] }),
    slice('c', { fileScope: ['lib/**'], dependsOn: ['b'] }),
  ];
  const divide = async (workUnitId: string, into: readonly object[]): Promise<string[]> => {
    await record.call('artifact.recordPlan', { workUnitId, slices: into });
    const parts = await record.change((change) => fanOut(change, record.records, unitIn(change, workUnitId)));
    for (const { workUnitId: id } of parts) {
      const about = { agentId: `of-${id}`, agentType: 'worker', workUnitId: id, profileId: 'worker' };
      await record.change((change) => change.run(agent, about.agentId, 'spawn', about));
    }
    return parts.map((part) => part.workUnitId);
  };
  const ids = await divide(whole.workUnitId, slices);
  const door = createAgentDoor(operationTable, record.shared, { table: agentTable, shownInstead: SHOWN_INSTEAD });
  const ask = async (id: string, ...paths: string[]) => {
    const input = { paths, reason: 'the test of a reads it' };
    const asked = { agentId: `of-${id}`, workUnitId: id, allowed: [], name: 'scope_request', input };
    return door.call(asked);
  };
  const scopeOf = (id: string) => record.records.workUnits.get(id)?.fileScope;
  return { ...record, divide, ids: ids as [string, string, string], ask, scopeOf };
}

describe('files outside of what a part may change', () => {
  it('are given where nobody has them, which the record and the reviewer are told', async () => {
    const { ids, ask, scopeOf, records } = await divided();
    expect(await ask(ids[0], 'free.js', 'src/new.js')).toMatchObject({ isError: false });
    expect(scopeOf(ids[0])).toEqual(['src/a.js', '/free.js', 'src/new.js']);
    expect((await ask(ids[0], 'lib/free.js')).isError).toBe(true);
    expect(records.workUnits.get(ids[0])?.metadata?.['scope']).toBe('free.js, src/new.js: the test of a reads it');
    expect((await ask(ids[0], 'free.js')).text).toContain('already');
    // What was given to one is no other's.
    const refused = await ask(ids[1], 'free.js');
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(ids[0]) as string });
  });

  it('are refused with who has them, and until when; nobody waits, and all are given or none', async () => {
    const { ids, ask, scopeOf, records, change } = await divided();
    // The last part has not begun.
    for (const [path, holder] of [
      ['src/b.js', ids[1]],
      ['lib/c.js', ids[2]],
    ] as const) {
      const { text, isError } = await ask(ids[0], 'free.js', path);
      expect(isError).toBe(true);
      expect(text).toMatch(
        new RegExp(`${path} belongs to ${holder} \\(do [bc]; Created since .* until that has landed or ended`),
      );
    }
    expect(scopeOf(ids[0])).toEqual(['src/a.js']);
    expect(records.scheduledItems.all().filter(({ place }) => place === 'parked')).toEqual([]);
    await change((open) => moveUnit(open, records, ids[1], 'Cancelled'));
    expect(await ask(ids[0], 'src/b.js')).toMatchObject({ isError: false });
  });

  it('are single files of the repository', async () => {
    const { ids, ask, scopeOf } = await divided();
    for (const path of ['**', 'src', 'src/', '{a,b}.js'])
      expect([path, (await ask(ids[0], path)).text]).toMatchObject([path, expect.stringContaining('is no file')]);
    expect((await ask(ids[0], '../x')).text).toContain('reject.path_outside_repository');
    expect(scopeOf(ids[0])).toEqual(['src/a.js']);
  });

  it('are not given beyond the border that a person drew', async () => {
    const { ids, ask, scopeOf } = await divided({ fileScope: ['src', 'lib', 'free.js'] });
    expect((await ask(ids[0], 'other.js')).text).toMatch(
      /outside of what a person has allowed .*clarification_request/,
    );
    expect(await ask(ids[0], 'free.js')).toMatchObject({ isError: false });
    expect(scopeOf(ids[0])).toEqual(['src/a.js', '/free.js']);
  });

  it('are given to what the part is a part of too, which proposes them with its own', async () => {
    const { ids, ask, divide, scopeOf } = await divided();
    const [inner = ''] = await divide(ids[0], [slice('inner', { fileScope: ['src/a.js'] })]);
    expect(await ask(inner, 'src/b.js')).toMatchObject({ isError: true });
    expect(await ask(inner, 'free.js')).toMatchObject({ isError: false });
    expect([scopeOf(inner), scopeOf(ids[0])]).toEqual([
      ['src/a.js', '/free.js'],
      ['src/a.js', '/free.js'],
    ]);
  });
});
