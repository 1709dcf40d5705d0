/** Requeues: work that begins again, or is looked at again. */
import { z } from 'zod';
import { supply } from '../../rules/queue/queue.js';
import { reinvoke } from '../../rules/queue/reinvoke.js';
import { requeue as requeueTree } from '../../rules/queue/requeue.js';
import type { Records } from '../../record/views/records.js';
import { operation } from '../kernel/define.js';
import { SETS } from '../kernel/hints.js';
import { overrideFields, overridesOf } from '../agents/model-choice-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

const version = ({ workUnits }: Records, { workUnitId }: { readonly workUnitId: string }): number | undefined =>
  workUnits.version(workUnitId) || undefined;

export const requeue = operation({
  summary: 'Begin a cancelled work unit again, with all below it that was cancelled.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    notes: z.string().min(1).max(100_000).optional().describe('What should be done otherwise. Its agents read it.'),
    ...overrideFields,
  }),
  out: z.object({ requeuedWorkUnitIds: z.array(z.string()).describe('Units that go on, parents first.') }),
  rest: { route: 'POST /studio/workunits/{workUnitId}/requeue' },
  human: true,
  version,
  refuses: ['reject.workunit_not_found', 'reject.profile_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { workUnitId, notes, ...given }) => {
  const overrides = overridesOf(context, given);
  return context.answer((change) => {
    const requeuedWorkUnitIds = requeueTree(change, context.records, workUnitId, { notes, overrides });
    supply(change, context.records, overrides.credentialRef);
    return { requeuedWorkUnitIds };
  });
});

export const reinvokeOrchestrator = operation({
  summary: 'Have an orchestrator look at a work unit again.',
  scope: 'operate',
  in: z.object({ workUnitId: WorkUnitId, ...overrideFields }),
  out: z.object({
    workUnitId: z.string().describe('Id of the work unit.'),
    status: z.literal('reinvoked').describe('It will be looked at when it has its turn.'),
  }),
  rest: { route: 'POST /studio/workunits/{workUnitId}/reinvoke-orchestrator' },
  human: true,
  version,
  refuses: ['reject.workunit_not_found', 'reject.profile_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { workUnitId, ...given }) => {
  const overrides = overridesOf(context, given);
  return context.answer((change) => {
    reinvoke(change, context.records, workUnitId, overrides);
    supply(change, context.records, overrides.credentialRef);
    return { workUnitId, status: 'reinvoked' as const };
  });
});
