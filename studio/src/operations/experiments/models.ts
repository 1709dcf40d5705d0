/** Models side by side: what each made of the same goal. */
import { z } from 'zod';
import { alternativesTo } from '../../rules/knowledge/alternatives.js';
import { divergences } from '../../rules/knowledge/diff-text.js';
import { patchOf } from '../../rules/proposals/patch.js';
import { proposalOf, unitOf } from '../../record/views/by-id.js';
import { proposalsOf } from '../../record/views/proposals.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { Model, ProposalId } from '../knowledge/decision-shape.js';
import { ProposalInShort } from './fork-shape.js';
import { Usage, usageOf } from '../agents/usage-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

export const compare = operation({
  summary: 'Show where two proposals differ, with the models that made them.',
  scope: 'read',
  in: z.object({ proposalIdA: ProposalId, proposalIdB: ProposalId }),
  out: z.object({
    modelA: z.string().optional().describe('Model that made the one.'),
    modelB: z.string().optional().describe('Model that made the other.'),
    divergedFiles: z
      .array(
        z.object({
          path: z.string().describe('Path of the file.'),
          diffA: z.string().describe('What the one does to it.'),
          diffB: z.string().describe('What the other does to it.'),
          overlappingLines: z.array(z.number()).describe('Lines of the former file that both change.'),
        }),
      )
      .describe('Files that they treat differently.'),
    usageA: Usage.optional().describe('What models have cost for the work that made the one.'),
    usageB: Usage.optional().describe('What models have cost for the work that made the other.'),
    comparedAt: z.string().describe('When, ISO 8601.'),
  }),
  rest: { route: 'GET /studio/models/compare', query: ['proposalIdA', 'proposalIdB'] },
  tool: 'model_compare',
  refuses: ['reject.proposal_not_found', 'reject.git_failed'],
  annotations: READS,
}).run(async (context, { proposalIdA, proposalIdB }) => {
  const [a, b] = [proposalOf(context.records, proposalIdA), proposalOf(context.records, proposalIdB)];
  const [diffA = '', diffB = ''] = [await patchOf(context, a), await patchOf(context, b)];
  const divergedFiles = divergences(diffA, diffB).map((file) => ({
    ...file,
    overlappingLines: [...file.overlappingLines],
  }));
  const [usageA, usageB] = [a, b].map(({ workUnitId = '' }) =>
    usageOf(context.records.conversationEntries.costsOf(workUnitId)),
  );
  return { modelA: a.model, modelB: b.model, divergedFiles, usageA, usageB, comparedAt: context.now() };
});

export const replay = operation({
  summary: 'Show what models proposed for a work unit and for what was tried in its place.',
  scope: 'read',
  in: z.object({
    workUnitId: WorkUnitId,
    compareModel: Model.optional().describe('Only proposals of this model for what was tried in its place.'),
  }),
  out: z.object({
    workUnitId: z.string().describe('Id of the unit.'),
    goal: z.string().describe('Its goal.'),
    model: z.string().optional().describe('Model of its newest proposal.'),
    proposals: z.array(ProposalInShort).describe('Its proposals, then those of the others.'),
    replayMode: z.literal('ModelComparison').describe('How they are shown.'),
  }),
  rest: { route: 'GET /studio/models/replay/{workUnitId}', query: ['compareModel'] },
  tool: 'model_replay',
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records }, { workUnitId, compareModel }) => {
  const proposals = proposalsOf(records);
  const unit = unitOf(records, workUnitId);
  const own = proposals.ofUnit(workUnitId);
  const others = alternativesTo(records, unit, proposals)
    .flatMap((other) => proposals.ofUnit(other.workUnitId))
    .filter(({ model }) => compareModel === undefined || model === compareModel);
  const shown = [...own, ...others].map(({ filesTouched, ...one }) => ({ ...one, filesTouched: [...filesTouched] }));
  const replayMode = 'ModelComparison' as const;
  return { workUnitId, goal: unit.goal, model: own.at(-1)?.model, proposals: shown, replayMode };
});
