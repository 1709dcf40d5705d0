/**
 * Events of nearly every kind, as a version of the studio has written them. Lines are added, for what is new and for new shapes of
 * what is old; none is ever changed, because such an event may be in somebody's log.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRecords } from '../views/records.js';

interface Written {
  readonly aggregate: string;
  readonly type: string;
}

const text = readFileSync(new URL('written-events.jsonl', import.meta.url), 'utf8').trim();
const written = text.split('\n').map((line) => JSON.parse(line) as Written);
const schemas = new Map(Object.values(createRecords()).map(({ aggregate }) => [aggregate.name, aggregate.event]));

describe('an event that was written once', () => {
  it.each(written.map(({ aggregate, ...event }) => [event.type, aggregate, event] as const))(
    'is read as it was: %s of %s',
    (_type, aggregate, event) => {
      expect(schemas.get(aggregate)?.safeParse(event)).toEqual({ success: true, data: event });
    },
  );
});
