/**
 * Slots: a pool of keys for each room on this device. A tab takes the first that no other tab holds, so no two tabs ever write
 * with one key, and as many keys are made as there were tabs at once.
 *
 * A slot is unclean while it is in use, and clean again when all that its key has written was stored after it wrote last. One
 * that is found unclean, because a tab was killed or the machine lost the newest writes, is retired: a server may hold nodes
 * of its key that are not here, and writing on would fork that author. What is stored of it is still sent. [decision 151]
 */
import type { KeyPair } from '@weft/core/client';
import type { Change, Records } from './records.js';

export interface Slot {
  readonly number: number;
  readonly keys: KeyPair;
  readonly unlock: () => void;
}

/** Slot that nobody holds. */
export interface Abandoned extends Slot {
  /** Nothing is written with its key any more. */
  readonly isRetired: boolean;
}

interface Kept {
  readonly keys: KeyPair;
  readonly state: 'clean' | 'unclean' | 'retired';
}

/** Rows behind a saved replica, as names with a number that sorts. */
export const rowName = (slot: number, row: number): string => `row/${name(slot)}/${String(row).padStart(9, '0')}`;
export const stateName = (slot: number): string => `state/${name(slot)}`;
/** What of the room the replica in a slot has been shown. */
export const seenName = (slot: number): string => `seen/${name(slot)}`;
export const rowsOf = (slot: number): string => `row/${name(slot)}/`;
const slotName = (slot: number): string => `slot/${name(slot)}`;
const name = (slot: number): string => String(slot).padStart(6, '0');

export class Slots {
  readonly #records: Records;

  readonly #makeKeys: () => Promise<KeyPair>;

  constructor(records: Records, makeKeys: () => Promise<KeyPair>) {
    this.#records = records;
    this.#makeKeys = makeKeys;
  }

  /** The first that is free, or a new one. It is unclean, on the disk, before anything is written with its key. */
  async take(): Promise<Slot> {
    const slots = await this.#all();
    if (this.#records.hasLocks)
      for (const number of slots.keys()) {
        const slot = await this.#hold(number, async () => {
          const kept = (await this.#all()).get(number);
          if (kept?.state === 'unclean') await this.#put(number, { ...kept, state: 'retired' });
          if (kept?.state !== 'clean') return undefined;
          await this.#put(number, { ...kept, state: 'unclean' });
          return kept.keys;
        });
        if (slot) return slot;
      }
    return this.#make(Math.max(0, ...slots.keys()) + 1);
  }

  async #make(first: number): Promise<Slot> {
    for (let number = first; ; number++) {
      const slot = await this.#hold(number, async () => {
        if ((await this.#records.read(slotName(number))).length > 0) return undefined;
        const keys = await this.#makeKeys();
        await this.#put(number, { keys, state: 'unclean' });
        return keys;
      });
      if (slot) return slot;
    }
  }

  /** Holds a slot that nobody else holds, for as long as it takes to look at it where that gives no keys to write with. */
  async #hold(number: number, look: () => Promise<KeyPair | undefined>): Promise<Slot | undefined> {
    const unlock = this.#records.hasLocks ? await this.#records.lock(slotName(number)) : () => undefined;
    if (!unlock) return undefined;
    let keys: KeyPair | undefined;
    try {
      keys = await look();
    } finally {
      if (!keys) unlock();
    }
    return keys && { number, keys, unlock };
  }

  /** Makes a key ahead, where no slot is free: for when a key cannot be had. */
  async makeAhead(): Promise<void> {
    const slots = await this.#all();
    if (!this.#records.hasLocks || [...slots.values()].some(({ state }) => state === 'clean')) return;
    const slot = await this.#make(Math.max(0, ...slots.keys()) + 1);
    await this.#records.write({ put: [this.cleaned(slot)] }, true).finally(() => slot.unlock());
  }

  /** Slots that nobody holds and that have something stored: it may be that no server has it. */
  async *abandoned(but: number): AsyncGenerator<Abandoned> {
    if (!this.#records.hasLocks) return;
    const stored = new Set((await this.#records.read('state/')).map(([state]) => Number(state.slice('state/'.length))));
    for (const [number, { keys }] of await this.#all()) {
      if (number === but || !stored.has(number)) continue;
      const unlock = await this.#records.lock(slotName(number));
      if (!unlock) continue;
      try {
        const now = (await this.#all()).get(number);
        // Where the device takes nothing more it stays unclean, and nobody writes with its key either.
        if (now?.state === 'unclean') await this.#put(number, { ...now, state: 'retired' }).catch(() => undefined);
        yield { number, keys, unlock, isRetired: now?.state !== 'clean' };
      } finally {
        unlock();
      }
    }
  }

  /** Change by which a slot is clean, to be written together with the last that its key wrote. */
  cleaned({ number, keys }: Slot): NonNullable<Change['put']>[number] {
    return [slotName(number), { keys, state: 'clean' } satisfies Kept];
  }

  #put(number: number, kept: Kept): Promise<void> {
    return this.#records.write({ put: [[slotName(number), kept]] }, true);
  }

  async #all(): Promise<Map<number, Kept>> {
    const found = await this.#records.read('slot/');
    return new Map(found.map(([slot, kept]) => [Number(slot.slice('slot/'.length)), kept as Kept]));
  }
}
