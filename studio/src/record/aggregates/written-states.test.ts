/**
 * What written events come to: each where nothing has begun, and each behind the first one that begins something; and what that is about.
 * `written-states.jsonl` has the states that an earlier version has made of them; a line changes only where a state is meant to be
 * another one.
 */
import { expect, it } from 'vitest';
import { told } from '../../testing/record/given.js';
import { type AnyAggregate, aggregates, kept, shown, writtenTo } from '../../testing/record/written.js';

/** Time of the event that comes second. */
const later = { ...told, at: '2026-02-03T04:05:06.000Z' };

function statesOf(aggregate: AnyAggregate): string[] {
  const { name, evolve, workUnitOf, sessionOf } = aggregate;
  const { first, events } = writtenTo(aggregate);
  const begun = evolve(undefined, first, told)!;
  // Which work unit and session the feed says that it is about.
  const about = [workUnitOf?.(begun) ?? null, sessionOf?.(begun) ?? null];
  return [
    JSON.stringify([name, first.type, ...about]),
    ...events.flatMap((next) => [
      JSON.stringify([name, next.type, evolve(undefined, next, told) ?? null], shown),
      JSON.stringify([name, first.type, next.type, evolve(begun, next, later) ?? null], shown),
    ]),
  ];
}

it('what is written comes to what it came to before', () => {
  const lines = aggregates.flatMap(statesOf);
  expect(lines).toEqual(kept('written-states.jsonl', lines));
});
