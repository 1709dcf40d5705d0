/**
 * Keeper of one replica: stores what comes as rows behind what was saved last, and saves anew when the rows have grown. When
 * the device takes nothing any more, the room goes on in memory, and says so.
 */
import type { Replica } from '@weft/core/client';
import type { Records } from './records.js';
import { type Slot, type Slots, rowName, rowsOf, seenName, stateName } from './slots.js';

/** Rows, or bytes of them, after which the whole is saved. */
const MOST_ROWS = 500;
const MOST_BYTES = 2 * 1024 * 1024;

/** Bytes of a replica as a slot has them. */
export interface Stored {
  readonly saved: Uint8Array;
  readonly rows: readonly Uint8Array[];
  /** Number of the next row. */
  readonly next: number;
  /** What of the room it had been shown. */
  readonly seen: string | undefined;
}

export async function readStored(records: Records, slot: number): Promise<Stored | undefined> {
  // Rows first: a save between the two takes rows away that are in what is read then.
  const rows = await records.read(rowsOf(slot));
  const [seen] = await records.read(seenName(slot));
  const [state] = await records.read(stateName(slot));
  const again = await records.read(rowsOf(slot));
  if (!state) return undefined;
  const isSame = rows.length === again.length && rows[0]?.[0] === again[0]?.[0];
  if (!isSame) return readStored(records, slot);
  const last = rows.at(-1)?.[0];
  return {
    saved: state[1] as Uint8Array,
    rows: rows.map(([, row]) => row as Uint8Array),
    next: last === undefined ? 0 : Number(last.slice(rowsOf(slot).length)) + 1,
    seen: seen?.[1] as string | undefined,
  };
}

export class Keeper {
  readonly #records: Records;
  readonly #slots: Slots;
  readonly #slot: Slot;
  readonly #replica: Replica;
  readonly #seen: () => string | undefined;
  readonly #failed: (error: unknown) => void;
  /** Whether the slot has something saved, behind which rows can stand. */
  #hasState: boolean;
  #rows: number;
  #bytes = 0;
  #next: number;
  #storedSeen: string | undefined;
  #last: Promise<void> = Promise.resolve();
  #isBroken = false;
  #isClosed = false;

  constructor(
    records: Records,
    slots: Slots,
    slot: Slot,
    replica: Replica,
    seen: () => string | undefined,
    stored: Stored | undefined,
    failed: (error: unknown) => void,
  ) {
    this.#records = records;
    this.#slots = slots;
    this.#slot = slot;
    this.#replica = replica;
    this.#seen = seen;
    this.#storedSeen = stored?.seen;
    this.#hasState = stored !== undefined;
    this.#rows = stored?.rows.length ?? 0;
    this.#next = stored?.next ?? 0;
    this.#failed = failed;
  }

  /** Resolves when all that is in the replica now is stored, or nothing can be. */
  keep(): Promise<void> {
    return this.#then(() => this.#store(false));
  }

  /** Stores the rest and makes the slot clean, in one write. */
  close(): Promise<void> {
    const closing = this.#then(async () => {
      if (this.#isClosed) return;
      await this.#store(true);
      this.#isClosed = true;
    });
    return closing.finally(() => this.#slot.unlock());
  }

  #then(step: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(async () => {
      if (this.#isBroken || this.#isClosed) return;
      try {
        await step();
      } catch (error) {
        // Not stored means not clean either: the slot is retired when it is found.
        this.#isBroken = true;
        this.#failed(error);
      }
    });
    return this.#last;
  }

  async #store(isLast: boolean): Promise<void> {
    const { number } = this.#slot;
    const put = isLast ? [this.#slots.cleaned(this.#slot)] : [];
    // Asked before what is stored with it, which is no older then.
    const seen = this.#seen();
    if (seen !== undefined && seen !== this.#storedSeen) put.push([seenName(number), (this.#storedSeen = seen)]);
    const isDue = !this.#hasState || this.#rows >= MOST_ROWS || this.#bytes >= MOST_BYTES;
    const row = isDue ? 'whole' : this.#replica.takeRow();
    if (row === undefined) {
      if (put.length > 0) await this.#records.write({ put }, isLast);
      return;
    }
    if (row !== 'whole') {
      await this.#records.write({ put: [[rowName(number, this.#next++), row], ...put] }, isLast);
      this.#rows++;
      this.#bytes += row.length;
      return;
    }
    if (!isLast) await this.#replica.packAhead();
    const state = [stateName(number), await this.#replica.saveSqueezed()] as const;
    await this.#records.write({ put: [state, ...put], remove: [{ prefix: rowsOf(number) }] }, isLast);
    this.#hasState = true;
    [this.#rows, this.#bytes] = [0, 0];
  }
}
