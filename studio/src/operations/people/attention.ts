/** Attention: what needs a person, derived from the record each time it is asked. */
import { z } from 'zod';
import { ATTENTION_KINDS, attentionOf } from '../../rules/people/attention.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';

const Attention = z
  .object({
    kind: z
      .enum(ATTENTION_KINDS)
      .describe(
        'What is wanted. answer: a question; review: of a proposal; land: an approved one; conflict; failed: work that went ' +
          'wrong; key: of a model; budget: nearly or wholly spent; held: work that waits for what was cancelled; paused: a goal.',
      ),
    id: z.string().describe('Id of what it is about, such as a question or a proposal; of a key its name.'),
    goalId: z.string().optional().describe('Goal that it belongs to.'),
    goal: z.string().optional().describe('What that is to achieve.'),
    workUnitId: z.string().optional().describe('Work unit that it is about.'),
    sentence: z.string().describe('What is wanted, in a sentence.'),
    since: z.string().describe('Since when, ISO 8601.'),
    blocks: z.number().describe('How many work units go on only when it is done.'),
    blockedWorkUnitIds: z.array(z.string()).describe('Those units, the first hundred of them.'),
    options: z.array(z.string()).optional().describe('Of a question: answers to choose from. Empty: any.'),
    context: z.string().optional().describe('Of a question: what one should know to answer.'),
    timeoutAt: z.string().optional().describe('Of a question: until when it waits, ISO 8601.'),
    timeoutBehavior: z.string().optional().describe('Of a question: what happens then.'),
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

export const list = operation({
  summary: 'List what needs a person, first what holds up most for longest.',
  scope: 'read',
  in: z.object({}),
  out: z.object({
    asOf: z.number().describe('Number of the newest event that it takes into account; follow the events from there.'),
    items: z.array(Attention).describe('What needs a person.'),
  }),
  rest: { route: 'GET /studio/attention' },
  refuses: [],
  annotations: READS,
}).run(({ records, look, feed, now }) => {
  const asOf = feed.last;
  const items = attentionOf(records, look, now()).map(({ question, goalId, blocks, ...one }) => ({
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
  }));
  return Promise.resolve({ asOf, items });
});
