/**
 * What the ledger runs: pure functions over one stream of events.
 *
 * `evolve` is total, `decide` is pure and may run more than once; whatever comes from outside (clock, ids,
 * limits, what is on disk) arrives in `facts`. So a decision can be repeated inside a room's write lane.
 */
import type { z } from 'zod';

export interface Aggregate<State, Event, Commands, Facts> {
  /** The second segment of every key of its streams. */
  readonly name: string;
  readonly initial: State;
  readonly event: z.ZodType<Event>;
  readonly evolve: (state: State, event: Event) => State;
  readonly decide: {
    readonly [Name in keyof Commands]: (state: State, command: Commands[Name], facts: Facts) => readonly Event[];
  };
}
