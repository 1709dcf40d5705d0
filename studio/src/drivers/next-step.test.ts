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
    expect(step(stops.slice(0, 2))).toEqual({
      do: 'ask',
      notice: 'You stopped, but nothing is proposed. Do what is left, or ask.',
    });
    expect(step(stops)).toMatchObject({ do: 'fail', kind: 'ProgressNotVerified' });
  });

  it('is to be told when the same comes back three times, also in turns with something else, and to fail at five', () => {
    const turns = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => cycle(n, n % 2 === 1 ? same : {}));
    expect(step(turns.slice(0, 4), { maxIterations: 30 })).toEqual({ do: 'ask' });
    expect(step(turns.slice(0, 5), { maxIterations: 30 })).toMatchObject({
      do: 'ask',
      notice: expect.stringContaining('This is the third time that look gives the same') as string,
    });
    expect(step(turns.slice(0, 7), { maxIterations: 30 })).toEqual({ do: 'ask' });
    expect(step(turns, { maxIterations: 30 })).toMatchObject({ do: 'fail', kind: 'Stalled' });
    const changing = turns.map((one, i) => ({ ...one, toolResults: [{ ...one.toolResults[0]!, result: `${i}` }] }));
    expect(step(changing, { maxIterations: 30 })).toEqual({ do: 'ask' });
  });

  it('is to go on in parts when its answer was cut, and to fail when three in a row were', () => {
    const cut = { ...silent, stopReason: 'length', outputTokens: 8192 };
    expect(step([cycle(1, cut)])).toEqual({
      do: 'ask',
      notice: 'Your answer was cut at 8192 tokens. Go on where it stopped, in shorter turns.',
    });
    const inside = { ...cut, cut: { tool: 'write', characters: 900 } };
    expect(step([cycle(1, inside)])).toMatchObject({
      notice: expect.stringMatching(/inside a call of write of which 900 characters had come.*not made/) as string,
    });
    expect(step([1, 2, 3].map((n) => cycle(n, cut)))).toMatchObject({ do: 'fail', kind: 'Exception' });
    expect(step([cycle(1, cut), cycle(2), cycle(3, cut), cycle(4, cut)])).toMatchObject({ do: 'ask' });
  });

  it('is to leave a refusal to a person, and to go on when that is done', () => {
    const refused = [cycle(1, { ...silent, stopReason: 'refused', refusal: 'cyber: no' })];
    expect(step(refused)).toEqual({ do: 'refer', reason: 'cyber: no' });
    expect(step(refused, { isReferred: true })).toEqual({ do: 'ask' });
  });

  it('is to ask again without a word when the model pauses', () => {
    expect(step([cycle(1, { ...silent, stopReason: 'paused' })])).toEqual({ do: 'ask' });
  });

  it('is to hear in time that its turns end', () => {
    const four = [1, 2, 3, 4].map((n) => cycle(n));
    expect(step(four)).toMatchObject({ notice: expect.stringContaining('You have taken 4 of 5 turns') as string });
    expect(step(four.slice(0, 3))).toEqual({ do: 'ask' });
  });

  it('is to fail when its turns are used up, which are counted anew when it goes on', () => {
    const five = [1, 2, 3, 4, 5].map((n) => cycle(n));
    expect(step(five)).toMatchObject({ do: 'fail', kind: 'MaxIterationsExceeded' });
    expect(step(five, { schedule: 2 })).toEqual({ do: 'ask' });
  });
});
