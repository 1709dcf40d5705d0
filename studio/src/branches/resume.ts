/** After a start: what was landing when the host went down is ended, one way or the other, and so is what was being tried out. */
import type { StudioLog } from '../log.js';
import { resume } from './apply.js';
import type { Ground } from './ground.js';

/** One that cannot be ended now, because its folder is gone or dirty, is ended by who applies it next. */
export async function resumeLandings(ground: Ground, log: StudioLog): Promise<void> {
  for (const { proposalId, landing, onTrial } of ground.records.proposals.all()) {
    if (!landing && !onTrial) continue;
    await resume(ground, proposalId).catch((error: unknown) => {
      log({ level: 'error', message: 'a merge that was under way could not be ended', proposalId, error });
    });
  }
}
