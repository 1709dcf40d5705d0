/** Landing of a proposal: approved if nobody has, and moved to the branch of a person. */
import type { Terminal } from '../syntax/define.js';
import { shortId } from '../studio/event-text.js';
import type { StudioClient } from '../studio/studio-client.js';
import type { ProposalSeen } from './work.js';

export async function landing(
  client: StudioClient,
  proposalId: string,
  terminal: Terminal,
  json = false,
): Promise<void> {
  const landed = await client.call<{ targetBranch: string; status: string }>('external-result.apply', { proposalId });
  if (json) return terminal.out(JSON.stringify(landed));
  const now = await client.call<ProposalSeen>('merge.get', { proposalId });
  const id = shortId(proposalId);
  const files = `${now.filesTouched.length} ${now.filesTouched.length === 1 ? 'file' : 'files'}`;
  terminal.out(terminal.paint('green', `${id} has landed on ${landed.targetBranch}: ${files}`));
  if (now.landedOnCandidateBranch && !now.promotedToDisk)
    terminal.out('it waits on the candidate branch: weft studio candidate promote brings what is there to your own');
}
