/**
 * What written events come to: each where nothing has begun, and each behind the first one that begins something; and what that is about. `written-states.jsonl`
 * has the states that an earlier version has made of them; a line changes only where a state is meant to be another one.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { told } from '../../testing/record/given.js';
import { createRecords } from '../views/records.js';
import type { Aggregate } from './aggregate.js';

interface Written {
  readonly aggregate: string;
  readonly type: string;
}

const linesOf = (name: string): string[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n');

const written = linesOf('written-events.jsonl').map((line) => JSON.parse(line) as Written);
/** Time of the event that comes second. */
const later = { ...told, at: '2026-02-03T04:05:06.000Z' };

function statesOf({ name, event, evolve, workUnitOf, sessionOf }: Aggregate<object, Written>): string[] {
  const events = written
    .filter(({ aggregate }) => aggregate === name)
    .map(({ aggregate: _, ...rest }) => event.parse(rest));
  const first = events.find((each) => evolve(undefined, each, told) !== undefined)!;
  const begun = evolve(undefined, first, told)!;
  // Which work unit and session the feed says that it is about.
  const about = [workUnitOf?.(begun) ?? null, sessionOf?.(begun) ?? null];
  return [
    JSON.stringify([name, first.type, ...about]),
    ...events.flatMap((next) => [
      JSON.stringify([name, next.type, evolve(undefined, next, told) ?? null]),
      JSON.stringify([name, first.type, next.type, evolve(begun, next, later) ?? null]),
    ]),
  ];
}

it('what is written comes to what it came to before', () => {
  const aggregates = Object.values(createRecords()).map(({ aggregate }) => aggregate as Aggregate<object, Written>);
  expect(aggregates.flatMap(statesOf)).toEqual(linesOf('written-states.jsonl'));
});
