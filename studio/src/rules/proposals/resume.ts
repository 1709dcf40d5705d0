/**
 * Recovery at start: ends the landings and trials that were under way when this host went down. Those of other hosts are
 * theirs.
 */
import type { StudioLog } from '../../log.js';
import { resume } from './apply.js';
import type { BranchContext } from '../branches/branch-context.js';

/** Ends them; one whose folder is gone or dirty is ended when it is next applied. */
export async function resumeLandings(context: BranchContext, hostId: string, log: StudioLog): Promise<void> {
  for (const { proposalId, landing, onTrial } of context.records.proposals.all()) {
    const begun = landing ?? onTrial;
    if (!begun || (begun.hostId ?? hostId) !== hostId) continue;
    await resume(context, proposalId).catch((error: unknown) => {
      log({ level: 'error', message: 'a merge that was under way could not be ended', about: { proposalId }, error });
    });
  }
}
