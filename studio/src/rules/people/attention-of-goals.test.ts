import { expect, it } from 'vitest';
import { conversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { OPTIONS_ID, options } from '../../record/aggregates/options/options.js';
import { recording } from '../../testing/record/recording.js';
import { createUnit } from '../goals/create-unit.js';
import { lookAt } from '../goals/tree.js';
import { attentionOf } from './attention.js';

it('tokens need a person once four fifths of them are used, and hold up the work once all are', () => {
  const { records, change } = recording();
  const { workUnitId } = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
  const cycle = { logId: 'l-1', workUnitId, agentId: 'a', agentRole: 'worker', cycleNumber: 1 };
  const used = { ...cycle, toolCalls: [], toolResults: [], inputTokens: 60, outputTokens: 40 };
  change((open) => open.run(conversationEntry, 'l-1', 'record', used));
  const withLimit = (maxGoalTokens: number) => {
    change((open) => open.run(options, OPTIONS_ID, 'change', { maxGoalTokens }));
    const found = attentionOf(records, lookAt(records), '2026-01-02T00:00:00.000Z');
    return found.map(({ kind, sentence, blocks }) => [kind, sentence, blocks]);
  };
  expect(withLimit(1000)).toEqual([]);
  expect(withLimit(126)).toEqual([]);
  expect(withLimit(125)).toEqual([['budget', '100 of 125 tokens are used', []]]);
  expect(withLimit(100)).toEqual([['budget', '100 of 100 tokens are used', [workUnitId]]]);
});
