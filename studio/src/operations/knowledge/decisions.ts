/** Decisions: what was made of proposals, by whom and why. */
import { z } from 'zod';
import { DECISION_OUTCOMES } from '../../record/aggregates/decision/decision.js';
import { decide, decisionsShownBy } from '../../rules/knowledge/decisions.js';
import { proposalsOf } from '../../record/views/proposals.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS } from '../kernel/hints.js';
import { NARROW_FIELDS, newestOf } from '../kernel/narrow.js';
import { AgentId, Decision, Model, ProposalId, Provider } from './decision-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

export const record = operation({
  summary:
    'Decide about a proposal: it becomes what was decided, and rejected or superseded work goes back to be done anew.',
  scope: 'operate',
  in: z.object({
    proposalId: ProposalId,
    outcome: z.enum(DECISION_OUTCOMES).describe('What was decided.'),
    rationale: z.string().max(100_000).optional().describe('Why.'),
    reviewerAgentId: AgentId.optional(),
    reviewerModel: Model.optional(),
    reviewerProvider: Provider.optional(),
    confidence: z.number().min(0).max(1).optional().describe('How sure the decision is.'),
  }),
  out: Decision,
  rest: { route: 'POST /studio/decisions' },
  tool: 'decision_record',
  human: true,
  refuses: ['reject.proposal_not_found', 'reject.wrong_state', 'reject.busy'],
  annotations: ADDS,
}).run((context, given) => context.answer((change) => decide(change, context.records, given)));

export const list = operation({
  summary: 'List what was decided; where nobody recorded it, what the states of the proposals show.',
  scope: 'read',
  in: z.object({
    workUnitId: WorkUnitId.optional().describe('Only of proposals of this unit.'),
    newest: NARROW_FIELDS.newest,
  }),
  out: z.object({
    decisions: z.array(Decision).describe('The decisions, oldest first.'),
    source: z.enum(['decision-store', 'proposals']).describe('Where they were found.'),
  }),
  rest: { route: 'GET /studio/decisions', query: ['workUnitId', 'newest'] },
  tool: 'decision_list',
  refuses: [],
  annotations: READS,
}).run(({ records }, { workUnitId, newest }) => {
  const { decisions } = records;
  const recorded = workUnitId === undefined ? decisions.all() : decisions.where('workUnit', workUnitId);
  if (recorded.length > 0) return { decisions: newestOf(recorded, newest), source: 'decision-store' as const };
  const proposals = proposalsOf(records);
  const shown = decisionsShownBy(workUnitId === undefined ? proposals.all() : proposals.ofUnit(workUnitId));
  return { decisions: newestOf(shown, newest), source: 'proposals' as const };
});
