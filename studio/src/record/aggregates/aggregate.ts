/**
 * What the ledger runs: pure functions over one stream of events.
 *
 * `evolve` is total, `decide` is pure and may run more than once; whatever comes from outside (ids, limits, what is on
 * disk) is input. When and by whom is told by the ledger, and stored with each event, so events say only what happened.
 */
import type { z } from 'zod';

/** What is stored with every event. */
export interface Told {
  /** ISO 8601. */
  readonly at: string;
  /** Whose token, or which part of the host, asked for it. */
  readonly by: string;
}

export type Decisions<State, Event> = Readonly<
  Record<string, (state: State | undefined, input: never, told: Told) => readonly Event[]>
>;

export interface Aggregate<State, Event, Decide extends Decisions<State, Event> = Decisions<State, Event>> {
  /** The second segment of every key of its streams. */
  readonly name: string;
  /** `local` facts never leave this host. */
  readonly room: 'workgroup' | 'local';
  /** Bookkeeping, which whoever follows the events is not told. */
  readonly quiet?: true;
  readonly event: z.ZodType<Event>;
  /** Undefined before the first event, and after one that ends the thing for good. */
  readonly evolve: (state: State | undefined, event: Event, told: Told) => State | undefined;
  readonly decide: Decide;
  /** The work unit that an event of this state is about. */
  readonly workUnitOf?: (state: State) => string | undefined;
  /** The session that it belongs to, where its work unit does not say. */
  readonly sessionOf?: (state: State) => string | undefined;
}

/** Two steps, so that the compiler infers events and decisions once the state is named. */
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
