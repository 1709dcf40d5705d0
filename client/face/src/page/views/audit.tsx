/** Audit: who did what and when, newest first; filtered, and taken away as a file. */
import type { NumberedEvent } from '@weft/studio-client';
import { useEffect, useState } from 'preact/hooks';
import { onEvents, seen } from '../core/live.js';
import { pastEvents } from '../core/past.js';
import { replace, route } from '../core/route.js';
import { EventRow, wordsOf } from '../parts/event-row.js';
import { OnceLive } from '../parts/once-live.js';
import { Empty, Field, Heading, count, many } from '../parts/ui.js';

/** Events that are read at once. */
const PAGE = 300;
/** Rows that are drawn at once. */
const SHOWN = 300;

export function Audit() {
  return (
    <OnceLive>
      <Trail />
    </OnceLive>
  );
}

function Trail() {
  const [events, setEvents] = useState<readonly NumberedEvent[]>([]);
  const [words, setWords] = useState(route.value.query.get('words') ?? '');
  const [isReading, setReading] = useState(true);
  const first = events[0]?.number ?? seen.value + 1;
  const readBefore = async (before: number, signal: AbortSignal): Promise<void> => {
    setReading(true);
    const found = await pastEvents(Math.max(0, before - 1 - PAGE), before - 1, signal);
    setEvents((known) => [...found.filter(({ number }) => number < (known[0]?.number ?? Infinity)), ...known]);
    setReading(false);
  };
  useEffect(() => {
    const stop = new AbortController();
    const end = onEvents((fresh) => setEvents((known) => [...known, ...fresh]));
    void readBefore(seen.value + 1, stop.signal);
    return () => {
      stop.abort();
      end();
    };
  }, []);
  const find = (text: string): void => {
    setWords(text);
    replace(text === '' ? '/audit' : `/audit?words=${encodeURIComponent(text)}`);
  };
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = events.filter((one) => wanted.every((word) => textOf(one).includes(word)));
  return (
    <>
      <Heading title="Audit">
        <button type="button" disabled={found.length === 0} onClick={() => takeAway(found)}>
          Take {many(found.length, 'event')} away as a file
        </button>
      </Heading>
      <Field label="With these words: what happened, through whom, about what" value={words} onInput={find} />
      {found.length === 0 && !isReading && <Empty>Nothing that was read says so.</Empty>}
      <ul class="rows events">
        {found
          .slice(-SHOWN)
          .reverse()
          .map((one) => (
            <EventRow key={one.number} one={one} />
          ))}
      </ul>
      {first > 1 && (
        <button type="button" disabled={isReading} onClick={() => void readBefore(first, new AbortController().signal)}>
          {isReading ? 'Reading …' : `Read events before ${count(first)}, too`}
        </button>
      )}
    </>
  );
}

function textOf({ event: { kind, by, payloadJson, workUnitId = '' } }: NumberedEvent): string {
  return `${wordsOf(kind)} ${kind} ${by} ${workUnitId} ${payloadJson}`.toLowerCase();
}

/** Gives events as lines of JSON to whoever sits here. */
function takeAway(events: readonly NumberedEvent[]): void {
  const lines = events.map(({ number, event }) => `${JSON.stringify({ number, ...event })}\n`);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
  link.download = `weft-events-${events[0]?.number ?? 0}-${events.at(-1)?.number ?? 0}.jsonl`;
  link.click();
  URL.revokeObjectURL(link.href);
}
