/** Candidate: what has landed on the candidate branch, its conflicts, and the way to the user's own branch. */
import { useQuery } from '../core/query.js';
import { pathTo } from '../core/route.js';
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
            all.map(({ repositoryId, label, path }) => (
              <Train key={repositoryId} repositoryId={repositoryId} name={titleOf(label ?? path)} />
            ))
          )
        }
      </Read>
    </>
  );
}

function Train({ repositoryId, name }: { readonly repositoryId: string; readonly name: string }) {
  const pending = useQuery('candidate.pending', { repositoryId });
  return (
    <section class="card">
      <h2>{name}</h2>
      <Read of={pending}>
        {(all) =>
          all.length === 0 ? (
            <Empty>Nothing waits on the candidate branch.</Empty>
          ) : (
            <>
              <ol class="rows train">
                {all.map(({ proposalId, summary, filesTouched }) => (
                  <li key={proposalId} class="row">
                    <a class="grow cut" href={pathTo('reviews', proposalId)}>
                      {titleOf(summary)}
                    </a>
                    <span class="quiet">{many(filesTouched.length, 'file')}</span>
                  </li>
                ))}
              </ol>
              <Does
                label={`Promote ${many(all.length, 'change')} to your branch`}
                kind="main"
                sure="Move your branch?"
                operation="candidate.promote"
                input={{ repositoryId }}
                done="Your branch has it"
              />
            </>
          )
        }
      </Read>
    </section>
  );
}
