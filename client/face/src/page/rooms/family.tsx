/** Rooms that a room comes from and that came from it, as a graph; what a child would change, and its promotion. */
import { useState } from 'preact/hooks';
import { pathTo } from '../core/route.js';
import { visible } from '../parts/text.js';
import { Empty, Field, Read } from '../parts/ui.js';
import { say } from './client.js';
import { Says } from './says.js';
import { useWord } from './use-words.js';
import type { Words } from './words.js';

type Diff = Words['room-promote']['output'];

export function Family({ room }: { readonly room: string }) {
  const lineage = useWord('room-lineage', { room }, 5_000);
  const [child, setChild] = useState('');
  const [merges, setMerges] = useState(true);
  return (
    <>
      <Read of={lineage}>
        {({ ancestors, children }) => (
          <>
            <ol class="family" aria-label="Where it comes from">
              {[...ancestors].reverse().map(({ room: parent, purpose }) => (
                <li key={parent}>
                  <a href={pathTo('rooms', parent, 'family')}>{visible(parent)}</a>{' '}
                  <span class="quiet">↓ {visible(purpose)}</span>
                </li>
              ))}
              <li>
                <b aria-current="true">{visible(room)}</b>
                {children.length > 0 && (
                  <ul class="family" aria-label="Its children">
                    {children.map((one) => (
                      <li key={one.room}>
                        <a href={pathTo('rooms', one.room, 'family')}>{visible(one.room)}</a>{' '}
                        <span class="quiet">
                          {visible(one.purpose)}, {one.merges ? 'may be promoted' : 'stays beside it'}
                        </span>
                        {one.merges && <Promotion room={room} child={one.room} />}
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            </ol>
            {children.length === 0 && <Empty>No room has begun with what this one holds.</Empty>}
          </>
        )}
      </Read>
      <h2>Begin a child</h2>
      <div class="form">
        <Field label="Its name" name="child" value={child} onInput={setChild} />
        <label class="row">
          <input type="checkbox" checked={merges} onChange={(event) => setMerges(event.currentTarget.checked)} />
          It may be promoted into this one
        </label>
        <Says
          label="Begin it"
          kind="main"
          word="room-fork"
          input={{ room, child: child.trim(), merges }}
          disabled={child.trim() === ''}
          done="It has all that this room holds"
          after={() => setChild('')}
        />
      </div>
    </>
  );
}

/** What a child would change, key by key, before it is done. */
function Promotion({ room, child }: { readonly room: string; readonly child: string }) {
  const [diff, setDiff] = useState<Diff | string | undefined>(undefined);
  const look = async (): Promise<void> => {
    try {
      setDiff(await say('room-promote', { room, child, preview: true }));
    } catch (error) {
      setDiff(error instanceof Error ? error.message : String(error));
    }
  };
  if (diff === undefined)
    return (
      <p>
        <button type="button" onClick={() => void look()}>
          What would it change?
        </button>
      </p>
    );
  if (typeof diff === 'string') return <p class="failed">{diff}</p>;
  const { changes, more } = diff;
  const collides = changes.some(({ is_conflict: isConflict }) => isConflict);
  if (changes.length === 0) return <p>It has changed nothing.</p>;
  return (
    <>
      <table>
        <caption>What {visible(child)} would change</caption>
        <thead>
          <tr>
            <th>Key</th>
            <th>Changed by</th>
            <th>Stands</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ key, is_conflict: isConflict, stands }) => (
            <tr key={key}>
              <td>
                <code>{visible(key)}</code>
              </td>
              <td>{isConflict ? 'both' : 'the child'}</td>
              <td>{stands}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p class="quiet">and {more} more keys</p>}
      <Says
        label={collides ? 'Promote, merging what both have changed' : 'Promote'}
        kind="main"
        word="room-promote"
        input={{ room, child, ...(collides ? { merge: true } : {}) }}
        done="Promoted"
        sure="Promote it in one commit?"
        after={() => setDiff(undefined)}
      />
    </>
  );
}
