/** After a start: what was landing or on trial when this host went down is ended, one way or the other. What others land is theirs. */
import type { StudioLog } from '../../log.js';
import { resume } from './apply.js';
import type { BranchContext } from '../branches/branch-context.js';

/** One that cannot be ended now, because its folder is gone or dirty, is ended by who applies it next. */
export async function resumeLandings(context: BranchContext, hostId: string, log: StudioLog): Promise<void> {
  for (const { proposalId, landing, onTrial } of context.records.proposals.all()) {
    const begun = landing ?? onTrial;
    if (!begun || (begun.hostId ?? hostId) !== hostId) continue;
    await resume(context, proposalId).catch((error: unknown) => {
      log({ level: 'error', message: 'a merge that was under way could not be ended', about: { proposalId }, error });
    });
  }
}
