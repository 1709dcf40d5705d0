import { describe, expect, it } from 'vitest';
import { spendingOf } from '../../../rules/goals/spending.js';
import { decided, stateOf } from '../../../testing/record/given.js';
import { conversationEntry } from './conversation-entry.js';

const about = { logId: 'log-1', workUnitId: 'wu-1' };
const asked = {
  ...about,
  agentId: 'a',
  agentRole: 'Execute',
  cycleNumber: 1,
  run: 1,
  schedule: 1,
  generation: 1,
  said: 'do it',
  told: ['task'],
  reserved: { tokens: 100, microUsd: 10 },
};
const call = { toolUseId: 'c', name: 'look', inputJson: '{}' };
const answer = {
  ...about,
  agentId: 'a',
  generation: 1,
  assistantText: 'I look',
  toolCalls: [call],
  stopReason: 'calls',
  inputTokens: 20,
  cachedInputTokens: 5,
  outputTokens: 3,
  microUsd: 2,
};
const result = { toolUseId: 'c', result: 'nothing', truncated: false };

const first = decided(conversationEntry, [], 'ask', asked);
const second = [...first, ...decided(conversationEntry, first, 'answer', answer)];

describe('a cycle of a conversation', () => {
  it('is asked, answered, and done when the tools have answered; what was set aside becomes what it has cost', () => {
    expect(stateOf(conversationEntry, first)).toMatchObject({
      phase: 'asked',
      reserved: { tokens: 100, microUsd: 10 },
      spent: { tokens: 0, microUsd: 0 },
    });
    expect(stateOf(conversationEntry, second)).toMatchObject({
      phase: 'answered',
      reserved: { tokens: 0, microUsd: 0 },
      spent: { tokens: 23, microUsd: 2 },
    });
    const third = [...second, ...decided(conversationEntry, second, 'use', { ...about, toolResults: [result] })];
    expect(stateOf(conversationEntry, third)).toMatchObject({ phase: 'done', said: 'do it', toolResults: [result] });
    expect(decided(conversationEntry, third, 'use', { ...about, toolResults: [] })).toEqual([]);
  });

  it('is done at once when no tool is called', () => {
    const all = [...first, ...decided(conversationEntry, first, 'answer', { ...answer, toolCalls: [] })];
    expect(stateOf(conversationEntry, all)?.phase).toBe('done');
  });

  it('is asked anew when its answer is lost, which may have cost what was set aside; the old answer comes too late', () => {
    const again = [...first, ...decided(conversationEntry, first, 'ask', { ...asked, generation: 2 })];
    expect(stateOf(conversationEntry, again)).toMatchObject({
      phase: 'asked',
      generation: 2,
      spent: { tokens: 100, microUsd: 10 },
    });
    for (const late of [answer, { ...answer, generation: 2, agentId: 'b' }])
      expect(() => decided(conversationEntry, again, 'answer', late)).toThrow('another has gone on');
    expect(() => decided(conversationEntry, second, 'ask', asked)).toThrow('another has gone on');
  });

  it('costs whoever asked it: what was set aside for one agent is no cost of the next', () => {
    const other = { ...asked, agentId: 'b', generation: 2, reserved: { tokens: 7, microUsd: 1 } };
    const again = [...first, ...decided(conversationEntry, first, 'ask', other)];
    const cycles = [stateOf(conversationEntry, again)!];
    expect(['a', 'b', undefined].map((agentId) => spendingOf(cycles, agentId))).toMatchObject([
      ...[
        { tokens: 100, microUsd: 10, turns: 0 },
        { tokens: 7, microUsd: 1, turns: 1 },
      ],
      { tokens: 107, microUsd: 11, turns: 1 },
    ]);
    const answered = decided(conversationEntry, again, 'answer', { ...answer, agentId: 'b', generation: 2 });
    expect(spendingOf([stateOf(conversationEntry, [...again, ...answered])!])).toMatchObject({
      tokens: 123,
      microUsd: 12,
    });
  });

  it('costs nothing when the model has not begun to answer', () => {
    const failed = {
      ...about,
      agentId: 'a',
      generation: 1,
      fault: 'rate-limited',
      reason: 'too many',
      isCharged: false,
    };
    const all = [...first, ...decided(conversationEntry, first, 'fail', failed)];
    expect(stateOf(conversationEntry, all)).toMatchObject({ phase: 'failed', spent: { tokens: 0, microUsd: 0 } });
    expect(decided(conversationEntry, second, 'fail', failed)).toEqual([]);
  });
});
