/** Workspace overview for outside tools. */
import { z } from 'zod';
import { openQuestions } from '../../rules/people/waiting-for-people.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { goalFields } from '../goals/goal-shape.js';

export const status = operation({
  summary: 'Read how all goals stand, and which wait for an answer.',
  scope: 'read',
  in: z.object({}),
  out: z.object({
    goals: z
      .object({
        total: z.number().describe('How many there are.'),
        byStatus: z.record(z.string(), z.number()).describe('How many of each state.'),
      })
      .describe('The goals.'),
    activeAgentCount: z.number().describe('Agents that are at work or have their turn.'),
    pendingClarificationCount: z.number().describe('Questions that wait for an answer.'),
    goalsNeedingInput: z
      .array(
        z.object({
          goalId: goalFields.goalId,
          goal: goalFields.goal,
          clarificationCount: z.number().describe('Questions that wait for an answer.'),
        }),
      )
      .describe('Goals with questions that wait for an answer, oldest first.'),
  }),
  external: 'workspace_status',
  refuses: [],
  annotations: READS,
}).run(({ records }) => {
  const goals = records.goals.all();
  const byStatus: Record<string, number> = {};
  for (const { status } of goals) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const asking = goals.map((found) => ({ ...found, clarificationCount: openQuestions(records, found).length }));
  return {
    goals: { total: goals.length, byStatus },
    activeAgentCount: records.agents.all().filter(({ status }) => status === 'active').length,
    pendingClarificationCount: records.clarifications.all().filter(({ status }) => status === 'open').length,
    goalsNeedingInput: asking.filter(({ clarificationCount }) => clarificationCount > 0),
  };
});
