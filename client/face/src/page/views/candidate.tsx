/** Candidate: what has landed on the candidate branch, its conflicts, and the way to the user's own branch. */
import type { Operations } from '@weft/studio-client';
import { useState } from 'preact/hooks';
import { useQuery } from '../core/query.js';
import { pathTo } from '../core/route.js';
import { repositoryName } from '../parts/repository-name.js';
import { titleOf } from '../parts/text.js';
import { Does, Empty, Heading, Read, many } from '../parts/ui.js';

export function Candidate() {
  const repositories = useQuery('repository.list', {});
  return (
    <>
      <Heading title="Candidate" />
      <Read of={repositories}>
        {(all) =>
          all.length === 0 ? (
            <Empty>No repository is registered.</Empty>
          ) : (
            all.map((one) => (
              <Train key={one.repositoryId} repositoryId={one.repositoryId} name={repositoryName(one)} />
            ))
          )
        }
      </Read>
    </>
  );
}

/** What the studio said of the last promotion that it refused: which change fails the gate, and which pass it. */
interface Bisected {
  readonly proposalId: string;
  readonly passed: readonly string[];
}

function Train({ repositoryId, name }: { readonly repositoryId: string; readonly name: string }) {
  const pending = useQuery('candidate.pending', { repositoryId });
  const [found, setFound] = useState<Bisected | undefined>(undefined);
  return (
    <section class="card">
      <h2>{name}</h2>
      <Read of={pending}>
        {(all) =>
          all.length === 0 ? (
            <Empty>Nothing waits on the candidate branch.</Empty>
          ) : (
            <>
              <p class="quiet small">In the order in which they go. Each with what was shown of it:</p>
              <ol class="rows train">
                {all.map((change) => (
                  <Wagon key={change.proposalId} change={change} found={found} />
                ))}
              </ol>
              <Gate />
              <Does
                label={`Promote ${many(all.length, 'change')} to your branch`}
                kind="main"
                sure="Move your branch?"
                operation="candidate.promote"
                input={{ repositoryId }}
                done="Your branch has it"
                refused={({ details }) => setFound(isBisected(details) ? details : undefined)}
              />
            </>
          )
        }
      </Read>
    </section>
  );
}

function isBisected(details: unknown): details is Bisected {
  return typeof details === 'object' && details !== null && 'proposalId' in details && 'passed' in details;
}

type Waiting = Operations['candidate.pending']['output'][number];

/** One change of the train: what was built and tested of it, and what a refused promotion has found. */
function Wagon({ change, found }: { readonly change: Waiting; readonly found: Bisected | undefined }) {
  const { proposalId, workUnitId, summary, filesTouched } = change;
  const evidence = useQuery('evidence.list', { workUnitId: workUnitId ?? '' }, workUnitId !== undefined);
  const gates = (evidence.data?.evidence ?? []).filter(
    (one) => GATES.has(one.kind) && (one.proposalId === undefined || one.proposalId === proposalId),
  );
  // The last word of each gate counts.
  const last = [...new Map(gates.map((one) => [one.kind, one])).values()];
  return (
    <li class="row wrap">
      <a class="grow cut" href={pathTo('reviews', proposalId)}>
        {titleOf(summary)}
      </a>
      {last.map(({ kind, success, summary: said }) => (
        <span key={kind} class={`state ${success ? 'good' : 'bad'}`} title={titleOf(said, 300)}>
          {kind} {success ? 'passed' : 'failed'}
        </span>
      ))}
      {last.length === 0 && <span class="quiet small">no build or test was recorded</span>}
      {found && <Verdict proposalId={proposalId} found={found} />}
      <span class="quiet">{many(filesTouched.length, 'file')}</span>
    </li>
  );
}

const GATES: ReadonlySet<string> = new Set(['Build', 'Test', 'Lint']);

function Verdict({ proposalId, found }: { readonly proposalId: string; readonly found: Bisected }) {
  if (proposalId === found.proposalId) return <span class="state bad">the checks fail since this one</span>;
  if (found.passed.includes(proposalId)) return <span class="state good">passes with those before it</span>;
  return <span class="state">behind the one that fails</span>;
}

/** What is asked before the user's branch moves, as the settings say. */
function Gate() {
  const { data } = useQuery('option.get', {});
  if (!data) return null;
  const asked = [
    ...(data.requireBuildBeforeProposal ? ['builds'] : []),
    ...(data.requireTestBeforeProposal ? ['passes its tests'] : []),
  ];
  return (
    <p class="quiet small">
      {asked.length === 0
        ? 'Nothing is built or tested before your branch moves: '
        : `Your branch moves only if the whole ${asked.join(' and ')}; if not, the change is looked for that breaks it: `}
      <a href="/settings">Settings</a>
    </p>
  );
}
