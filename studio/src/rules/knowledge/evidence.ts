/** Evidence from builds, tests and reviews. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Evidence, type EvidenceGiven, evidence } from '../../record/aggregates/evidence/evidence.js';
import type { Change } from '../../record/ledger/change.js';
import type { ExecutionResult } from '../../record/views/executions.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Records } from '../../record/views/records.js';

/** Identity of a step among others of the same commit. */
const Ran = z.object({ command: z.string().optional(), projectRoot: z.string().optional() });

/**
 * Attaches results as evidence, idempotently: the same result gives the same ids. `proposalId` is the proposal that offers what
 * ran. Of a command that an agent has named only a failure says something.
 */
export function attachEvidence(
  change: Change,
  { workUnitId }: Pick<WorkUnit, 'workUnitId'>,
  { resultId, commit, builds, tests, checks, isOfAgent = false }: ExecutionResult,
  proposalId?: string,
): Evidence[] {
  const given: EvidenceGiven[] = [
    ...builds.map(({ success, ...detail }, i) => ({
      evidenceId: idOf('ev-bld-', workUnitId, resultId, i),
      workUnitId,
      kind: 'Build' as const,
      success,
      summary: `${detail.command}: ${success ? 'built' : `failed with exit code ${detail.exitCode}`}`,
      detailJson: JSON.stringify(detail),
    })),
    ...tests.map(({ success, ...detail }, i) => ({
      evidenceId: idOf('ev-tst-', workUnitId, resultId, i),
      workUnitId,
      kind: 'Test' as const,
      success,
      summary: `${detail.command}: ${detail.passed} of ${detail.totalTests} tests passed`,
      detailJson: JSON.stringify(detail),
    })),
    ...checks.map(({ success, ...detail }, i) => ({
      evidenceId: idOf('ev-lnt-', workUnitId, resultId, i),
      workUnitId,
      kind: 'Lint' as const,
      success,
      summary: `${detail.command}: ${detail.complaints} complaints`,
      detailJson: JSON.stringify(detail),
    })),
  ];
  const about = { commit, ...(proposalId === undefined ? {} : { proposalId }) };
  return given
    .filter(({ success }) => !(success && isOfAgent))
    .map((one) => change.run(evidence, one.evidenceId, 'attach', { ...one, ...about }));
}

/** Attaches a review as evidence for or against the work. */
export function attachReview(change: Change, proposal: Proposal, automated: boolean): void {
  const { proposalId, workUnitId, status, reviewedBy, reviewNotes, verificationResults } = proposal;
  if (workUnitId === undefined) return;
  const evidenceId = idOf('ev-', workUnitId, proposalId, status);
  change.run(evidence, evidenceId, 'attach', {
    evidenceId,
    workUnitId,
    proposalId,
    kind: automated ? 'AutomatedReview' : 'PolicyEvaluation',
    success: status === 'Approved',
    summary: `${proposalId} is ${status}, says ${reviewedBy}`,
    detailJson: JSON.stringify({ reviewNotes, verificationResults }),
  });
}

/**
 * Current evidence: of the proposed commit, or of the last one that ran while nothing is proposed; of each command the latest
 * result. Evidence of older commits does not count.
 */
export function evidenceNow(records: Records, workUnitId: string, newest: Proposal | undefined): Evidence[] {
  const all = records.evidence.where('workUnit', workUnitId);
  const now = newest?.headCommit ?? all.findLast(({ commit }) => commit !== undefined)?.commit;
  const counting = all.filter(({ commit, proposalId = newest?.proposalId }) =>
    commit === undefined ? proposalId === newest?.proposalId : commit === now,
  );
  return [...new Map(counting.map((one) => [whatRan(one), one])).values()];
}

function whatRan({ kind, detailJson = '{}' }: Evidence): string {
  const { command, projectRoot } = Ran.catch({}).parse(JSON.parse(detailJson));
  return JSON.stringify([kind, command, projectRoot]);
}

function idOf(prefix: string, ...parts: readonly unknown[]): string {
  return prefix + createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
