/**
 * What is decided in which state, aggregate by aggregate: `decided-before.jsonl` has a question on each line, and what came of it where
 * nothing had begun, behind the first written event that begins something, and behind each other kind of event that follows it: events,
 * or the reason of a refusal. A line changes only where something else is meant to be decided.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Rejection } from '@weft/core';
import { told } from '../../testing/record/given.js';
import { createRecords } from '../views/records.js';
import type { Aggregate } from './aggregate.js';

interface Written {
  readonly aggregate: string;
  readonly type: string;
}

interface Asked {
  readonly aggregate: string;
  readonly decide: string;
  readonly input: object;
  /** Outcomes, each behind the states in which it came. */
  readonly outcomes: readonly (readonly [states: readonly string[], outcome: unknown])[];
}

const linesOf = <Line>(name: string): Line[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const written = linesOf<Written>('written-events.jsonl');
const aggregates = new Map(
  Object.values(createRecords()).map(({ aggregate }) => [aggregate.name, aggregate as Aggregate<object, Written>]),
);

/** States by the last event before them. */
function statesOf({ name, event, evolve }: Aggregate<object, Written>): Map<string, object | undefined> {
  const events = written
    .filter(({ aggregate }) => aggregate === name)
    .map(({ aggregate: _, ...rest }) => event.parse(rest));
  const first = events.find((each) => evolve(undefined, each, told) !== undefined)!;
  const begun = evolve(undefined, first, told);
  const states = new Map<string, object | undefined>([['nothing', undefined]]);
  for (const next of [first, ...events]) if (!states.has(next.type)) states.set(next.type, evolve(begun, next, told));
  return states;
}

function outcomeOf({ decide, event }: Aggregate<object, Written>, { decide: name, input }: Asked, state?: object) {
  try {
    const events = decide[name]!(state, input as never, told);
    for (const each of events) event.parse(each);
    return events;
  } catch (error) {
    if ((error as object).constructor === Error) return 'not to be asked';
    if (!(error instanceof Rejection)) throw error;
    const { reason, data } = error;
    return data === undefined ? reason : { reason, data };
  }
}

function outcomesOf(asked: Asked): [string[], unknown][] {
  const aggregate = aggregates.get(asked.aggregate)!;
  const byOutcome = new Map<string, string[]>();
  for (const [last, state] of statesOf(aggregate)) {
    const outcome = JSON.stringify(outcomeOf(aggregate, asked, state));
    byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), last]);
  }
  return [...byOutcome].map(([outcome, states]) => [states, JSON.parse(outcome)]);
}

const questions = linesOf<Asked>('decided-before.jsonl');

it.each([...new Set(questions.map(({ aggregate }) => aggregate))])('decides as before: %s', (name) => {
  for (const each of questions.filter(({ aggregate }) => aggregate === name))
    expect({ ...each, outcomes: outcomesOf(each) }).toEqual(each);
});

it('is asked of every decision', () => {
  const decisions = [...aggregates.values()].flatMap(({ name, decide }) =>
    Object.keys(decide).map((each) => `${name} ${each}`),
  );
  const tried = questions.map(({ aggregate, decide }) => `${aggregate} ${decide}`);
  expect(decisions.filter((each) => !tried.includes(each))).toEqual([]);
});
