import { describe, expect, it } from 'vitest';
import { conversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { OPTIONS_ID, options } from '../../record/aggregates/options/options.js';
import { recording } from '../../testing/record/recording.js';
import { told } from '../../testing/record/given.js';
import { createUnit } from './create-unit.js';
import { toDeadLetter } from '../queue/dead-letters.js';
import { goalCost, overLimit } from './goal-limits.js';
import { resumeGoal } from '../people/pause.js';
import { enqueue, leaseNext } from '../queue/queue.js';
import { replan } from '../queue/replan.js';

const taker = { agentId: 'a-1', most: 9, hasKey: () => true };

/** Two goals; the first has a part, which has used 100 tokens. */
function example() {
  const { records, change } = recording();
  const make = (more: object = {}) =>
    change((open) => createUnit(open, records, { goal: 'g', owner: 'ann', ...more })).workUnitId;
  const dear = make();
  const part = make({ parentWorkUnitId: dear });
  const cheap = make();
  const cycle = { logId: 'l-1', workUnitId: part, agentId: 'a', agentRole: 'worker', cycleNumber: 1 };
  const used = { ...cycle, toolCalls: [], toolResults: [], inputTokens: 60, outputTokens: 40 };
  change((open) => open.run(conversationEntry, 'l-1', 'record', used));
  for (const id of [dear, part, cheap]) change((open) => enqueue(open, records, id, { profileId: 'worker' }));
  const limit = (given: object) => change((open) => open.run(options, OPTIONS_ID, 'change', given));
  const next = () => change((open) => leaseNext(open, records, taker))?.workUnitId;
  return { records, change, dear, part, cheap, limit, next };
}

describe('a goal that has cost more than it may', () => {
  it('is paused before more of it is begun, with all of its work, and others have their turn', () => {
    const { records, dear, part, cheap, limit, next } = example();
    limit({ maxGoalTokens: 100 });
    expect(next()).toBe(cheap);
    expect(records.goals.get(dear)).toMatchObject({
      status: 'Paused',
      pauseReason: 'it has used 100 tokens of 100',
    });
    for (const id of [dear, part]) expect(records.scheduledItems.get(id)).toMatchObject({ parkedFor: 'Paused' });
    expect(next()).toBeUndefined();
  });

  it('has cost what was spent before its root was planned anew, too', () => {
    const { records, change, dear } = example();
    const failure = { workUnitId: dear, kind: 'Exception' as const, reason: 'no luck' };
    const { entryId } = change((open) => toDeadLetter(open, records, failure));
    change((open) => replan(open, records, entryId));
    expect(records.goals.get(dear)?.workUnitId).not.toBe(dear);
    expect(goalCost(records, records.goals.get(dear)!, told.at).totalTokens).toBe(100);
  });

  it('goes on when a person allows more', () => {
    const { records, change, dear, part, cheap, limit, next } = example();
    limit({ maxGoalTokens: 100 });
    expect(next()).toBe(cheap);
    change((open) => resumeGoal(open, records, dear, {}));
    expect(next()).toBeUndefined();
    limit({ maxGoalTokens: 101 });
    change((open) => resumeGoal(open, records, dear, {}));
    expect([next(), next()]).toEqual([dear, part]);
  });

  it('is one that takes too long, too; without limits nothing is', () => {
    const { records, dear, limit } = example();
    const goal = records.goals.get(dear)!;
    const later = '2026-01-01T02:00:00.000Z';
    expect(overLimit(records, goal, later)).toBeUndefined();
    limit({ maxGoalDurationMinutes: 119 });
    expect(overLimit(records, goal, later)).toBe('it has taken longer than 119 minutes');
    expect(goalCost(records, goal, later)).toMatchObject({
      totalTokens: 100,
      tokensExceeded: false,
      elapsedMinutes: 120,
      durationExceeded: true,
    });
    expect(overLimit(records, goal, '2026-01-01T01:00:00.000Z')).toBeUndefined();
  });
});
