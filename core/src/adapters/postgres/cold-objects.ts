/**
 * Objects of the cold tier, each checked against the hash of what was put there. Those that were read last are kept in memory for a
 * while, so that many who join a cold room at once cost one request. No longer: another process may have erased what is in them.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { ColdStore } from '../../ports/cold-store.js';
import { StoreError } from '../../ports/store.js';

const KEPT_BYTES = 64 * 1024 * 1024;
/** Milliseconds since it was read for which an object is kept. */
const KEPT_MS = 60_000;

interface Kept {
  readonly bytes: Uint8Array;
  readonly end: NodeJS.Timeout;
}

/** What is not as it was put: named, and never read. */
export class ColdDamage extends Error {
  override readonly name = 'ColdDamage';
}

export class ColdObjects {
  readonly #store: ColdStore;
  /** By name; the one that was asked for last is last. */
  readonly #kept = new Map<string, Kept>();
  readonly #keptMs: number;
  #keptBytes = 0;
  readonly #reading = new Map<string, Promise<Uint8Array | undefined>>();

  constructor(store: ColdStore, keptMs = KEPT_MS) {
    this.#store = store;
    this.#keptMs = keptMs;
  }

  get place(): string {
    return this.#store.place;
  }

  /** A name that was never given. */
  newName(kind: 'segments' | 'images', hash: string): string {
    return `${kind}/${hash}-${randomBytes(8).toString('hex')}`;
  }

  /** Puts an object and reads it again: resolves when it is there as it should be. */
  async put(name: string, hash: string, bytes: Uint8Array): Promise<void> {
    await this.#store.put(name, bytes);
    const found = await this.#store.get(name);
    if (found && hashOf(found) === hash) return;
    const wrong = found ? 'it gave back other bytes than were put there' : 'it does not have what was put there';
    throw new StoreError('failed', `cannot move to the cold store ${this.place}: ${wrong}, as ${name}`);
  }

  /** Undefined where there is none; throws `ColdDamage` for other bytes. Not to be changed by who gets it. */
  async read(name: string, hash: string): Promise<Uint8Array | undefined> {
    const bytes = this.#kept.get(name)?.bytes ?? (await this.#readOnce(name));
    if (bytes && hashOf(bytes) !== hash)
      throw new ColdDamage(
        `the cold store ${this.place} has other bytes as ${name} than were put there; restore it there`,
      );
    if (bytes) this.#keep(name, bytes);
    return bytes;
  }

  async remove(name: string): Promise<void> {
    this.#forget(name);
    await this.#store.remove(name);
  }

  #readOnce(name: string): Promise<Uint8Array | undefined> {
    const reading = this.#reading.get(name) ?? this.#store.get(name).finally(() => this.#reading.delete(name));
    this.#reading.set(name, reading);
    return reading;
  }

  #keep(name: string, bytes: Uint8Array): void {
    this.#forget(name);
    if (bytes.length > KEPT_BYTES / 4) return;
    this.#kept.set(name, { bytes, end: setTimeout(() => this.#forget(name), this.#keptMs).unref() });
    this.#keptBytes += bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= KEPT_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    const kept = this.#kept.get(name);
    if (!kept) return;
    clearTimeout(kept.end);
    this.#keptBytes -= kept.bytes.length;
    this.#kept.delete(name);
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
