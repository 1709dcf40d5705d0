/**
 * A log in memory in place of a room: without keys and threads, so that a simulation is cheap, and the same every time. What is
 * written becomes durable one after the other, each in a turn of the event loop of its own.
 */
import type { Decision, RoomView, Transacted, Write } from '@weft/core';
import type { EventRoom } from '../ledger/ledger.js';

interface Entry {
  readonly seq: number;
  readonly writes: readonly Write[];
}
type Listener = Parameters<EventRoom['onCommit']>[0];

export class PlainRoom implements EventRoom {
  readonly #log: Entry[] = [];
  readonly #values = new Map<string, unknown>();
  readonly #listeners = new Set<Listener>();

  get(key: string): unknown {
    return this.#values.get(key);
  }

  async *history(from = 0): AsyncGenerator<Entry> {
    for (let seq = from; seq < this.#log.length; seq++) yield await Promise.resolve(this.#log[seq]!);
  }

  onCommit(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async transact<T>(decide: (view: RoomView) => Decision<T>): Promise<Transacted<T>> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const { writes, result } = decide({ seq: this.#log.length, get: (key) => this.get(key) });
    if (writes.length > 0) this.#append(JSON.stringify(writes));
    return { seq: this.#log.length, result };
  }

  /** `text` is what comes back from a disk. */
  #append(text: string): void {
    if (/\\ud[89a-f]/i.test(text)) throw new Error('half a character has no bytes');
    const writes = JSON.parse(text) as Write[];
    for (const { key, value } of writes) this.#values.set(key, value);
    const entry = { seq: this.#log.length, writes };
    this.#log.push(entry);
    for (const listener of this.#listeners) listener({ entries: [entry] });
  }
}
