/** Raw records, for debugging. */
import { z } from 'zod';
import type { Streams } from '../../record/ledger/collection.js';
import { refusal } from '../../reasons.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';

export const get = operation({
  summary: 'Read the recorded state of one thing, without a view on it.',
  scope: 'read',
  in: z.object({
    kind: z.string().min(1).max(100).describe('Kind of thing, such as studio/work-unit/v1.'),
    entityId: z.string().min(1).max(400).describe('Id of the thing.'),
  }),
  out: z.record(z.string(), z.unknown()),
  rest: { route: 'GET /studio/nodes', query: ['kind', 'entityId'] },
  refuses: ['reject.invalid_input', 'reject.node_not_found'],
  annotations: READS,
}).run(({ records }, { kind, entityId }) => {
  const [, name] = /^studio\/([a-z-]+)\/v1$/.exec(kind) ?? [];
  const shared: readonly (Streams & { aggregate: { room: string } })[] = Object.values(records);
  const found = shared.find(({ aggregate }) => aggregate.name === name && aggregate.room === 'workgroup');
  if (!found)
    throw refusal('reject.invalid_input', `kind: nothing of kind ${kind} is recorded`, [
      { field: 'kind', message: 'is not known' },
    ]);
  const state = z.record(z.string(), z.unknown()).safeParse(found.get(entityId));
  if (state.success) return state.data;
  throw refusal('reject.node_not_found', `no ${kind} is called ${entityId}`, { kind, entityId });
});
