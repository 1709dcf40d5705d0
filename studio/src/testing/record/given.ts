/** Given events, when something is decided, then these events: aggregates without a ledger. */
import type { Aggregate, Decisions, InputOf, Told } from '../../record/aggregates/aggregate.js';

export const told: Told = { at: '2026-01-02T03:04:05.000Z', by: 'ann' };

export function stateOf<State, Event, Decide extends Decisions<State, Event>>(
  aggregate: Aggregate<State, Event, Decide>,
  events: readonly Event[],
): State | undefined {
  // Through its schema, as it would come back from the log.
  return events.reduce<State | undefined>(
    (state, event) => aggregate.evolve(state, aggregate.event.parse(event), told),
    undefined,
  );
}

export function decided<State, Event, Decide extends Decisions<State, Event>, Name extends keyof Decide & string>(
  aggregate: Aggregate<State, Event, Decide>,
  given: readonly Event[],
  name: Name,
  input: InputOf<Decide, Name>,
): readonly Event[] {
  return aggregate.decide[name]!(stateOf(aggregate, given), input as never, told);
}
