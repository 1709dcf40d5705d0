/** Inbox of refused edits: each stays, over restarts, until it is tried again or discarded. */
import type { HeldEdit, Replica } from '@weft/core/client';
import type { Records } from './storage/records.js';

const NAME = 'refused/';

export class Refusals {
  #held: readonly HeldEdit[] = [];
  readonly #records: Records | undefined;
  readonly #changed: () => void;

  constructor(records: Records | undefined, changed: () => void) {
    this.#records = records;
    this.#changed = changed;
  }

  /** Oldest first; the same array until one comes or goes. */
  get all(): readonly HeldEdit[] {
    return this.#held;
  }

  async load(): Promise<void> {
    const found = (await this.#records?.read(NAME)) ?? [];
    const stored = found.map(([, held]) => held as HeldEdit);
    const known = new Set(this.#held.map(({ id }) => id));
    this.#set([...stored.filter(({ id }) => !known.has(id)), ...this.#held]);
  }

  async add(held: readonly HeldEdit[]): Promise<void> {
    this.#set([...this.#held, ...held]);
    await this.#records?.write({ put: held.map((edit) => [NAME + edit.id, edit]) }, true);
  }

  async discard({ id }: HeldEdit): Promise<void> {
    this.#set(this.#held.filter((edit) => edit.id !== id));
    await this.#records?.write({ remove: [{ prefix: NAME + id }] }, false);
  }

  /**
   * Makes the edits once more, as one: registers as they were to be, what was typed and added at the end of its text or list.
   * What was to be deleted or moved is left out: what it meant may not be there any more.
   */
  async retry(replica: Replica, held: HeldEdit): Promise<void> {
    replica.batch(() => {
      for (const edit of held.edits) {
        if (edit.kind === 'set') replica.set(edit.key, edit.value);
        else if (edit.kind === 'delete') replica.delete(edit.key);
        else if (edit.kind === 'set-blob') replica.setBlob(edit.key, edit.hash);
        else if (edit.kind === 'insert-text') replica.text(edit.key).insert(replica.text(edit.key).length, edit.text);
        else if (edit.kind === 'insert-items') replica.list(edit.key).push(...edit.items);
      }
    });
    await this.discard(held);
  }

  #set(held: readonly HeldEdit[]): void {
    this.#held = held;
    this.#changed();
  }
}
