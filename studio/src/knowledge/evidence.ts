/** Evidence: what builds and tests have shown. */
import { createHash } from 'node:crypto';
import { type Evidence, type EvidenceGiven, evidence } from '../aggregates/evidence/evidence.js';
import type { Change } from '../ledger/change.js';
import type { ExecutionResult } from '../views/executions.js';
import type { WorkUnit } from '../aggregates/work-unit/state.js';

/** Attaching the same result again adds nothing, and gives the same ids. `proposalId` is of a proposal that offers what ran. */
export function attachEvidence(
  change: Change,
  { workUnitId }: Pick<WorkUnit, 'workUnitId'>,
  { resultId, builds, tests, checks }: ExecutionResult,
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
  const about = proposalId === undefined ? {} : { proposalId };
  return given.map((one) => change.run(evidence, one.evidenceId, 'attach', { ...one, ...about }));
}

function idOf(prefix: string, ...parts: readonly unknown[]): string {
  return prefix + createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
