/** Archives of rooms, where the server keeps them: one is written of this room, or taken into a room of another name. */
import { useState } from 'preact/hooks';
import { pathTo } from '../core/route.js';
import { visible } from '../parts/text.js';
import { Field, many } from '../parts/ui.js';
import { Says } from './says.js';
import type { Words } from './words.js';

type Taken = Words['room-restore']['output'];

export function Archives({ room }: { readonly room: string }) {
  const [archive, setArchive] = useState(`${room}.weft`);
  const [into, setInto] = useState(`${room}-restored`);
  const [taken, setTaken] = useState<Taken>();
  const isNamed = archive.trim() !== '';
  const input = { room: into.trim(), archive: archive.trim() };
  return (
    <div class="form">
      <Field
        label="Name of the archive"
        name="archive"
        value={archive}
        onInput={setArchive}
        hint="A file in the server’s folder for archives, or object://bucket/name."
      />
      <Says
        label="Write it"
        kind="main"
        word="room-archive"
        input={{ room, archive: input.archive }}
        disabled={!isNamed}
        done="Written: one signed file with all that the room holds, and its blobs"
      />
      <Field
        label="Room that takes it in"
        name="into"
        value={into}
        onInput={setInto}
        hint="It begins with the archive; one that is there already takes in what it lacks."
      />
      <Says
        label="Look at it"
        word="room-restore"
        input={{ ...input, trial: true }}
        disabled={!isNamed || input.room === ''}
        done="Frame, signature and policies are in order; nothing was changed"
      />
      <Says
        label="Restore"
        word="room-restore"
        input={input}
        disabled={!isNamed || input.room === ''}
        done="Restored"
        sure={`${into.trim()} takes in what the archive holds. Restore?`}
        after={setTaken}
      />
      {taken && (
        <p role="status">
          <a href={pathTo('rooms', taken.room, 'keep')}>{visible(taken.room)}</a> has taken in{' '}
          {many(taken.imported_nodes, 'node')} and {many(taken.imported_blobs, 'blob')}.
        </p>
      )}
    </div>
  );
}
