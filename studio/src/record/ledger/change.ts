/**
 * Transaction: decisions on any number of streams, stored together or not at all.
 *
 * Isolation: nothing else is decided meanwhile, so what a change reads in the collections still holds when it is stored. Of
 * streams that it has itself written to, it sees its own writes.
 */
import type { Aggregate, Decisions, InputOf, Told } from '../aggregates/aggregate.js';
import { refusal } from '../../reasons.js';
import type { Streams } from './collection.js';
import { type Meta, eventKey } from './stream.js';

export interface Change extends Told {
  /** Host that runs it. */
  readonly hostId: string;
  /** Room of its writes; undefined as long as it has written nothing. */
  readonly room: 'workgroup' | 'local' | undefined;
  newId(prefix: string): string;
  state<State, Event, Decide extends Decisions<State, Event>>(
    aggregate: Aggregate<State, Event, Decide>,
    id: string,
  ): State | undefined;
  /**
   * Runs a decision, and answers the new state of the stream. Throws what the decision throws; then nothing of the change is
   * stored.
   */
  run<State, Event, Decide extends Decisions<State, Event>, Name extends keyof Decide & string>(
    aggregate: Aggregate<State, Event, Decide>,
    id: string,
    name: Name,
    input: InputOf<Decide, Name>,
  ): State;
  /** Runs a decision that ends the thing for good. */
  end<State, Event, Decide extends Decisions<State, Event>, Name extends keyof Decide & string>(
    aggregate: Aggregate<State, Event, Decide>,
    id: string,
    name: Name,
    input: InputOf<Decide, Name>,
  ): void;
}

export interface Staged {
  readonly key: string;
  readonly value: object;
}

interface Stream {
  state: unknown;
  version: number;
}

export interface ChangeParts extends Told {
  readonly hostId: string;
  readonly newId: (prefix: string) => string;
  readonly collectionOf: (name: string) => Streams;
  readonly sessionOf: (workUnitId: string, change: Change) => string | undefined;
}

export class OpenChange implements Change {
  readonly at: string;
  readonly by: string;
  readonly hostId: string;
  readonly staged: Staged[] = [];
  readonly #parts: ChangeParts;
  readonly #streams = new Map<string, Stream>();
  #room: 'workgroup' | 'local' | undefined;
  /** Session that this change has started: what else it does belongs there. */
  #session: string | undefined;

  constructor(parts: ChangeParts) {
    this.#parts = parts;
    this.at = parts.at;
    this.by = parts.by;
    this.hostId = parts.hostId;
  }

  get room(): 'workgroup' | 'local' | undefined {
    return this.#room;
  }

  newId(prefix: string): string {
    return this.#parts.newId(prefix);
  }

  state<State, Event, Decide extends Decisions<State, Event>>(
    aggregate: Aggregate<State, Event, Decide>,
    id: string,
  ): State | undefined {
    // A name belongs to one aggregate, and an aggregate has one type of state.
    return this.#stream(aggregate.name, id).state as State | undefined;
  }

  run<State, Event, Decide extends Decisions<State, Event>, Name extends keyof Decide & string>(
    aggregate: Aggregate<State, Event, Decide>,
    id: string,
    name: Name,
    input: InputOf<Decide, Name>,
  ): State {
    const state = this.#decide(aggregate, id, name, input);
    if (state === undefined) throw new Error(`${aggregate.name}.${name} left nothing of ${id}`);
    return state;
  }

  end<State, Event, Decide extends Decisions<State, Event>, Name extends keyof Decide & string>(
    aggregate: Aggregate<State, Event, Decide>,
    id: string,
    name: Name,
    input: InputOf<Decide, Name>,
  ): void {
    const state = this.#decide(aggregate, id, name, input);
    if (state !== undefined) throw new Error(`${aggregate.name}.${name} did not end ${id}`);
  }

  #decide<State, Event, Decide extends Decisions<State, Event>, Name extends keyof Decide & string>(
    aggregate: Aggregate<State, Event, Decide>,
    id: string,
    name: Name,
    input: InputOf<Decide, Name>,
  ): State | undefined {
    const stream = this.#stream(aggregate.name, id);
    // `InputOf` has typed the input of this decision.
    const events = aggregate.decide[name]!(stream.state as State | undefined, input as never, this);
    for (const event of events) this.#append(aggregate, id, stream, event);
    return stream.state as State | undefined;
  }

  #append<State, Event, Decide extends Decisions<State, Event>>(
    aggregate: Aggregate<State, Event, Decide>,
    id: string,
    stream: Stream,
    event: Event,
  ): void {
    if (this.#room !== undefined && this.#room !== aggregate.room)
      throw new Error(`one change cannot write to the workgroup and to local facts: ${aggregate.name}`);
    this.#room = aggregate.room;
    const before = stream.state as State | undefined;
    const after = aggregate.evolve(before, event, this);
    stream.state = after;
    // The last event is still about the thing that it ends.
    const about = after ?? before;
    const workUnitId = about === undefined ? undefined : aggregate.workUnitOf?.(about);
    this.#session = (about === undefined ? undefined : aggregate.sessionOf?.(about)) ?? this.#session;
    const sessionId = workUnitId === undefined ? undefined : (this.#session ?? this.#parts.sessionOf(workUnitId, this));
    const cause = this.staged[0]?.key;
    const meta: Meta = {
      at: this.at,
      by: this.by,
      ...(workUnitId === undefined ? {} : { workUnitId }),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(cause === undefined ? {} : { cause }),
    };
    this.staged.push({ key: eventKey(aggregate.name, id, stream.version++), value: { meta, ...event } });
  }

  #stream(name: string, id: string): Stream {
    const key = `${name}\n${id}`;
    const known = this.#streams.get(key);
    if (known) return known;
    const collection = this.#parts.collectionOf(name);
    const closed = collection.closedBy(id);
    // Fail closed: a stream with an event that this version cannot read takes no decisions.
    if (closed !== undefined)
      throw refusal('reject.event_not_understood', `cannot read the event at ${closed}`, { key: closed });
    const stream = { state: collection.get(id), version: collection.version(id) };
    this.#streams.set(key, stream);
    return stream;
  }
}
