/**
 * A log in memory in place of a room: without keys and threads, so that a simulation is cheap, and the same every time. What is
 * written becomes durable one after the other, each in a turn of the event loop of its own.
 */
import type { Write } from '@weft/core';
import type { EventRoom } from '../../record/ledger/ledger.js';

interface Entry {
  readonly seq: number;
  readonly nodeId: string;
  readonly writes: readonly Write[];
}
type Listener = Parameters<EventRoom['onCommit']>[0];

export class PlainRoom implements EventRoom {
  readonly #log: Entry[] = [];
  readonly #values = new Map<string, unknown>();
  readonly #listeners = new Set<Listener>();

  readonly nodes = { entry: (seq: number): Entry => this.#log[seq]! };

  get seq(): number {
    return this.#log.length;
  }

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

  async transactMany<T>(work: (write: (writes: readonly Write[]) => boolean) => T): Promise<T> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const nodes: string[] = [];
    const result = work((writes) => {
      const text = JSON.stringify(writes);
      if (/\\ud[89a-f]/i.test(text)) throw new Error('half a character has no bytes');
      nodes.push(text);
      return true;
    });
    const entries = nodes.map((text) => this.#append(text));
    if (entries.length > 0) for (const listener of this.#listeners) listener({ entries });
    return result;
  }

  /** `text` is what comes back from a disk. */
  #append(text: string): Entry {
    const writes = JSON.parse(text) as Write[];
    for (const { key, value } of writes) this.#values.set(key, value);
    const seq = this.#log.length;
    const entry = { seq, nodeId: `node ${seq}`, writes };
    this.#log.push(entry);
    return entry;
  }
}
