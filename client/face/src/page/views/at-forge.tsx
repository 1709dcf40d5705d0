/** At the forge: the pull request of a result, its checks there, and the way to open one. */
import type { Contribution, MergeProposal } from '@weft/studio-client';
import { useState } from 'preact/hooks';
import { useQuery } from '../core/query.js';
import { titleOf } from '../parts/text.js';
import { Does, State } from '../parts/ui.js';

export function AtForge({ proposal }: { readonly proposal: MergeProposal }) {
  const { workUnitId, repositoryId, status, goal: text } = proposal;
  const contributions = useQuery('contribution.list', {});
  // The studio takes so many letters of words.
  const goals = useQuery('goal.list', { words: text.slice(0, 200) }, workUnitId !== undefined && text.trim() !== '');
  const goal = goals.data?.goals.find((one) => one.workUnitId === workUnitId);
  // A part of a goal goes with the whole.
  if (!goal) return null;
  const { goalId } = goal;
  const found = contributions.data?.find((one) => one.goalId === goalId);
  if (found?.number !== undefined) return <PullRequest of={found} />;
  return OFFERED.has(status) ? <Offer goalId={goalId} repositoryId={repositoryId} /> : null;
}

const OFFERED: ReadonlySet<MergeProposal['status']> = new Set(['ReadyForReview', 'UnderReview', 'Approved']);

/** Whether the repository is at a forge is asked when somebody wants to know. */
function Offer({ goalId, repositoryId }: { readonly goalId: string; readonly repositoryId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Open as a pull request</summary>
      {isOpen && <Offered goalId={goalId} repositoryId={repositoryId} />}
    </details>
  );
}

function Offered({ goalId, repositoryId }: { readonly goalId: string; readonly repositoryId: string }) {
  const forge = useQuery('forge.get', { repositoryId });
  if (forge.data === undefined)
    return forge.error === undefined ? null : (
      <p class="small">
        {forge.error.message}. Once, where the studio runs:{' '}
        <code>weft studio forge connect --repositoryId {repositoryId} --kind github</code>
      </p>
    );
  const { project, base } = forge.data;
  return (
    <>
      <p class="small">
        On a branch of its own at {titleOf(project)}, to be merged there into <code>{titleOf(base)}</code>.
      </p>
      <Does
        label="Offer it there"
        operation="contribution.offer"
        input={{ goalId }}
        done={`It is offered at ${project}`}
      />
    </>
  );
}

function PullRequest({ of: { number, url = '', outcome, checks } }: { readonly of: Contribution }) {
  return (
    <>
      <h2>Pull request</h2>
      <p>
        {isWeb(url) ? (
          <a href={url} target="_blank" rel="noopener noreferrer">
            #{number} at {new URL(url).host}
          </a>
        ) : (
          `#${number}`
        )}{' '}
        {outcome !== undefined && <State is={outcome} />}
      </p>
      <ul class="plain">
        {checks.map(({ name, state }) => (
          <li key={name}>
            <State is={state} /> {titleOf(name)}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Whether an address that a forge has named leads to a page, and runs nothing here. */
function isWeb(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
