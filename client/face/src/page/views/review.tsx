/** Review: what a proposal changes, why, and what was checked; the decision with the comments on its lines. */
import { signal } from '@preact/signals';
import type { MergeProposal } from '@weft/studio-client';
import { useMemo, useState } from 'preact/hooks';
import { useKeys } from '../core/keys.js';
import { useQuery, useSteady } from '../core/query.js';
import { go, pathTo } from '../core/route.js';
import { FileDiff, type LineComment } from '../parts/changes/diff.js';
import { tallyOf } from '../parts/changes/diff-rows.js';
import { movesOf } from '../parts/changes/moved.js';
import { placedNotes } from '../parts/changes/placed-notes.js';
import { More, useNewest } from '../parts/newest.js';
import { ProposalRow } from '../parts/proposal-row.js';
import { Prose, shortIds, shortName, titleOf, visible } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Does, Empty, Field, Heading, Read, State, many, shortId, stateWords } from '../parts/ui.js';
import { AtForge } from './at-forge.js';
import { WhatIf } from './what-if.js';

const isSplit = signal(matchMedia('(min-width: 85rem)').matches);
/** Comments that were not sent yet, by proposal: they outlive a look elsewhere. */
const drafts = signal<Readonly<Record<string, readonly LineComment[]>>>({});

export function Reviews() {
  const [newest, more] = useNewest();
  const all = useSteady(useQuery('merge.list', { newest }));
  return (
    <>
      <Heading title="Reviews" />
      <Read of={all}>
        {(proposals) =>
          proposals.length === 0 ? (
            <Empty>Nothing was proposed yet.</Empty>
          ) : (
            <>
              <ul class="rows">
                {proposals.toReversed().map((one) => (
                  <ProposalRow key={one.proposalId} of={one} />
                ))}
              </ul>
              <More shown={proposals.length} newest={newest} onMore={more} />
            </>
          )
        }
      </Read>
    </>
  );
}

export function Review({ proposalId }: { readonly proposalId: string }) {
  const proposal = useQuery('merge.get', { proposalId });
  return <Read of={proposal}>{(found) => <Proposal proposal={found} />}</Read>;
}

function Proposal({ proposal }: { readonly proposal: MergeProposal }) {
  const { proposalId, summary, status, sourceBranch, targetBranch, workUnitId, updatedAt } = proposal;
  const changes = useQuery('merge.fileChanges', { proposalId });
  const moves = useMemo(() => movesOf(changes.data?.fileChanges ?? []), [changes.data]);
  const comments = drafts.value[proposalId] ?? [];
  const paths = changes.data?.fileChanges.map(({ path }) => path) ?? [];
  const said = placedNotes(proposal.reviewNotes ?? '', paths);
  const comment = (made: LineComment): void =>
    void (drafts.value = { ...drafts.value, [proposalId]: [...comments, made] });
  const move = (by: number): void => {
    const files = [...document.querySelectorAll<HTMLElement>('.file')];
    const at = files.findIndex((file) => file.getBoundingClientRect().bottom > 160);
    files[Math.min(files.length - 1, Math.max(0, at + by))]?.scrollIntoView();
  };
  useKeys([
    { keys: 's', does: 'Side by side, or one below the other', run: () => (isSplit.value = !isSplit.value) },
    { keys: 'j', does: 'Next file', run: () => move(1) },
    { keys: 'k', does: 'File before', run: () => move(-1) },
    { keys: 'a', does: 'Approve and land', run: () => press('approve-land') },
    { keys: 'x', does: 'Request changes', run: () => document.querySelector<HTMLElement>('[name=notes]')?.focus() },
  ]);
  return (
    <>
      <Heading title={<>Review: {titleOf(summary)}</>}>
        <State is={status} />
        <span class="quiet">
          {shortName(sourceBranch)} → {shortName(targetBranch)} · <When at={updatedAt} />
        </span>
        {workUnitId !== undefined && <a href={pathTo('units', workUnitId)}>work unit</a>}
        <button type="button" aria-pressed={isSplit.value} onClick={() => (isSplit.value = !isSplit.value)}>
          Side by side
        </button>
      </Heading>
      <div class="review">
        <aside aria-label="Why" class="why">
          <Why proposal={proposal} />
          <Decision proposal={proposal} comments={comments} />
          <AtForge proposal={proposal} />
          <OtherWays proposal={proposal} />
        </aside>
        <div class="changes">
          <Read of={changes}>
            {({ fileChanges }) =>
              fileChanges.length === 0 ? (
                <Empty>It changes no file. {proposal.noFileChangesJustification ?? ''}</Empty>
              ) : (
                <>
                  <nav aria-label="Changed files" class="files">
                    {fileChanges.map((change) => {
                      const { added, removed } = tallyOf(change);
                      return (
                        <button
                          key={change.path}
                          type="button"
                          class="file-link"
                          onClick={() => document.getElementById(`file-${change.path}`)?.scrollIntoView()}
                        >
                          <span class="cut">{visible(change.path)}</span> <span class="added-count">+{added}</span>{' '}
                          <span class="removed-count">−{removed}</span>
                        </button>
                      );
                    })}
                  </nav>
                  {fileChanges.map((change) => (
                    <FileDiff
                      key={change.path}
                      change={change}
                      moves={moves.get(change.path)}
                      isSplit={isSplit.value}
                      comments={[...said, ...comments]}
                      onComment={comment}
                    />
                  ))}
                </>
              )
            }
          </Read>
        </div>
      </div>
    </>
  );
}

