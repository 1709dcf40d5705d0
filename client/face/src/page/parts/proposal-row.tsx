/** A proposal as a row: how it stands, what it is, how many files it changes, and since when where that is shown. */
import type { MergeProposal } from '@weft/studio-client';
import { pathTo } from '../core/route.js';
import { titleOf } from './text.js';
import { When } from './time.js';
import { State, many } from './ui.js';

interface Row extends Pick<MergeProposal, 'proposalId' | 'summary' | 'status' | 'filesTouched'> {
  readonly updatedAt?: string;
}

export function ProposalRow({ of: { proposalId, summary, status, filesTouched, updatedAt } }: { readonly of: Row }) {
  return (
    <li class="row">
      <State is={status} />
      <a class="grow cut" href={pathTo('reviews', proposalId)}>
        {titleOf(summary)}
      </a>
      <span class="quiet">{many(filesTouched.length, 'file')}</span>
      {updatedAt !== undefined && <When at={updatedAt} />}
    </li>
  );
}
