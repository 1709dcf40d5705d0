/**
 * Document of a room for Yjs clients: updates as they came, each a value of the room under the hash of its bytes, so what is
 * sent twice is kept once. What they mean is not known here. Many small ones are merged into one; what they were stays in
 * the room's history.
 */
import { createHash } from 'node:crypto';
import type { Commit, Room } from '@weft/core';

/** What is asked of the package `yjs`. */
export interface YjsModule {
  mergeUpdates(updates: Uint8Array[]): Uint8Array;
  diffUpdate(update: Uint8Array, stateVector: Uint8Array): Uint8Array;
  encodeStateVectorFromUpdate(update: Uint8Array): Uint8Array;
}

export const UPDATES = 'yjs/updates/';
/** A value fits into one node; a longer update is several. */
const PIECE_BYTES = 512 * 1024;
const MOST_PIECES = 4096;
/** Values after which they are merged into one. */
const MOST_VALUES = 256;
/** An update that says nothing: no structs, no deletions. */
const EMPTY = Uint8Array.of(0, 0);

interface Piece {
  readonly update: Uint8Array;
  /** Who brought it: the key of the token, or whom an authentication hook has named. */
  readonly by?: string;
  /** Place among the parts of an update that was cut. */
  readonly part?: { readonly of: string; readonly at: number; readonly count: number };
}

export class YjsDocument {
  readonly #room: Room;
  readonly #yjs: YjsModule;
  readonly #unfollow: () => void;
  #merged: Uint8Array = EMPTY;
  /** Updates that came since. */
  #fresh: Uint8Array[] = [];
  /** Pieces of updates that are not whole yet, by the hash of the update. */
  readonly #parts = new Map<string, Map<number, Uint8Array>>();
  readonly #keys = new Set<string>();
  #isMerging = false;

  /** `came` is told of each update when it is durable, whoever brought it. */
  constructor(room: Room, yjs: YjsModule, came: (update: Uint8Array) => void) {
    this.#room = room;
    this.#yjs = yjs;
    for (const [key, value] of room.entries(UPDATES)) this.#add(key, value);
    this.#unfollow = room.onCommit((commit) => this.#committed(commit, came));
  }

  end(): void {
    this.#unfollow();
  }

  /** All of it as one update. */
  get update(): Uint8Array {
    if (this.#fresh.length > 0) this.#merged = this.#yjs.mergeUpdates([this.#merged, ...this.#fresh]);
    this.#fresh = [];
    return this.#merged;
  }

  get stateVector(): Uint8Array {
    return this.#yjs.encodeStateVectorFromUpdate(this.update);
  }

  /** What a client lacks that has so much. Throws a `RangeError` for what is no state vector. */
  since(stateVector: Uint8Array): Uint8Array {
    try {
      return this.#yjs.diffUpdate(this.update, stateVector);
    } catch (cause) {
      throw new RangeError('this is no state vector of a Yjs document', { cause });
    }
  }

  /**
   * Resolves when the update is durable; at once where it is here. `isAll`: it is what a client has that we may lack, so it may
   * well say nothing new. Throws a `RangeError` for what is none.
   */
  async write(update: Uint8Array, by: string | undefined, isAll: boolean): Promise<void> {
    this.#check(update);
    if (Buffer.compare(update, EMPTY) === 0 || this.#keys.has(UPDATES + hashOf(update))) return;
    if (isAll && Buffer.compare(this.#yjs.mergeUpdates([this.update, update]), this.update) === 0) return;
    await this.#put(update, by);
    if (this.#keys.size > MOST_VALUES && !this.#isMerging) await this.#merge();
  }

  #check(update: Uint8Array): void {
    try {
      this.#yjs.encodeStateVectorFromUpdate(update);
    } catch (cause) {
      throw new RangeError('this is no update of a Yjs document', { cause });
    }
  }

  async #put(update: Uint8Array, by: string | undefined): Promise<void> {
    const of = hashOf(update);
    const whose = by === undefined ? {} : { by };
    const count = Math.ceil(update.length / PIECE_BYTES);
    if (count === 1) return this.#room.set(UPDATES + of, { update: update.slice(), ...whose } satisfies Piece);
    for (let at = 0; at < count; at++) {
      const piece = update.slice(at * PIECE_BYTES, (at + 1) * PIECE_BYTES);
      await this.#room.set(`${UPDATES}${of}/${at}`, {
        update: piece,
        ...whose,
        part: { of, at, count },
      } satisfies Piece);
    }
  }

  /** Puts one value in the place of many. A crash in between leaves both, which is the same document. */
  async #merge(): Promise<void> {
    this.#isMerging = true;
    try {
      const { update } = this;
      const own = UPDATES + hashOf(update);
      const gone = [...this.#keys].filter((key) => !key.startsWith(own));
      await this.#put(update, undefined);
      await this.#room.transact(() => ({ writes: gone.map((key) => ({ key, value: undefined })), result: undefined }));
    } finally {
      this.#isMerging = false;
    }
  }

  #committed({ entries }: Commit, came: (update: Uint8Array) => void): void {
    for (const { writes } of entries)
      for (const { key, value } of writes) {
        if (!key.startsWith(UPDATES)) continue;
        if (value === undefined) this.#keys.delete(key);
        const update = value === undefined ? undefined : this.#add(key, value);
        if (update) came(update);
      }
  }

  /** The update that is whole with this value. */
  #add(key: string, value: unknown): Uint8Array | undefined {
    this.#keys.add(key);
    if (!isPiece(value)) return undefined;
    const { update, part } = value;
    if (!part) return this.#take(update);
    const parts = this.#parts.get(part.of) ?? new Map<number, Uint8Array>();
    this.#parts.set(part.of, parts.set(part.at, update));
    if (parts.size < part.count) return undefined;
    this.#parts.delete(part.of);
    const pieces = Array.from({ length: part.count }, (_, at) => parts.get(at) ?? EMPTY);
    return this.#take(Uint8Array.from(Buffer.concat(pieces)));
  }

  /** Undefined for what somebody has written there that is no update. */
  #take(update: Uint8Array): Uint8Array | undefined {
    try {
      this.#check(update);
    } catch {
      return undefined;
    }
    this.#fresh.push(update);
    return update;
  }
}

function hashOf(update: Uint8Array): string {
  return createHash('sha256').update(update).digest('hex').slice(0, 32);
}

function isPiece(value: unknown): value is Piece {
  if (typeof value !== 'object' || value === null || !('update' in value)) return false;
  if (!(value.update instanceof Uint8Array)) return false;
  if (!('part' in value)) return true;
  const { part } = value;
  if (typeof part !== 'object' || part === null || !('of' in part && 'at' in part && 'count' in part)) return false;
  return typeof part.of === 'string' && Number.isSafeInteger(part.at) && Number(part.count) <= MOST_PIECES;
}