function press(name: string): void {
  document.querySelector<HTMLButtonElement>(`[data-press=${name}] button`)?.click();
}

/** What one should know who did not watch: asked, decided, tried, failed. */
function Why({ proposal }: { readonly proposal: MergeProposal }) {
  const { goal, changeDescription, summary, verificationResults, confidence, agentId, model } = proposal;
  const troubles = (proposal.troubles ?? []).filter(({ kind }) => kind !== 'Work');
  const { proposalId, reconciledFrom, workUnitId, reviewNotes } = proposal;
  const evidence = useQuery('evidence.list', { workUnitId: workUnitId ?? '' }, workUnitId !== undefined);
  const parts = useQuery('merge.constituents', { proposalId }, reconciledFrom.length > 0);
  return (
    <>
      <h2>Asked for</h2>
      <Prose text={goal} lines={6} />
      {changeDescription !== summary && changeDescription !== '' && (
        <>
          <h2>What was done</h2>
          <Prose text={changeDescription} lines={8} />
        </>
      )}
      {troubles.length > 0 && (
        <>
          <h2>Failed on the way</h2>
          <ul class="plain">
            {troubles.map(({ kind, text }) => (
              <li key={`${kind} ${text}`}>
                <State is="failed" /> {kind}
                <Prose text={text} lines={3} />
              </li>
            ))}
          </ul>
        </>
      )}
      {verificationResults !== undefined && (
        <>
          <h2>Checked</h2>
          <Prose text={verificationResults} lines={6} />
        </>
      )}
      {evidence.data?.evidence.length === 0 && verificationResults === undefined && (
        <p class="notice small">Nothing shows that it works: no build, test or review of it was recorded.</p>
      )}
      {(evidence.data?.evidence.length ?? 0) > 0 && (
        <>
          <h2>Evidence</h2>
          <ul class="plain">
            {evidence.data?.evidence.slice(-6).map((one) => (
              <li key={one.evidenceId}>
                <State is={one.success ? 'Passed' : 'Failed'} /> {stateWords(one.kind)}:{' '}
                {titleOf(shortIds(one.summary), 200)}
              </li>
            ))}
          </ul>
        </>
      )}
      {(parts.data?.length ?? 0) > 0 && (
        <>
          <h2>Brings together</h2>
          <ul class="plain">
            {parts.data?.map((part) => (
              <li key={part.proposalId}>
                <a href={pathTo('reviews', part.proposalId)}>{titleOf(part.summary || part.proposalId)}</a>{' '}
                <State is={part.status} />
              </li>
            ))}
          </ul>
        </>
      )}
      {reviewNotes !== undefined && (
        <>
          <h2>The review says</h2>
          <Prose text={reviewNotes} lines={6} />
        </>
      )}
      <p class="quiet small">
        {agentId === undefined ? 'by a person' : `by agent ${shortId(agentId)}`}
        {model !== undefined && `, ${titleOf(model, 60)}`}
        {confidence !== undefined && `, ${Math.round(confidence * 100)} % sure`}
      </p>
    </>
  );
}

