/** Shape of what needs a person, as callers and webhooks see it. */
import { z } from 'zod';
import type { Records } from '../../record/views/records.js';
import { ATTENTION_KINDS, type Attention as Found } from '../../rules/people/attention-item.js';

export const Attention = z
  .object({
    kind: z
      .enum(ATTENTION_KINDS)
      .describe(
        'What is wanted. answer: a question; review: of a proposal; land: an approved one; checks: that its forge has to find good; conflict; failed: work that went ' +
          'wrong; key: of a model; budget: nearly or wholly spent; held: work that waits for what was cancelled; paused: a goal; memory: ' +
          'what an agent proposes to remember of a repository.',
      ),
    id: z.string().describe('Id of what it is about, such as a question or a proposal; of a key its name.'),
    goalId: z.string().optional().describe('Goal that it belongs to.'),
    goal: z.string().optional().describe('What that is to achieve.'),
    workUnitId: z.string().optional().describe('Work unit that it is about.'),
    sentence: z.string().describe('What is wanted, in a sentence.'),
    since: z.string().describe('Since when, ISO 8601.'),
    blocks: z.number().describe('How many work units go on only when it is done.'),
    blockedWorkUnitIds: z.array(z.string()).describe('Those units, the first hundred of them.'),
    options: z.array(z.string()).optional().describe('Answers of a question to choose from. Empty: any.'),
    context: z.string().optional().describe('What one should know to answer a question.'),
    timeoutAt: z.string().optional().describe('Until when a question waits, ISO 8601.'),
    timeoutBehavior: z.string().optional().describe('What happens then to a question without an answer.'),
    actions: z
      .array(
        z.object({
          operation: z.string().describe('Id of the operation that answers it.'),
          input: z.record(z.string(), z.unknown()).describe('What is known of its input.'),
          asks: z.array(z.string()).describe('Fields of the input that a person has to give.'),
        }),
      )
      .describe('What can be done, the usual first.'),
  })
  .meta({ id: 'Attention', description: 'Something that needs a person.' });

const MOST_NAMED = 100;

export function shownAttention(
  records: Records,
  { question, goalId, blocks, ...one }: Found,
): z.input<typeof Attention> {
  return {
    ...one,
    ...(goalId === undefined ? {} : { goalId, goal: records.goals.get(goalId)?.goal }),
    blocks: blocks.length,
    blockedWorkUnitIds: blocks.slice(0, MOST_NAMED),
    actions: one.actions.map(({ operation: id, input, asks }) => ({ operation: id, input, asks: [...asks] })),
    ...(question && {
      options: [...question.options],
      context: question.context,
      timeoutAt: question.timeoutAt,
      timeoutBehavior: question.timeoutBehavior,
    }),
  };
}
