/**
 * Aggregate: pure functions over one stream of events.
 *
 * `evolve` is total, `decide` is pure and may run more than once; whatever comes from outside (ids, limits, what is on disk) is
 * input. The ledger adds the time and the caller to each event, so events say only what happened.
 */
import type { z } from 'zod';

/** Event metadata, stored with every event. */
export interface Told {
  /** ISO 8601. */
  readonly at: string;
  /** Name of the caller: whose token, or which part of the host. */
  readonly by: string;
}

export type Decisions<State, Event> = Readonly<
  Record<string, (state: State | undefined, input: never, told: Told) => readonly Event[]>
>;

export interface Aggregate<State, Event, Decide extends Decisions<State, Event> = Decisions<State, Event>> {
  /** Name, which is the second segment of every key of its streams. */
  readonly name: string;
  /** Room of its streams; `local` facts never leave this host. */
  readonly room: 'workgroup' | 'local';
  /** Bookkeeping, which is left out of the feed. */
  readonly quiet?: true;
  readonly event: z.ZodType<Event>;
  /** Fold step. The state is undefined before the first event, and after one that ends the thing for good. */
  readonly evolve: (state: State | undefined, event: Event, told: Told) => State | undefined;
  readonly decide: Decide;
  /** Work unit that an event of this state is about. */
  readonly workUnitOf?: (state: State) => string | undefined;
  /** Session of an event, where its work unit does not say. */
  readonly sessionOf?: (state: State) => string | undefined;
}

/** Aggregate builder, in two steps so that the compiler infers events and decisions once the state is named. */
export function aggregate<State>() {
  return <Event, const Decide extends Decisions<State, Event>>(
    declared: Aggregate<State, Event, Decide>,
  ): Aggregate<State, Event, Decide> => declared;
}

export type InputOf<Decide, Name extends keyof Decide> = Decide[Name] extends (
  state: never,
  input: infer Input,
  told: Told,
) => unknown
  ? Input
  : never;
