/**
 * Servers that programs asked for and may not reach: each is an event, and a finding of their branch, so that a person knows of it.
 * The program may have done it by itself, or because of what an agent has read.
 */
import { attempt } from '../../record/aggregates/attempt/attempt.js';
import type { FindingGiven } from '../../record/aggregates/finding/finding.js';
import type { Change } from '../../record/ledger/change.js';
import type { StudioLog } from '../../log.js';
import type { RefusedProgram } from '../../workspace/egress/egress.js';
import type { Spaces } from '../../workspace/git/spaces/spaces.js';
import type { Records } from '../../record/views/records.js';
import { findingIdOf } from '../knowledge/detect-findings.js';
import { reportFindings } from '../knowledge/findings.js';

export interface RefusalContext {
  readonly records: Records;
  readonly spaces: Pick<Spaces, 'all'>;
  readonly log: StudioLog;
  readonly change: (work: (change: Change) => void) => Promise<void>;
}

const OPERATION = 'network';

export async function recordRefusedServer(
  { records, spaces, log, change }: RefusalContext,
  { target, why, folder, repositoryId }: RefusedProgram,
): Promise<void> {
  try {
    const branchId = (await spaces.all()).find((space) => space.folder === folder)?.branchId;
    const unit = branchId === undefined ? undefined : records.workUnits.all().find((one) => one.branchId === branchId);
    // One that was run in a folder of its own, such as a candidate, is of its repository.
    const whose = branchId ?? repositoryId ?? 'programs';
    const about = unit === undefined ? {} : { workUnitId: unit.workUnitId };
    const refused = { operation: OPERATION, agentId: whose, ...about, target, reason: why };
    await change((change) => {
      change.run(attempt, `${whose}/${OPERATION}`, 'refuse', refused);
      reportFindings(change, [findingOf(refused)]);
    });
  } catch (error) {
    // The refusal holds even if it cannot be recorded.
    log({
      level: 'error',
      message: 'a server that a program was refused could not be recorded',
      about: { target },
      error,
    });
  }
}

/** Finding in our own words alone: what people promote of it is told to other agents. */
function findingOf(refused: { readonly agentId: string }): FindingGiven {
  return {
    findingId: findingIdOf('network', refused.agentId),
    source: 'Deterministic',
    kind: 'PromptImprovement',
    title: 'A program tried to reach a server that is not allowed',
    summary:
      'It was not connected. Allow the server where the work needs it (--sandbox-hosts, or "network" in the file of models); else look at ' +
      'what its agent has read.',
    supportingDataJson: JSON.stringify(refused),
  };
}
