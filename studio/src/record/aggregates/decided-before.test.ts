/**
 * What is decided in which state, aggregate by aggregate: `decided-before.jsonl` has a question on each line, and what came of it where
 * nothing had begun, behind the first written event that begins something, and behind each other kind of event that follows it: events,
 * or the reason of a refusal. A line changes only where something else is meant to be decided.
 */
import { Rejection } from '@weft/core';
import { expect, it } from 'vitest';
import { told } from '../../testing/record/given.js';
import { type AnyAggregate, aggregates, kept, linesOf, shown, writtenTo } from '../../testing/record/written.js';

interface Question {
  readonly aggregate: string;
  readonly decide: string;
  readonly input: object;
  /** Outcomes, each behind the states in which it came. */
  readonly outcomes: readonly (readonly [states: readonly string[], outcome: unknown])[];
}

const questions = linesOf('decided-before.jsonl').map((line) => JSON.parse(line) as Question);

/** States by the last event before them. */
function statesOf(aggregate: AnyAggregate): Map<string, object | undefined> {
  const { first, events } = writtenTo(aggregate);
  const begun = aggregate.evolve(undefined, first, told);
  const states = new Map<string, object | undefined>([['nothing', undefined]]);
  for (const next of [first, ...events]) {
    const last = next.newStatus === undefined ? next.type : `${next.type} ${next.newStatus}`;
    if (!states.has(last)) states.set(last, aggregate.evolve(begun, next, told));
  }
  return states;
}

function outcomeOf({ decide, event }: AnyAggregate, { decide: name, input }: Question, state?: object): unknown {
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

function outcomesOf(question: Question): [string[], unknown][] {
  const aggregate = aggregates.find(({ name }) => name === question.aggregate)!;
  const byOutcome = new Map<string, string[]>();
  for (const [last, state] of statesOf(aggregate)) {
    const outcome = JSON.stringify(outcomeOf(aggregate, question, state), shown);
    byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), last]);
  }
  return [...byOutcome].map(([outcome, states]) => [states, JSON.parse(outcome)]);
}

it.each([...new Set(questions.map(({ aggregate }) => aggregate))])('decides as before: %s', (name) => {
  const asked = questions.filter(({ aggregate }) => aggregate === name);
  const lines = asked.map((question) => JSON.stringify({ ...question, outcomes: outcomesOf(question) }));
  expect(lines).toEqual(kept('decided-before.jsonl', lines, (line) => line.startsWith(`{"aggregate":"${name}"`)));
});

it('is asked for each decision', () => {
  const decisions = aggregates.flatMap(({ name, decide }) => Object.keys(decide).map((each) => `${name} ${each}`));
  const asked = questions.map(({ aggregate, decide }) => `${aggregate} ${decide}`);
  expect(decisions.filter((decision) => !asked.includes(decision))).toEqual([]);
});
