import { expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { artifactFeedback } from './artifact-feedback.js';

it('the feedback on an artifact says each thing once', () => {
  const shown = { artifactId: 'a', workUnitId: 'wu-1', surfacedToAgentId: 'agent-1', projectionType: 'AgentWorkspace' };
  const weighed = { artifactId: 'a', workUnitId: 'wu-1', proposalId: 'MP-1', decision: 'Approved' };
  let events = decided(artifactFeedback, [], 'surface', shown);
  events = [...events, ...decided(artifactFeedback, events, 'consider', weighed)];
  expect(decided(artifactFeedback, events, 'surface', shown)).toEqual([]);
  expect(decided(artifactFeedback, events, 'consider', weighed)).toEqual([]);
  expect(decided(artifactFeedback, events, 'surface', { ...shown, surfacedToAgentId: 'agent-2' })).toHaveLength(1);
  expect(decided(artifactFeedback, events, 'consider', { ...weighed, decision: 'Rejected' })).toHaveLength(1);
  expect(stateOf(artifactFeedback, events)).toEqual({
    artifactId: 'a',
    workUnitId: 'wu-1',
    surfaced: [{ surfacedToAgentId: 'agent-1', projectionType: 'AgentWorkspace', occurredAt: told.at }],
    consideredIn: [{ proposalId: 'MP-1', decision: 'Approved', occurredAt: told.at }],
  });
});
