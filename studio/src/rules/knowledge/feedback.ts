/** Artifact feedback: who is shown artifacts, and which reviews take them into account. */
import { artifactFeedback } from '../../record/aggregates/artifact-feedback/artifact-feedback.js';
import type { Artifact } from '../../record/aggregates/artifact/state.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { artifactOf, queryArtifacts } from './artifacts.js';
import { constraintsFor } from './constraints.js';

/** Artifacts of others shown to a unit's agent, without private ones. */
export function ofOthers(records: Records, workUnitId: string, agentId: string): Artifact[] {
  const shown = [...queryArtifacts(records, workUnitId), ...constraintsFor(records, workUnitId)];
  const isOfAnother = ({ ownedByAgentId: maker }: Artifact): boolean => maker !== undefined && maker !== agentId;
  return shown.filter((one) => one.reach !== 'Private' && isOfAnother(one));
}

export function noteSurfaced(
  change: Change,
  shown: readonly Artifact[],
  to: { readonly surfacedToAgentId: string; readonly projectionType: string },
): void {
  for (const one of shown) change.run(artifactFeedback, one.artifactId, 'surface', { ...about(one), ...to });
}

/** Records that a review took artifacts into account. */
export function noteConsidered(
  change: Change,
  records: Records,
  artifactIds: readonly string[],
  by: { readonly proposalId: string; readonly decision: string },
): void {
  const found = artifactIds.map((artifactId) => artifactOf(records, artifactId));
  for (const one of found.filter(({ reach }) => reach !== 'Private'))
    change.run(artifactFeedback, one.artifactId, 'consider', { ...about(one), ...by });
}

function about({ artifactId, ownedByWorkUnitId }: Artifact) {
  return { artifactId, ...(ownedByWorkUnitId === undefined ? {} : { workUnitId: ownedByWorkUnitId }) };
}
