/** Hypotheses: what work units are to find out. */
import { z } from 'zod';
import { fork as forkUnit } from '../../rules/knowledge/forks.js';
import { inTurns } from '../../record/ledger/in-turns.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS } from '../kernel/hints.js';
import { ProposalId } from '../knowledge/decision-shape.js';
import { ForkType, Hypothesis, hypothesisView } from './fork-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

export const fork = operation({
  summary: 'Make a work unit that tries something else, and say why.',
  scope: 'operate',
  in: z.object({
    goal: z.string().min(1).max(100_000).describe('What is to be found out.'),
    forkType: ForkType,
    parentWorkUnitId: WorkUnitId.optional().describe('Unit that it is a part of. Default: a goal of its own.'),
    branchedFromProposalId: ProposalId.optional().describe(
      'Proposal to branch from: it begins with what that began with.',
    ),
    rationale: z.string().max(100_000).optional().describe('Why it is worth trying.'),
  }),
  out: Hypothesis,
  rest: { route: 'POST /studio/hypotheses/fork' },
  tool: 'hypothesis_fork',
  refuses: [
    ...['reject.workunit_not_found', 'reject.proposal_not_found', 'reject.repository_not_found'],
    'reject.wrong_state',
  ] as const,
  annotations: ADDS,
}).run((context, wanted) => {
  const { records, caller } = context;
  return context.answer((change) => {
    const { unit, hypothesis } = forkUnit(change, records, { ...wanted, owner: caller.name });
    return { ...hypothesisView(records, unit), rationale: hypothesis.rationale };
  });
});

export const list = operation({
  summary: 'List what is tried and what came of it, oldest first.',
  scope: 'read',
  in: z.object({ parentWorkUnitId: WorkUnitId.optional().describe('Only parts of this unit.') }),
  out: z.object({ hypotheses: z.array(Hypothesis).describe('The work units, as hypotheses.') }),
  rest: { route: 'GET /studio/hypotheses', query: ['parentWorkUnitId'] },
  tool: 'hypothesis_list',
  refuses: [],
  annotations: READS,
}).run(async ({ records }, { parentWorkUnitId }) => {
  const { workUnits } = records;
  const units = parentWorkUnitId === undefined ? workUnits.all() : workUnits.where('parent', parentWorkUnitId);
  return { hypotheses: await inTurns(units, (unit) => hypothesisView(records, unit)) };
});
