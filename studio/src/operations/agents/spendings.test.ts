import { expect, it } from 'vitest';
import { conversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { ManualClock } from '../../testing/manual-clock.js';
import { openRecord } from '../../testing/record/open-record.js';

const NOON = Date.parse('2026-03-10T12:00:00.000Z');
const DAY_MS = 86_400_000;

it('spending is told by day with what came from the cache, and by model, back to a day', async () => {
  const wall = new ManualClock(NOON);
  const { call, change } = await openRecord(undefined, { wall });
  const { workUnitId } = (await call('workunit.create', { goal: 'all' })) as { readonly workUnitId: string };
  let asked = 0;
  const ask = (model: string, inputTokens: number, cachedInputTokens: number) =>
    change((open) => {
      asked += 1;
      const about = { logId: `log-${asked}`, workUnitId, agentId: 'a' };
      const lease = { generation: 1, run: 1, schedule: 1, told: [], cycleNumber: asked, agentRole: 'Execute' };
      const reserved = { tokens: 1000, microUsd: 1000 };
      open.run(conversationEntry, about.logId, 'ask', { ...about, ...lease, provider: 'p', model, reserved });
      const cost = { inputTokens, cachedInputTokens, outputTokens: 10, microUsd: 2_000_000 };
      const said = { toolCalls: [], stopReason: 'end' };
      open.run(conversationEntry, about.logId, 'answer', { ...about, generation: 1, ...said, ...cost });
    });
  expect(await call('spending.list', {})).toEqual({ days: [], models: [] });
  await ask('old', 100, 0);
  wall.jump(2 * DAY_MS);
  await ask('new', 300, 200);
  await ask('new', 100, 60);
  const first = { day: '2026-03-10', tokens: 110, costUsd: 2, turns: 1, readTokens: 100, cachedTokens: 0 };
  const third = { day: '2026-03-12', tokens: 420, costUsd: 4, turns: 2, readTokens: 400, cachedTokens: 260 };
  expect(await call('spending.list', {})).toMatchObject({
    days: [first, third],
    models: [
      { provider: 'p', model: 'new', costUsd: 4, turns: 2 },
      { provider: 'p', model: 'old', costUsd: 2, turns: 1 },
    ],
  });
  expect(await call('spending.list', { days: 3 })).toMatchObject({ days: [first, third] });
  expect(await call('spending.list', { days: 2 })).toMatchObject({ days: [third], models: [{ model: 'new' }] });
  for (const days of [0, 367, 1.5])
    await expect(call('spending.list', { days })).rejects.toMatchObject({ reason: 'reject.invalid_input' });
});
