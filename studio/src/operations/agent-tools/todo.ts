/** To-do list of an agent: it keeps the list, and people see what is under way. */
import { z } from 'zod';
import { agent } from '../../record/aggregates/agent/agent.js';
import { operation } from '../kernel/define.js';
import { SETS } from '../kernel/hints.js';
import { OWN_TOOL_REFUSALS, Told } from './own-work.js';

const MARKS = { open: '[ ]', doing: '[>]', done: '[x]' } as const;
const MOST_ACTIVITY = 200;

export const todo = operation({
  summary:
    'Write down the steps of the work, all of them each time, with their states. One at a time is under way; people see which.',
  scope: 'operate',
  in: z.object({
    steps: z
      .array(
        z.object({
          text: z.string().min(1).max(500).describe('The step, in a few words.'),
          state: z.enum(['open', 'doing', 'done']).describe('How far it is.'),
        }),
      )
      .min(1)
      .max(50)
      .describe('All steps, in their order.'),
  }),
  out: Told,
  tool: 'todo',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: SETS,
}).run((context, { steps }) => {
  const done = steps.filter(({ state }) => state === 'done').length;
  const doing = steps.filter(({ state }) => state === 'doing').map(({ text }) => text);
  const activity = `${doing.join('; ') || (done === steps.length ? 'all steps are done' : 'between two steps')} (${done} of ${steps.length})`;
  const { agentId } = context.caller;
  const list = steps.map(({ text, state }) => `${MARKS[state]} ${text}`).join('\n');
  return context.answer((change) => {
    if (agentId !== undefined && change.state(agent, agentId))
      change.run(agent, agentId, 'act', { activity: activity.slice(0, MOST_ACTIVITY) });
    return { text: `${done} of ${steps.length} steps are done.\n${list}` };
  });
});
