/** Attention: what needs a person, derived from the record each time it is asked. */
import { z } from 'zod';
import { attentionOf } from '../../rules/people/attention.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { Attention, shownAttention } from './attention-shape.js';

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
  const items = attentionOf(records, look, now()).map((one) => shownAttention(records, one));
  return Promise.resolve({ asOf, items });
});
