import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operation } from '../../operations/kernel/define.js';
import { ENDS, READS } from '../../operations/kernel/hints.js';
import { operationTable, tableOf } from '../../operations/table.js';
import { createUnit } from '../../rules/goals/create-unit.js';
import { openTestLedger } from '../../testing/record/test-ledger.js';
import { type AgentCall, createAgentDoor } from './agent.js';
import { toolList } from './tools.js';
import { testShared } from '../../testing/record/test-shared.js';

let ran = 0;
const declared = { scope: 'operate', in: z.object({}), out: z.object({}), refuses: [], annotations: ENDS } as const;
const odd = tableOf({
  odd: {
    hidden: operation({ ...declared, summary: 'Is not dispatched.', tool: 'odd_hidden' }).run(() => {
      ran++;
      return {};
    }),
    human: operation({ ...declared, summary: 'Is for people.', tool: 'odd_human', human: true }).run(() => {
      ran++;
      return {};
    }),
    broken: operation({
      ...declared,
      annotations: READS,
      summary: 'Fails.',
      tool: 'odd_broken',
      dispatch: true,
    }).run(() => {
      throw new Error('password=hunter2');
    }),
  },
});

async function open() {
  const opened = await openTestLedger();
  const { ledger, records, workgroup, log } = opened;
  const door = createAgentDoor([...operationTable, ...odd], await testShared(opened));
  const call = async (name: string, input: Record<string, unknown> = {}, more: Partial<AgentCall> = {}) => {
    const { text, isError } = await door.call({ agentId: 'a-1', allowed: [], name, input, ...more });
    return { isError, envelope: JSON.parse(text) as Record<string, unknown> };
  };
  const whole = async (): Promise<string> =>
    (await ledger.change('ann', (change) => createUnit(change, records, { goal: 'whole', owner: 'ann' }))).workUnitId;
  return { door, call, records, workgroup, ledger, log, whole };
}

describe('the door for agents', () => {
  it('answers in the envelope of the tools, in the name of the agent', async () => {
    const { call, ledger, whole } = await open();
    const answer = await call('svc_v1_workunit_create', { goal: 'x', parentWorkUnitId: await whole() });
    expect(answer).toMatchObject({ isError: false, envelope: { contractVersion: 'v1', data: { goal: 'x' } } });
    expect(ledger.feed.get(ledger.feed.last)?.stored.meta.by).toBe('agent:a-1');
    const refused = await call('svc_v1_workunit_get', { workUnitId: 'none' });
    expect(refused).toMatchObject({
      isError: true,
      envelope: { tool: 'svc_v1_workunit_get', status: 'error', code: 'reject.workunit_not_found' },
    });
    expect((await call('svc_v1_workunit_get', { nonsense: 1 })).envelope).toMatchObject({
      code: 'reject.invalid_input',
    });
  });

  it('refuses what is not on a list of its own before anything runs', async () => {
    const { call, ledger } = await open();
    const allowed = ['svc_v1_workunit_get'];
    for (const name of ['svc_v1_workunit_create', 'svc_v1_odd_human', 'nonsense'])
      expect((await call(name, { goal: 'x' }, { allowed })).envelope).toMatchObject({
        code: 'reject.tool_not_allowed',
      });
    expect((await call('svc_v1_workunit_get', { workUnitId: 'x' }, { allowed })).envelope).toMatchObject({
      code: 'reject.workunit_not_found',
    });
    expect(ledger.feed.after(0).map(({ stored }) => stored.event)).toMatchObject([
      { type: 'AgentRefused', operation: 'workunit.create' },
      { type: 'FindingReported', title: 'An agent tried what it may not: workunit.create' },
      { type: 'AgentRefused', operation: 'odd.human' },
      { type: 'FindingReported', title: 'An agent tried what it may not: odd.human' },
    ]);
  });

  it('knows nothing of what is not there or not dispatched, and says so', async () => {
    const { call } = await open();
    for (const name of ['nonsense', '', 'svc_v1_odd_hidden', 'workunit_create', 'svcs_v1_repo_list', '__proto__'])
      expect((await call(name)).envelope, name).toMatchObject({ code: 'reject.tool_not_found', tool: name });
    expect(ran).toBe(0);
  });

  it('fault 40: refuses what is for people, and tells people of the attempt', async () => {
    const { call, ledger } = await open();
    const answer = await call('svc_v1_odd_human');
    expect(answer).toMatchObject({ isError: true, envelope: { code: 'reject.human_only' } });
    expect(ran).toBe(0);
    expect(ledger.feed.get(1)?.stored).toMatchObject({
      event: { type: 'HumanOnlyRefused', operation: 'odd.human', agentId: 'a-1' },
    });
  });

  it('tells nothing of a defect, and does not throw', async () => {
    const { call, log } = await open();
    const { isError, envelope } = await call('svc_v1_odd_broken');
    expect([isError, envelope['code']]).toEqual([true, 'internal']);
    expect(JSON.stringify(envelope)).not.toContain('hunter2');
    expect(log).toHaveLength(1);
  });

  it('answers a repeated call the same, and does it once', async () => {
    const { call, records, whole } = await open();
    const parentWorkUnitId = await whole();
    const create = () => call('svc_v1_workunit_create', { goal: 'x', parentWorkUnitId }, { key: 'one' });
    const first = await create();
    expect([first.isError, await create()]).toEqual([false, first]);
    expect(records.workUnits.where('parent', parentWorkUnitId)).toHaveLength(1);
  });

  it('begins no goal for an agent', async () => {
    const { call, records } = await open();
    const { isError, envelope } = await call('svc_v1_workunit_create', { goal: 'x' });
    expect([isError, envelope['code']]).toEqual([true, 'reject.human_only']);
    expect(records.workUnits.all()).toEqual([]);
  });

  it('lists what is dispatched and allowed', async () => {
    const { door } = await open();
    const all = toolList([...operationTable, ...odd], 'dispatched');
    expect(door.tools([])).toEqual(all);
    expect(door.tools(['svc_v1_workunit_get', 'svc_v1_odd_human']).map(({ name }) => name)).toEqual([
      'svc_v1_workunit_get',
    ]);
  });
});