const DECIDABLE: ReadonlySet<string> = new Set(['ReadyForReview', 'UnderReview', 'Approved']);

function Decision({
  proposal,
  comments,
}: {
  readonly proposal: MergeProposal;
  readonly comments: readonly LineComment[];
}) {
  const { proposalId, status, landedOnCandidateBranch, troubles = [] } = proposal;
  const over = troubles.find(({ kind }) => kind === 'Work');
  const [notes, setNotes] = useState('');
  if (status === 'Merged')
    return (
      <p>It has landed. {landedOnCandidateBranch && <a href="/candidate">It waits on the candidate branch.</a>}</p>
    );
  if (over) return <p class="quiet">There is nothing to decide: {over.text}.</p>;
  if (status === 'Draft') return <p class="quiet">It is looked at before you are asked to decide.</p>;
  if (!DECIDABLE.has(status))
    return <p class="quiet">There is nothing to decide: it is {stateWords(status).toLowerCase()}.</p>;
  const said = [...comments.map(({ path, line, text }) => `${path}:${line}: ${text}`), notes.trim()]
    .filter((one) => one !== '')
    .join('\n');
  const done = (): void => {
    const { [proposalId]: _sent, ...others } = drafts.value;
    drafts.value = others;
    go('/inbox');
  };
  return (
    <div class="decision">
      <h2>Decide</h2>
      {comments.length > 0 && <p class="small">{many(comments.length, 'comment')} on lines will be sent with it.</p>}
      <Field label="What should change" name="notes" lines={3} value={notes} onInput={setNotes} />
      <div class="row wrap">
        <Does
          label="Request changes"
          operation="merge.review"
          disabled={said === ''}
          input={{ proposalId, decision: 'Rejected', notes: said }}
          done="Sent back, to be done anew"
          after={done}
        />
        {status !== 'Approved' && (
          <Does
            label="Approve"
            operation="merge.review"
            input={{ proposalId, decision: 'Approved', ...(said === '' ? {} : { notes: said }) }}
            done="Approved"
          />
        )}
        <span data-press="approve-land">
          <Does
            label={status === 'Approved' ? 'Land' : 'Approve and land'}
            kind="main"
            operation="external-result.apply"
            input={{ proposalId }}
            done="It has landed"
            after={done}
            keys="a"
          />
        </span>
      </div>
      <p class="quiet small">A review says that the work is good; landing moves a branch.</p>
    </div>
  );
}

/** Other proposals of the same work, beside this one; and doing it again with something changed. */
function OtherWays({ proposal: { proposalId, workUnitId, goal } }: { readonly proposal: MergeProposal }) {
  // The studio takes so many letters of words.
  const all = useQuery('merge.list', { words: goal.slice(0, 200) });
  const others = (all.data ?? []).filter(
    (one) => one.proposalId !== proposalId && (one.goal === goal || one.workUnitId === workUnitId),
  );
  return (
    <details class="ways">
      <summary>Other ways</summary>
      {others.length > 0 && (
        <>
          <h3>Compare with</h3>
          <ul class="plain">
            {others.slice(-12).map((one) => (
              <li key={one.proposalId}>
                <a href={pathTo('reviews', proposalId, 'with', one.proposalId)}>{titleOf(one.summary, 60)}</a>{' '}
                <State is={one.status} />
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>What if</h3>
      <WhatIf proposalId={proposalId} />
    </details>
  );
}
