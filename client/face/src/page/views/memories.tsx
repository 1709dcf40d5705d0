/** Memory: what later work on a repository is told, what agents propose to remember, and what a person adds. */
import type { Memory } from '@weft/studio-client';
import { useState } from 'preact/hooks';
import { act } from '../core/act.js';
import { useQuery } from '../core/query.js';
import { pathTo } from '../core/route.js';
import { repositoryName } from '../parts/repository-name.js';
import { Prose, titleOf } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Choose, Does, Empty, Field, Read, State } from '../parts/ui.js';

export function Memories() {
  const memories = useQuery('memory.list', {});
  const repositories = useQuery('repository.list', {});
  return (
    <Read of={repositories}>
      {(all) => {
        const names = new Map(all.map((one) => [one.repositoryId, repositoryName(one)]));
        return (
          <>
            <Read of={memories}>
              {(known) =>
                known.length === 0 ? (
                  <Empty>Nothing is remembered of a repository yet. Agents propose what later work should know.</Empty>
                ) : (
                  <ul class="rows">
                    {known.map((one) => (
                      <Remembered key={one.memoryId} memory={one} repository={names.get(one.repositoryId) ?? ''} />
                    ))}
                  </ul>
                )
              }
            </Read>
            {names.size > 0 && <Add repositories={[...names]} />}
          </>
        );
      }}
    </Read>
  );
}

function Remembered({ memory, repository }: { readonly memory: Memory; readonly repository: string }) {
  const { memoryId, text, why, status, workUnitId, proposedAt } = memory;
  return (
    <li>
      <div class="row wrap">
        <State is={status} />
        <b class="grow">{repository}</b>
        {workUnitId !== undefined && <a href={pathTo('units', workUnitId)}>where it comes from</a>}
        <When at={proposedAt} />
      </div>
      <Prose text={text} lines={6} />
      {why !== undefined && <p class="quiet">{titleOf(why, 400)}</p>}
      <div class="row wrap">
        {status !== 'Confirmed' && (
          <Does
            label={status === 'Proposed' ? 'Remember it' : 'Remember it again'}
            operation="memory.confirm"
            input={{ memoryId }}
            done="Later work is told"
            undo={() => act('memory.remove', { memoryId }, 'It is told no more')}
          />
        )}
        {status === 'Proposed' && <Does label="Refuse" operation="memory.refuse" input={{ memoryId }} done="Refused" />}
        {status === 'Confirmed' && (
          <Does
            label="Tell it no more"
            operation="memory.remove"
            input={{ memoryId }}
            done="It is told no more"
            undo={() => act('memory.confirm', { memoryId }, 'Later work is told')}
          />
        )}
      </div>
    </li>
  );
}

function Add({ repositories }: { readonly repositories: readonly (readonly [id: string, name: string])[] }) {
  const [text, setText] = useState('');
  const [chosen, choose] = useState(repositories[0]?.[0] ?? '');
  return (
    <>
      <h2>Add what later work should know</h2>
      <div class="form">
        <Choose label="Repository" value={chosen} options={repositories} onChange={choose} />
        <Field label="What it should know" lines={3} value={text} onInput={setText} />
        <Does
          label="Add"
          kind="main"
          disabled={text.trim() === ''}
          operation="memory.add"
          input={{ text, repositoryId: chosen }}
          done="Later work is told"
          after={() => setText('')}
          undo={(added) => act('memory.remove', { memoryId: added.memoryId }, 'It is told to nobody')}
        />
      </div>
    </>
  );
}
