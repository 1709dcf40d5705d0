/** Reconciliation: merging the parts of work, and the conflicts in the way. */
import { z } from 'zod';
import { conflictReport } from '../../rules/proposals/conflict-report.js';
import { RECONCILIATION_OUTCOMES, reconcileParts } from '../../rules/proposals/reconcile-parts.js';
import { unitOf } from '../../record/views/by-id.js';
import { refusal } from '../../reasons.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { LANDING_REFUSALS } from './merge-shape.js';
import { Status, WorkUnitId } from '../goals/work-unit-shape.js';

export const reconcile = operation({
  summary: 'Bring the parts of a work unit together, as far as they are approved, and offer what comes of it.',
  scope: 'operate',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.object({
    workUnitId: z.string().describe('Id of the work unit.'),
    outcome: z
      .enum(RECONCILIATION_OUTCOMES)
      .describe('What came of it. Waiting: for parts that are not approved yet. Unfit: they do not build together.'),
    proposalId: z.string().nullable().describe('Proposal that brings them together, or that is in conflict; or null.'),
    detail: z.string().describe('What it says, for people.'),
  }),
  rest: { route: 'POST /studio/workunits/{workUnitId}/reconcile' },
  refuses: ['reject.workunit_not_found', 'reject.submodule', 'reject.too_many_files', ...LANDING_REFUSALS],
  annotations: SETS,
}).run(async (context, { workUnitId }) => ({ workUnitId, ...(await reconcileParts(context, workUnitId)) }));

export const report = operation({
  summary: 'Read what a work unit or one of its parts is in conflict with, as text for people.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.object({
    workUnitId: z.string().describe('Id of the work unit.'),
    branchId: z.string().describe('Its branch.'),
    status: Status.describe('Its state.'),
    content: z.string().describe('The report, as Markdown.'),
  }),
  rest: { route: 'GET /studio/workunits/{workUnitId}/conflict-report' },
  refuses: ['reject.workunit_not_found', 'reject.conflict_not_found'],
  annotations: READS,
}).run(({ records }, { workUnitId }) => {
  const { branchId, status } = unitOf(records, workUnitId);
  const content = conflictReport(records, workUnitId);
  if (content !== undefined) return { workUnitId, branchId, status, content };
  throw refusal('reject.conflict_not_found', `${workUnitId} and its parts are in no conflict`, { workUnitId });
});
