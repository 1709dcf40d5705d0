/** Evidence: what builds and tests have shown. */
import { createHash } from 'node:crypto';
import { type Evidence, type EvidenceGiven, evidence } from '../aggregates/evidence/evidence.js';
import type { Change } from '../ledger/change.js';
import type { ExecutionResult } from '../views/executions.js';
import type { Proposal } from '../aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../aggregates/work-unit/state.js';

/** Attaching the same result again adds nothing, and gives the same ids. `proposalId` is of a proposal that offers what ran. */
export function attachEvidence(
  change: Change,
  { workUnitId }: Pick<WorkUnit, 'workUnitId'>,
  { resultId, commit, builds, tests, checks }: ExecutionResult,
  proposalId?: string,
): Evidence[] {
  const given: EvidenceGiven[] = [
    ...builds.map(({ success, ...detail }, i) => ({
      ...{ evidenceId: idOf('ev-bld-', workUnitId, resultId, i), workUnitId, kind: 'Build' as const, success },
      summary: `${detail.command}: ${success ? 'built' : `failed with exit code ${detail.exitCode}`}`,
      detailJson: JSON.stringify(detail),
    })),
    ...tests.map(({ success, ...detail }, i) => ({
      ...{ evidenceId: idOf('ev-tst-', workUnitId, resultId, i), workUnitId, kind: 'Test' as const, success },
      summary: `${detail.command}: ${detail.passed} of ${detail.totalTests} tests passed`,
      detailJson: JSON.stringify(detail),
    })),
    ...checks.map(({ success, ...detail }, i) => ({
      ...{ evidenceId: idOf('ev-lnt-', workUnitId, resultId, i), workUnitId, kind: 'Lint' as const, success },
      summary: `${detail.command}: ${detail.complaints} complaints`,
      detailJson: JSON.stringify(detail),
    })),
  ];
  const about = { commit, ...(proposalId === undefined ? {} : { proposalId }) };
  return given.map((one) => change.run(evidence, one.evidenceId, 'attach', { ...one, ...about }));
}

/** What a review has decided speaks for the work or against it. */
export function attachReview(change: Change, proposal: Proposal, automated: boolean): void {
  const { proposalId, workUnitId, status, reviewedBy, reviewNotes, verificationResults } = proposal;
  if (workUnitId === undefined) return;
  const evidenceId = idOf('ev-', workUnitId, proposalId, status);
  change.run(evidence, evidenceId, 'attach', {
    ...{ evidenceId, workUnitId, proposalId, kind: automated ? 'AutomatedReview' : 'PolicyEvaluation' },
    ...{ success: status === 'Approved', summary: `${proposalId} is ${status}, says ${reviewedBy}` },
    detailJson: JSON.stringify({ reviewNotes, verificationResults }),
  });
}

function idOf(prefix: string, ...parts: readonly unknown[]): string {
  return prefix + createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
