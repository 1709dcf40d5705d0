import { expect, it } from 'vitest';
import type { Conflict } from '../../record/aggregates/conflict/conflict.js';
import { conversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { recording } from '../../testing/record/recording.js';
import { recordProposal } from '../../testing/work/proposal.js';
import { createUnit } from '../goals/create-unit.js';
import { isEndingItsTurn } from './own-worker.js';

it('a turn goes on until it is answered, whatever the program tells of itself meanwhile', () => {
  const { records, change } = recording();
  const { workUnitId } = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
  const agentId = 'agent-1';
  change((open) => recordProposal(open, 'MP-1', { workUnitId, agentId }));
  const found = { proposalId: 'MP-1', workUnitId } as Conflict;
  const about = { workUnitId, agentId, agentRole: 'Execute', provider: 'p', model: 'm' };
  const lease = { run: 1, schedule: 1, generation: 1, told: [], reserved: { tokens: 0, microUsd: 0 } };
  const ends = () => isEndingItsTurn(records, found);
  expect(ends()).toBe(false);
  change((open) =>
    open.run(conversationEntry, 'turn', 'ask', { ...about, ...lease, logId: 'turn', cycleNumber: 1, said: 'do it' }),
  );
  expect(ends()).toBe(true);
  const told = { ...about, logId: 'told', cycleNumber: 2, toolCalls: [], toolResults: [] };
  change((open) => open.run(conversationEntry, 'told', 'record', told));
  expect(ends()).toBe(true);
  const answer = { logId: 'turn', workUnitId, toolCalls: [], stopReason: 'end', inputTokens: 1, outputTokens: 1 };
  const cost = { cachedInputTokens: 0, microUsd: 0, generation: 1, agentId };
  change((open) => open.run(conversationEntry, 'turn', 'answer', { ...answer, ...cost }));
  expect(ends()).toBe(false);
});
