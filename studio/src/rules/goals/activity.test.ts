/** What an agent does now, as people read it in its list, in the list of participants and in the state of the goal. */
import { describe, expect, it } from 'vitest';
import { agent } from '../../record/aggregates/agent/agent.js';
import { conversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { aRepository } from '../../testing/work/a-repository.js';
import { openRecord } from '../../testing/record/open-record.js';
import { agentFor } from '../queue/agent-of.js';
import { leaseNext } from '../queue/queue.js';

async function atWork() {
  const { call, change, records } = await openRecord();
  await aRepository({ change });
  const { goalId } = (await call('external-goal.run', { goal: 'all' })) as { goalId: string };
  const [queued] = records.scheduledItems.all();
  const item = await change((open) =>
    leaseNext(open, records, {
      agentId: 'scheduler',
      most: 9,
      hasKey: () => true,
      agentFor: (during, one) => agentFor(during, records, one),
    }),
  );
  const { workUnitId, leasedBy: agentId = '', generation } = item!;
  expect(workUnitId).toBe(queued!.workUnitId);
  const lease = { agentId, generation };
  const about = (turn: number) => ({ logId: `log-${turn}`, workUnitId });
  const reserved = { tokens: 1, microUsd: 1 };
  const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, microUsd: 1 };
  return {
    agentId,
    workUnitId,
    change,
    call,
    ask: (turn: number) =>
      change((open) =>
        open.run(conversationEntry, `log-${turn}`, 'ask', {
          ...about(turn),
          ...lease,
          agentRole: 'Execute',
          cycleNumber: turn,
          run: 1,
          schedule: 1,
          told: [],
          reserved,
        }),
      ),
    answer: (turn: number, calls: readonly (readonly [name: string, input: object])[]) => {
      const toolCalls = calls.map(([name, input], n) => ({
        toolUseId: `${n}`,
        name,
        inputJson: JSON.stringify(input),
      }));
      const answered = { ...about(turn), ...lease, toolCalls, stopReason: 'calls', ...usage };
      return change((open) => open.run(conversationEntry, `log-${turn}`, 'answer', answered));
    },
    fail: (turn: number) =>
      change((open) =>
        open.run(conversationEntry, `log-${turn}`, 'fail', {
          ...about(turn),
          ...lease,
          fault: 'rate-limited',
          reason: 'too many',
          isCharged: false,
        }),
      ),
    use: (turn: number) =>
      change((open) => open.run(conversationEntry, `log-${turn}`, 'use', { ...about(turn), toolResults: [] })),
    /** What each list says that it does; they agree. */
    async doing(): Promise<string | undefined> {
      const [listed] = (await call('agent.list', {})) as { currentActivity?: string }[];
      const [participant] = (await call('participant.list', {})) as { currentActivity?: string }[];
      const { agentsAtWork } = (await call('external-goal.status', { goalId })) as { agentsAtWork: object[] };
      const said = listed?.currentActivity;
      expect(participant?.currentActivity).toBe(said);
      expect(agentsAtWork).toEqual(
        said === undefined ? [] : [{ agentId, workUnitId: item!.workUnitId, currentActivity: said }],
      );
      return said;
    },
  };
}

describe('what an agent does', () => {
  it('is read from its last turn: the model that it asks, and the tools that it called', async () => {
    const { ask, answer, use, fail, doing } = await atWork();
    expect(await doing()).toBe('begins');
    await ask(1);
    expect(await doing()).toBe('waits for the model, turn 1');
    await answer(1, [['edit', { path: 'src/sum.js', edits: [{ old: 'a', new: 'b' }] }]]);
    expect(await doing()).toBe('edit src/sum.js');
    await use(1);
    expect(await doing()).toBe('has done: edit src/sum.js');
    await ask(2);
    expect(await doing()).toBe('waits for the model, turn 2');
    await fail(2);
    expect(await doing()).toBe('the model did not answer (rate-limited), turn 2');
  });

  it('is short, on one line, and counts what is called beside the first', async () => {
    const { ask, answer, doing } = await atWork();
    await ask(1);
    await answer(1, [
      ['run', { command: `npm test\n${'x'.repeat(1000)}` }],
      ['svc_v1_workunit_list', {}],
      ['glob', { pattern: '**' }],
    ]);
    const said = (await doing())!;
    expect(said).toMatch(/^run npm test x+… and 2 more$/);
    expect(said.length).toBeLessThan(200);
    await ask(2);
    await answer(2, [['svc_v1_workunit_list', []]]);
    expect(await doing()).toBe('workunit_list');
  });

  it('is the step that it says itself, where it keeps a list of steps', async () => {
    const { agentId, change, ask, doing } = await atWork();
    await ask(1);
    await change((open) => open.run(agent, agentId, 'act', { activity: 'write (1 of 2)' }));
    expect(await doing()).toBe('write (1 of 2)');
  });

  it('is nothing while its work waits', async () => {
    const { agentId, call, ask, doing } = await atWork();
    await ask(1);
    await call('agent.pause', { agentId });
    expect(await doing()).toBeUndefined();
    await call('agent.resume', { agentId });
    expect(await doing()).toBeUndefined();
  });
});
