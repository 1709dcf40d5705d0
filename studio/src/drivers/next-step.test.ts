import { describe, expect, it } from 'vitest';
import type { ConversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import { type Situation, nextStep } from './next-step.js';

const none = { tokens: 0, microUsd: 0 };
const cycle = (n: number, more: Partial<ConversationEntry> = {}): ConversationEntry => ({
  logId: `log-${n}`,
  workUnitId: 'wu-1',
  agentId: 'a',
  agentRole: 'Execute',
  cycleNumber: n,
  phase: 'done',
  occurredAt: '',
  endedAt: '',
  run: 1,
  schedule: 1,
  told: [],
  spent: none,
  reserved: none,
  toolCalls: [{ toolUseId: 'c', name: 'look', inputJson: `{"n":${n}}` }],
  toolResults: [{ toolUseId: 'c', result: 'nothing', truncated: false }],
  ...more,
});
const silent = { toolCalls: [], toolResults: [] };
const same = { toolCalls: [{ toolUseId: 'c', name: 'look', inputJson: '{}' }] };
const step = (cycles: readonly ConversationEntry[], more: Partial<Situation> = {}) =>
  nextStep({ isOurs: true, cycles, schedule: 1, maxIterations: 5, missing: 'nothing is proposed', ...more });

describe('what an agent does next', () => {
  it('is to ask, to use tools, and to ask again', () => {
    expect(step([])).toEqual({ do: 'ask' });
    const answered = cycle(1, { phase: 'answered' });
    expect(step([answered])).toEqual({ do: 'use tools', cycle: answered });
    expect(step([cycle(1)])).toEqual({ do: 'ask' });
    expect(step([cycle(1), cycle(2, { phase: 'asked' })])).toEqual({ do: 'ask' });
  });

  it('is to leave when the unit is not its own any more, whatever else would follow', () => {
    expect(step([cycle(1, { phase: 'answered' })], { isOurs: false })).toEqual({ do: 'leave' });
  });

  it('is to end as soon as what was wanted is there, and not before it has done anything', () => {
    expect(step([cycle(1)], { missing: undefined })).toEqual({ do: 'end' });
    expect(step([], { missing: undefined })).toEqual({ do: 'ask' });
  });

  it('is to be reminded twice, and then to fail', () => {
    const stops = [cycle(1, silent), cycle(2, silent), cycle(3, silent)];
    expect(step(stops.slice(0, 2))).toEqual({ do: 'ask', reminder: 'nothing is proposed' });
    expect(step(stops)).toMatchObject({ do: 'fail', kind: 'ProgressNotVerified' });
  });

  it('is to fail when the same comes back four times, also in turns with something else', () => {
    const turns = [1, 2, 3, 4, 5, 6, 7].map((n) => cycle(n, n % 2 === 1 ? same : {}));
    expect(step(turns.slice(0, 6), { maxIterations: 30 })).toEqual({ do: 'ask' });
    expect(step(turns, { maxIterations: 30 })).toMatchObject({ do: 'fail', kind: 'Stalled' });
    const changing = turns.map((one, i) => ({ ...one, toolResults: [{ ...one.toolResults[0]!, result: `${i}` }] }));
    expect(step(changing, { maxIterations: 30 })).toEqual({ do: 'ask' });
  });

  it('is to fail when its turns are used up, which are counted anew when it goes on', () => {
    const five = [1, 2, 3, 4, 5].map((n) => cycle(n));
    expect(step(five)).toMatchObject({ do: 'fail', kind: 'MaxIterationsExceeded' });
    expect(step(five, { schedule: 2 })).toEqual({ do: 'ask' });
  });
});
