/** Failed work units, and what people can do about them. Nothing here is for agents. */
import { z } from 'zod';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { continueWork, retry as retryEntry, retryWithContext as retryCorrected } from '../../rules/queue/retry.js';
import { supply } from '../../rules/queue/queue.js';
import { replan as replanEntry } from '../../rules/queue/replan.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { DeadLetterEntry, EntryId } from './dead-letter-shape.js';
import { overrideFields, overridesOf } from '../agents/model-choice-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

const version = ({ deadLetters }: Records, { entryId }: { readonly entryId: string }): number | undefined =>
  deadLetters.version(entryId) || undefined;

export const list = operation({
  summary: 'List the failures that nothing was done about yet, newest first.',
  scope: 'read',
  in: z.object({}),
  out: z.array(DeadLetterEntry),
  rest: { route: 'GET /studio/dead-letter' },
  list: 'entryId',
  tool: 'dead_letter_list',
  refuses: [],
  annotations: READS,
}).run(({ records }) =>
  records.deadLetters
    .all()
    .filter(({ resolution }) => resolution === undefined)
    .reverse(),
);

export const get = operation({
  summary: 'Read one failure.',
  scope: 'read',
  in: z.object({ entryId: EntryId }),
  out: DeadLetterEntry,
  rest: { route: 'GET /studio/dead-letter/{entryId}' },
  tool: 'dead_letter_get',
  version,
  refuses: ['reject.dead_letter_not_found'],
  annotations: READS,
}).run(({ records }, { entryId }) => {
  const found = records.deadLetters.get(entryId);
  if (found) return found;
  throw refusal('reject.dead_letter_not_found', `no dead letter is called ${entryId}`, { entryId });
});

export const byWorkUnit = operation({
  summary: 'List the failures of a work unit, newest first.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.array(DeadLetterEntry),
  rest: { route: 'GET /studio/dead-letter/by-work-unit/{workUnitId}' },
  list: 'entryId',
  tool: 'dead_letter_by_work_unit',
  refuses: ['reject.dead_letter_not_found'],
  annotations: READS,
}).run(({ records }, { workUnitId }) => {
  const found = records.deadLetters.where('workUnit', workUnitId).reverse();
  if (found.length > 0) return found;
  throw refusal('reject.dead_letter_not_found', `nothing of ${workUnitId} has failed`, { workUnitId });
});

export const history = operation({
  summary: 'List the failures of a work unit, oldest first.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.array(DeadLetterEntry),
  rest: { route: 'GET /studio/dead-letter/history/{workUnitId}' },
  list: 'entryId',
  tool: 'dead_letter_history',
  refuses: [],
  annotations: READS,
}).run(({ records }, { workUnitId }) => records.deadLetters.where('workUnit', workUnitId));

const Outcome = z.object({
  outcome: z.literal('Retried').describe('It has its turn again.'),
  message: z.string().optional().describe('More about it.'),
});

export const retry = operation({
  summary: 'Try a failed work unit again, unless it has failed as often as it may.',
  scope: 'operate',
  in: z.object({ entryId: EntryId, ...overrideFields }),
  out: Outcome,
  rest: { route: 'POST /studio/dead-letter/{entryId}/retry' },
  tool: 'dead_letter_retry',
  human: true,
  version,
  refuses: [
    'reject.dead_letter_not_found',
    'reject.profile_not_found',
    'reject.attempts_exhausted',
    'reject.wrong_state',
  ],
  annotations: SETS,
}).run((context, { entryId, ...given }) => {
  const overrides = overridesOf(context, given);
  return context.answer((change) => {
    retryEntry(change, context.records, entryId, overrides);
    supply(change, context.records, overrides.credentialRef);
    return { outcome: 'Retried' as const };
  });
});

export const retryWithContext = operation({
  summary: 'Correct the goal of a failed work unit, and try it again with a fresh count of attempts.',
  scope: 'operate',
  in: z.object({
    entryId: EntryId,
    steeringContext: z.string().min(1).max(100_000).describe('The correction. It becomes part of the goal.'),
    ...overrideFields,
  }),
  out: Outcome,
  rest: { route: 'POST /studio/dead-letter/{entryId}/retry-with-context' },
  tool: 'dead_letter_retry_with_context',
  human: true,
  version,
  refuses: ['reject.dead_letter_not_found', 'reject.profile_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { entryId, steeringContext, ...given }) => {
  const overrides = overridesOf(context, given);
  return context.answer((change) => {
    retryCorrected(change, context.records, entryId, steeringContext, overrides);
    supply(change, context.records, overrides.credentialRef);
    return { outcome: 'Retried' as const };
  });
});

export const replan = operation({
  summary: 'Cancel a failed work unit, and have another with the same goal planned in its place.',
  scope: 'operate',
  in: z.object({ entryId: EntryId }),
  out: z.object({
    outcome: z.literal('Replanned').describe('Another unit has its place.'),
    newWorkUnitIds: z.array(z.string()).describe('The unit that is planned in place of the failed one.'),
    message: z.string().optional().describe('More about it.'),
  }),
  rest: { route: 'POST /studio/dead-letter/{entryId}/replan' },
  tool: 'dead_letter_replan',
  human: true,
  version,
  refuses: ['reject.dead_letter_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { entryId }) =>
  context.answer((change) => {
    const { workUnitId } = replanEntry(change, context.records, entryId);
    return { outcome: 'Replanned' as const, newWorkUnitIds: [workUnitId] };
  }),
);

const { overrideProfileId: _profile, ...continueFields } = overrideFields;

export const goOn = operation({
  summary: 'Let a work unit that ran out of iterations go on where it stopped, with a fresh budget.',
  scope: 'operate',
  in: z.object({ entryId: EntryId, ...continueFields }),
  out: z.object({
    outcome: z.enum(['Continued', 'Parked']).describe('Parked: something that is paused holds it back.'),
    completion: z.string().describe('How the run ended; Queued as long as it has not begun.'),
  }),
  rest: { route: 'POST /studio/dead-letter/{entryId}/continue' },
  tool: 'dead_letter_continue',
  human: true,
  version,
  refuses: ['reject.dead_letter_not_found', 'reject.recovery_not_applicable', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { entryId, ...given }) => {
  const overrides = overridesOf(context, given);
  return context.answer((change) => {
    const isParked = continueWork(change, context.records, entryId, overrides).place === 'parked';
    supply(change, context.records, overrides.credentialRef);
    return { outcome: isParked ? ('Parked' as const) : ('Continued' as const), completion: 'Queued' };
  });
});
