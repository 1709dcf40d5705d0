/** What an operator does to keep a room: compact it, give up what was overwritten, shut and open it, its archives, its blobs. */
import { useState } from 'preact/hooks';
import { Code, visible } from '../parts/text.js';
import { Empty, Field, Read, many } from '../parts/ui.js';
import { Archives } from './archives.js';
import { Says } from './says.js';
import { bytes } from './show.js';
import { useWord } from './use-words.js';
import type { Words } from './words.js';

type About = Words['room-inspect']['output'];

export function Keep({ about }: { readonly about: About }) {
  const { room, shut, nodes, pruned_before: prunedBefore } = about;
  const [reason, setReason] = useState('');
  const [before, setBefore] = useState('');
  const asked = /^\d+$/.test(before.trim()) ? Number(before) : undefined;
  const position = asked !== undefined && asked <= nodes ? asked : undefined;
  return (
    <>
      <h2>Log</h2>
      <p>
        {many(nodes, 'node')} in {bytes(about.bytes)}
        {prunedBefore !== undefined && `; what was overwritten before position ${prunedBefore} is given up`}.
      </p>
      <Says label="Compact" word="room-compact" input={{ room }} done="Compacted; no answer changes by it" />
      <div class="form">
        <Field
          label="Give up what was overwritten before position"
          name="before"
          value={before}
          onInput={setBefore}
          hint={`Up to ${nodes}. What the room is or will be does not change; its past before that cannot be read any more.`}
        />
        <Says
          label="Prune"
          kind="danger"
          word="room-prune"
          input={{ room, ...(position === undefined ? {} : { before: position }) }}
          disabled={position === undefined}
          done="Given up; everybody comes again"
          sure="It is gone for good, and everybody has to come again. Prune?"
        />
      </div>
      <h2>Quarantine</h2>
      {shut === undefined ? (
        <div class="form">
          <Field label="Why, for other operators" name="reason" value={reason} onInput={setReason} />
          <Says
            label="Shut the room"
            kind="danger"
            word="room-quarantine"
            input={{ room, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) }}
            done="Shut: its peers have gone, and nobody enters"
            sure="Its peers have to go. Shut it?"
          />
        </div>
      ) : (
        <>
          <p>It is shut: {visible(shut)}</p>
          <Says label="Open it again" kind="main" word="room-resume" input={{ room }} done="Open" />
        </>
      )}
      <h2>Heads and hash</h2>
      <Code text={[`state ${about.state_hash ?? 'unknown'}`, ...(about.heads ?? [])].join('\n')} label="Heads" />
      <h2>Archives</h2>
      <Archives room={room} />
      <h2>Blobs</h2>
      <Blobs room={room} />
    </>
  );
}

function Blobs({ room }: { readonly room: string }) {
  const blobs = useWord('room-blobs', { room, most: 200 });
  return (
    <Read of={blobs}>
      {({ blobs: found, count, bytes: all }) =>
        count === 0 ? (
          <Empty>It names no blob.</Empty>
        ) : (
          <>
            <p>
              {many(count, 'blob')}, {bytes(all)} in all
            </p>
            <ul class="plain">
              {found.map(({ hash, bytes: size }) => (
                <li key={hash}>
                  <code>{hash}</code> <span class="quiet">{bytes(size)}</span>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Read>
  );
}
