/** Comparing projections: models, forks, and how a run went. */
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { isDone } from '../record/aggregates/work-unit/status.js';
import { alternativesTo } from '../rules/knowledge/alternatives.js';
import { evidenceNow } from '../rules/knowledge/evidence.js';
import { hypothesisStatus } from '../rules/knowledge/forks.js';
import type { Proposal } from '../record/aggregates/merge-proposal/state.js';
import { unitOf } from '../record/views/by-id.js';
import { groupBy } from './group-by.js';
import { type Projection, type Sources, needed } from './sources.js';
import { proposalsAbout, unitsAbout } from './work.js';

function madeBy({ model = 'unknown' }: Proposal): string {
  return model;
}

function performance(proposals: readonly Proposal[]) {
  return [...groupBy(proposals, madeBy)].map(([model, made]) => {
    const accepted = made.filter(({ status }) => status === 'Approved' || status === 'Merged').length;
    const rejected = made.filter(({ status }) => status === 'Rejected').length;
    return { model, proposals: made.length, accepted, rejected };
  });
}

export const modelDivergenceView: Projection = (sources, about) => {
  const proposals = proposalsAbout(sources, about);
  const files = new Map<string, Set<string>>();
  for (const proposal of proposals)
    for (const path of proposal.filesTouched) files.set(path, (files.get(path) ?? new Set()).add(madeBy(proposal)));
  const models = performance(proposals);
  return {
    workUnitId: about.workUnitId,
    models,
    // Files that some models changed and others did not.
    divergedFiles: [...files]
      .filter(([, by]) => by.size < models.length)
      .map(([path, by]) => ({ path, models: [...by] })),
  };
};

function side({ proposals }: Sources, { workUnitId, goal, status }: Pick<WorkUnit, 'workUnitId' | 'goal' | 'status'>) {
  const made = proposals.ofUnit(workUnitId);
  const { model, provider } = made.at(-1) ?? {};
  const summaries = made.map(({ proposalId, status, summary }) => ({ proposalId, status, summary }));
  return { workUnitId, goal, status, model, provider, proposals: summaries.reverse() };
}

export const counterfactualComparison: Projection = (sources, about) => {
  const { records, proposals } = sources;
  const unit = unitOf(records, needed(about, 'workUnitId'));
  const forks = alternativesTo(records, unit, proposals).filter((one) => one.branchedFromProposalId !== undefined);
  const all = [unit, ...forks];
  const accepted = all.filter(({ workUnitId }) =>
    proposals.ofUnit(workUnitId).some(({ status }) => status === 'Approved' || status === 'Merged'),
  );
  return {
    original: side(sources, unit),
    counterfactuals: forks.map((fork) => side(sources, fork)),
    // Named only where reviews have decided.
    whichWasBetter: accepted.length === 1 ? accepted[0]?.workUnitId : undefined,
  };
};

const STANDING = { Converged: 2, Proposed: 1, Active: 0, Superseded: -1, Rejected: -2 } as const;

/** Comparison of hypotheses, with a recommendation, never a decision. */
export const hypothesisComparison: Projection = ({ records, proposals }, about) => {
  const unit = unitOf(records, needed(about, 'workUnitId'));
  const parts = records.workUnits.where('parent', unit.workUnitId);
  const parent = parts.length > 0 ? unit.workUnitId : unit.parentWorkUnitId;
  const siblings = parent === undefined ? [unit] : records.workUnits.where('parent', parent);
  const compared = siblings.map((sibling) => {
    const { workUnitId, goal, forkType } = sibling;
    const evidence = evidenceNow(records, workUnitId, proposals.ofUnit(workUnitId).at(-1));
    const status = hypothesisStatus(records, sibling);
    const speaksFor = evidence.filter(({ success }) => success).length;
    const score = STANDING[status] * 10 + speaksFor - (evidence.length - speaksFor);
    return { workUnitId, goal, forkType, status, evidenceCount: evidence.length, score };
  });
  const best = compared.toSorted((a, b) => b.score - a.score);
  const isClear = best.length > 0 && best[0]?.score !== best[1]?.score;
  return {
    parentWorkUnitId: parent,
    siblings: best,
    recommendedWorkUnitId: isClear ? best[0]?.workUnitId : undefined,
  };
};

export const runRetrospective: Projection = (sources, about) => {
  const { records, progress } = sources;
  const isMeant = (at: string): boolean =>
    (about.since === undefined || at >= about.since) && (about.until === undefined || at <= about.until);
  const units = unitsAbout(sources, about).filter(({ createdAt }) => isMeant(createdAt));
  const ids = new Set(units.map(({ workUnitId }) => workUnitId));
  const proposals = sources.proposals.all().filter(({ workUnitId = '' }) => ids.has(workUnitId));
  const failures = progress.failures.filter(({ workUnitId, occurredAt }) => ids.has(workUnitId) && isMeant(occurredAt));
  const decisions = records.decisions.all().filter(({ workUnitId = '' }) => ids.has(workUnitId));
  const done = units.filter(({ status }) => isDone(status)).length;
  const ended = done + units.filter(({ status }) => status === 'Failed' || status === 'DeadLettered').length;
  const rework = units.map(({ executionInfo: of }) => of.automatedReviewRejectionCount + of.humanReviewRejectionCount);
  const causes = [...groupBy(failures, ({ kind }) => kind)]
    .map(([cause, found]) => ({ cause, count: found.length }))
    .sort((a, b) => b.count - a.count || (a.cause < b.cause ? -1 : 1));
  const forks = units.flatMap((unit) =>
    unit.forkType === undefined ? [] : [{ forkType: unit.forkType, status: hypothesisStatus(records, unit) }],
  );
  return {
    totals: {
      workUnits: units.length,
      completed: done,
      proposals: proposals.length,
      failures: failures.length,
      decisions: decisions.length,
    },
    // Share of the work that ended without being cancelled.
    successRate: ended === 0 ? undefined : done / ended,
    averageReworkCycles: units.length === 0 ? 0 : rework.reduce((sum, one) => sum + one, 0) / units.length,
    topFailureCause: causes[0]?.cause,
    failureCauses: causes,
    modelPerformance: performance(proposals),
    forkWinRates: [...groupBy(forks, ({ forkType }) => forkType)].map(([forkType, made]) => {
      const wins = made.filter(({ status }) => status === 'Converged').length;
      return { forkType, forks: made.length, wins, winRate: wins / made.length };
    }),
    reviewOutcomes: new Map(
      [...groupBy(decisions, ({ outcome }) => outcome)].map(([outcome, made]) => [outcome, made.length]),
    ),
  };
};
