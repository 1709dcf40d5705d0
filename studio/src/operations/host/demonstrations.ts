/** Demonstration for people who have no key of a model: played beside this studio, and gone without a trace in it. */
import { z } from 'zod';
import { refusal } from '../../reasons.js';
import type { Context } from '../kernel/context.js';
import type { Demonstration } from '../kernel/demonstration.js';
import { operation } from '../kernel/define.js';
import { ENDS, READS, SETS } from '../kernel/hints.js';

export const get = operation({
  summary: 'Say whether a demonstration is offered here, under way, or this studio.',
  scope: 'read',
  in: z.object({}),
  out: z.object({
    state: z
      .enum(['none', 'offered', 'running', 'this'])
      .describe('None here, offered, under way beside this studio, or this studio is it.'),
    goal: z
      .object({
        goal: z.string().describe('What is to be achieved.'),
        successCriteria: z.string().describe('How to tell that it is done.'),
        shape: z.enum(['auto', 'single', 'planned']).describe('Whether a planner divides it first.'),
      })
      .optional()
      .describe('In the demonstration: the one goal that its script knows.'),
    home: z.string().optional().describe('Address of the studio that it is played beside, as that one knows it.'),
  }),
  rest: { route: 'GET /studio/demonstration' },
  refuses: [],
  annotations: READS,
}).run(({ demonstration }) => demonstration()?.stand() ?? { state: 'none' as const });

export const play = operation({
  summary: 'Play the demonstration: a passing studio on this machine, where a script answers in place of a model.',
  scope: 'operate',
  in: z.object({}),
  out: z.object({ link: z.string().describe('Opens its page, once, within ten minutes, on this machine.') }),
  rest: { route: 'POST /studio/demonstration' },
  human: true,
  refuses: ['reject.wrong_state'],
  annotations: SETS,
}).run(async (context) => ({ link: await offered(context).play() }));

export const end = operation({
  summary: 'End the demonstration, and remove all of it.',
  scope: 'operate',
  in: z.object({}),
  out: z.object({ ended: z.boolean().describe('True: it is gone.') }),
  rest: { route: 'DELETE /studio/demonstration' },
  human: true,
  refuses: ['reject.wrong_state'],
  annotations: ENDS,
}).run(async (context) => {
  await offered(context).end();
  return { ended: true };
});

function offered({ demonstration }: Pick<Context, 'demonstration'>): Demonstration {
  const found = demonstration();
  const { state = 'none' } = found?.stand() ?? {};
  if (found !== undefined && state !== 'none' && state !== 'this') return found;
  const message =
    state === 'this'
      ? 'this studio is the demonstration: it is ended at the studio beside it'
      : 'no demonstration is played here: it is for a studio at an address of its own machine (weft demo plays one by itself)';
  throw refusal('reject.wrong_state', message, { state });
}
