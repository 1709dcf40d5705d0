/** Evidence: what builds and tests have shown of a work unit. */
import { z } from 'zod';
import type { Evidence as Attached } from '../../record/aggregates/evidence/evidence.js';
import { offerOf } from '../../rules/runs/evidence.js';
import { attachEvidence } from '../../rules/knowledge/evidence.js';
import { latestExecution, resultOf } from '../../record/views/executions.js';
import { unitOf } from '../../record/views/by-id.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { Evidence } from './decision-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

export const attach = operation({
  summary: 'Attach what the newest build and test of a work unit have shown. Repeating it adds nothing.',
  scope: 'operate',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.object({
    evidence: z.array(Evidence).describe('What was attached.'),
    allSucceeded: z.boolean().optional().describe('Whether all of it speaks for the work. Absent when nothing ran.'),
    message: z.string().optional().describe('Why nothing was attached, or what it does not count for.'),
  }),
  rest: { route: 'POST /studio/evidence/attach', query: ['workUnitId'] },
  tool: 'evidence_attach',
  refuses: ['reject.workunit_not_found'],
  annotations: SETS,
}).run((context, { workUnitId }) =>
  context.answer((change) => {
    const unit = unitOf(context.records, workUnitId);
    const { records } = context;
    const ran = latestExecution(records, unit.branchId);
    if (!ran) return { evidence: [], message: `nothing was built or tested on ${unit.branchId} yet` };
    const result = resultOf(ran);
    const evidence = attachEvidence(change, unit, result, offerOf(records, ran)?.proposalId).map(evidenceView);
    if (result.isOfAgent === true && result.allSucceeded)
      return { evidence, message: 'an agent has named the command: that it succeeds proves nothing' };
    const newest = records.proposals.where('source', unit.branchId).at(-1);
    const isOfAnother = newest !== undefined && newest.headCommit !== ran.commit;
    const message = `it is of ${ran.commit}; ${newest?.proposalId} offers ${newest?.headCommit}, for which it does not count`;
    return { evidence, allSucceeded: result.allSucceeded, ...(isOfAnother ? { message } : {}) };
  }),
);

export const list = operation({
  summary: 'List the evidence of a work unit, or all there is, oldest first.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId.optional().describe('Only of this unit. Default: all.') }),
  out: z.object({ evidence: z.array(Evidence).describe('What was attached.') }),
  rest: { route: 'GET /studio/evidence', query: ['workUnitId'] },
  tool: 'evidence_list',
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records }, { workUnitId }) => {
  const { evidence } = records;
  const found =
    workUnitId === undefined ? evidence.all() : evidence.where('workUnit', unitOf(records, workUnitId).workUnitId);
  return { evidence: found.map(evidenceView) };
});

function evidenceView({ workUnitId: _unit, detailJson, ...given }: Attached): z.output<typeof Evidence> {
  const detail: unknown = JSON.parse(detailJson ?? '{}');
  return Evidence.parse({ ...(typeof detail === 'object' ? detail : {}), ...given });
}
