/** Findings: reported and reviewed. */
import type { Finding, FindingGiven, Verdict } from '../../record/aggregates/finding/finding.js';
import { finding } from '../../record/aggregates/finding/finding.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { recordArtifact } from './artifacts.js';

/** Reports findings; answers the new ones. */
export function reportFindings(change: Change, given: readonly FindingGiven[]): Finding[] {
  return given.flatMap((one) =>
    change.state(finding, one.findingId) ? [] : [change.run(finding, one.findingId, 'report', one)],
  );
}

/** Reviews a finding. A promoted guideline becomes a global constraint, once; an improved prompt becomes guidance for its stage. */
export function reviewFinding(
  change: Change,
  records: Records,
  findingId: string,
  { decision, notes }: { readonly decision: Verdict; readonly notes?: string | undefined },
): Finding {
  const found = records.findings.get(findingId);
  if (!found) throw refusal('reject.finding_not_found', `no finding is called ${findingId}`, { findingId });
  const { kind, title, summary: body, promotedArtifactId: before } = found;
  const isRule = decision === 'Promoted' && kind === 'KnowledgeGuideline';
  const promotedArtifactId =
    isRule && before === undefined
      ? recordArtifact(change, records, { type: 'Constraint', title, body }).artifactId
      : undefined;
  return change.run(finding, findingId, 'review', { decision, notes, promotedArtifactId });
}

/** Prompt guidance of a stage, in addition to the profile. */
export function promptGuidance(records: Records, stage: string): string[] {
  const promoted = records.findings.where('status', 'Promoted');
  return promoted
    .filter(({ kind, targetStage = stage }) => kind === 'PromptImprovement' && targetStage === stage)
    .map(({ title, summary }) => `${title}\n${summary}`);
}
