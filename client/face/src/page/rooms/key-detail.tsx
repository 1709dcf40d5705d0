/** What a key holds, who wrote it and over whom it won, and when; a text with the colours of its authors, at any of its moments. */
import { useState } from 'preact/hooks';
import { Code, visible } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Empty, Read, many } from '../parts/ui.js';
import { colourOf, shortKey } from './show.js';
import { useWord } from './use-words.js';
import type { Words } from './words.js';

type Why = Words['room-why']['output'];

interface KeyDetailProps {
  readonly room: string;
  readonly name: string;
  /** Position of the log that is looked at; now when undefined. */
  readonly at: number | undefined;
}

export function KeyDetail({ room, name, at }: KeyDetailProps) {
  const why = useWord('room-why', { room, key: name, ...(at === undefined ? {} : { at }) });
  return (
    <>
      <h2 class="key-name">{visible(name)}</h2>
      <Read of={why}>
        {(found) => (
          <>
            {found.value !== undefined && <Code text={pretty(found.value)} label="Value" lines={200} />}
            {found.list !== undefined && <Code text={pretty(found.list)} label="List" lines={200} />}
            {found.text !== undefined && <Written room={room} name={name} at={at} />}
            {found.value === undefined && found.list === undefined && found.text === undefined && (
              <Empty>It holds nothing here.</Empty>
            )}
            <Reason why={found} />
          </>
        )}
      </Read>
    </>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json; // its beginning alone
  }
}

function Reason({ why: { origin, writes } }: { readonly why: Why }) {
  return (
    <>
      {origin && (
        <>
          <h3>Why</h3>
          <p>
            Node <code>{origin.node.slice(0, 12)}</code> by <Author of={origin.author} /> wrote it
            {origin.wall_ms !== undefined && (
              <>
                , <When at={new Date(origin.wall_ms).toISOString()} />
              </>
            )}
            .{' '}
            {origin.beat.length === 0
              ? 'Nobody wrote at the same time.'
              : `It won over ${many(origin.beat.length, 'write')} that its author did not know: ${origin.beat
                  .map((node) => node.slice(0, 12))
                  .join(', ')}.`}
          </p>
        </>
      )}
      <h3>Written by</h3>
      {writes.length === 0 ? (
        <Empty>Nobody has written to it here.</Empty>
      ) : (
        <ul class="rows">
          {writes.map(({ seq, node, author, wall_ms, kinds }) => (
            <li key={seq} class="row">
              <span class="quiet number-of">{seq}</span>
              <Author of={author} />
              <span class="grow quiet">{kinds.join(', ')}</span>
              <code>{node.slice(0, 12)}</code>
              {wall_ms !== undefined && <When at={new Date(wall_ms).toISOString()} />}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Author({ of }: { readonly of: string }) {
  return (
    <code class={`author author-${colourOf(of)}`} title={of}>
      {shortKey(of)}
    </code>
  );
}

/** A text in the colours of its authors, with a slider over the moments at which it was written to. */
function Written({ room, name, at }: KeyDetailProps) {
  const [moment, setMoment] = useState<number | undefined>(undefined);
  const seq = moment ?? at;
  const text = useWord('room-text', { room, key: name, ...(seq === undefined ? {} : { at: seq }) });
  const [moments, setMoments] = useState<readonly number[]>([]);
  if (text.data && text.data.moments !== moments && text.data.moments.length !== moments.length)
    setMoments(text.data.moments);
  const place = seq === undefined ? moments.length - 1 : moments.filter((one) => one <= seq).length - 1;
  return (
    <>
      <label class={`field scrub${seq === undefined ? '' : ' is-past'}`}>
        <span>
          {seq === undefined ? 'The text now' : `The text behind ${many(seq, 'node')}`}, written to in{' '}
          {many(moments.length, 'node')}
        </span>
        <input
          type="range"
          name="text-moment"
          min={0}
          max={Math.max(0, moments.length - 1)}
          value={Math.max(0, place)}
          onInput={(event) => setMoment(moments[Number(event.currentTarget.value)])}
        />
      </label>
      <Read of={text}>
        {({ runs, is_cut }) => (
          <>
            <pre class="written" tabIndex={0} aria-label="Text">
              {runs.map(({ author, text: said }, place_) => (
                <span key={place_} class={`author-${colourOf(author)}`} title={`by ${author}`}>
                  {visible(said)}
                </span>
              ))}
            </pre>
            {is_cut && <p class="quiet">There is more of it; this is its beginning.</p>}
            <ul class="legend" aria-label="Authors">
              {shares(runs).map(([author, share]) => (
                <li key={author}>
                  <Author of={author} /> {Math.round(share * 100)} %
                </li>
              ))}
            </ul>
          </>
        )}
      </Read>
    </>
  );
}

/** Authors by how much of a text is theirs. */
function shares(runs: readonly { readonly author: string; readonly text: string }[]): (readonly [string, number])[] {
  const found = new Map<string, number>();
  let all = 0;
  for (const { author, text } of runs) {
    found.set(author, (found.get(author) ?? 0) + text.length);
    all += text.length;
  }
  return [...found].map(([author, length]) => [author, length / Math.max(1, all)] as const).sort((a, b) => b[1] - a[1]);
}
