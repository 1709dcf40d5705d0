/** The archives of one room: described, validated, taken in, written. One thing at a time. [AR1] */
import type { Authority } from '../access/authority.js';
import { readMandate } from '../access/mandate.js';
import { readSuccession } from '../access/succession.js';
import { Mutex } from '../concurrency/mutex.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { type ArchiveFile, ArchiveNameError, type ArchiveStore } from '../ports/archive-store.js';
import type { BlobStore } from '../ports/blob-store.js';
import type { Clock } from '../ports/clock.js';
import type { Crypto, Signer } from '../ports/crypto.js';
import type { NodeLog } from '../ports/store.js';
import { type Telemetry, observed, stopwatch } from '../ports/telemetry.js';
import { Rejection, whereDeleted } from '../rejection.js';
import type { Room } from '../room/room.js';
import { archiveOf } from './export.js';
import { FileSource } from './file-source.js';
import { type Imported, type Target, checkExpected, importInto, tryImport } from './import.js';
import type { About, Trust } from './manifest.js';
import { refused } from './refusal.js';
import { RoomSource, type RoomSourceParts } from './room-source.js';
import type { ArchiveSource } from './source.js';
import { type ArchiveRef, type RoomRef, isRoomRef, parseRef, readRoom } from './uri.js';
import { COMPUTED, LOOKED, OPENED, verify } from './validate.js';

/** Stores of archives, and whose archives are taken. */
export interface ArchiveOptions {
  /** Stores by the scheme of their URIs. */
  readonly stores: Readonly<Record<string, ArchiveStore>>;
  /** Public keys, 64 lower-case hex characters: beside this server's own, servers whose archives may be taken in. */
  readonly trusted?: readonly string[];
}

export interface ArchivesParts extends ArchiveOptions {
  readonly room: Room;
  readonly log: Pick<NodeLog, 'begin'>;
  readonly blobs: BlobStore;
  readonly crypto: Crypto;
  /** Has begun the rooms of this server. */
  readonly signer: Signer;
  readonly authority?: Authority | undefined;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly vacate: Target['vacate'];
}

/** Whoever asks, and the other rooms that are open to it: both functions reject for any other. */
export interface Asking {
  readonly by: string;
  /** Permission to see what was in a room that may not be here any more. */
  readonly mayVisit: (id: RoomId) => Promise<void>;
  readonly withRoom: <T>(id: RoomId, act: (room: Room) => Promise<T>) => Promise<T>;
}

const MODES = ['metadata_only', 'full_integrity'];
const IMPORT_MODES = ['metadata_only', 'full_apply'];

export class Archives {
  readonly #parts: ArchivesParts;
  readonly #mutex = new Mutex();
  #running = 0;

  constructor(parts: ArchivesParts) {
    this.#parts = parts;
  }

  /** Whether something is under way. */
  get isBusy(): boolean {
    return this.#running > 0;
  }

  describe(ref: unknown, asking: Asking): Promise<About> {
    return this.#timed('describe', async () => {
      const parsed = parseRef(ref);
      if (isRoomRef(parsed)) return this.#withRoomAt(parsed, asking, (parts) => RoomSource.describe(parts));
      return this.#with(parsed, asking, (source) => Promise.resolve(source.about));
    });
  }

  async validate(
    ref: unknown,
    mode: unknown,
    asking: Asking,
  ): Promise<{ readonly about: About; readonly checks: string[] }> {
    return this.#timedWith('validate', ref, asking, async (source) => {
      const isFull = choice(mode, MODES, 'mode') === 'full_integrity';
      const looked = source instanceof FileSource ? OPENED : LOOKED;
      if (!isFull) return { about: source.about, checks: [...looked] };
      await verify(source, this.#parts.crypto);
      return { about: source.about, checks: [...looked, ...COMPUTED] };
    });
  }

  async import(ref: unknown, mode: unknown, expected: unknown, asking: Asking): Promise<Imported> {
    return this.#timedWith('import', ref, asking, async (source) => {
      const isForReal = choice(mode, IMPORT_MODES, 'import_mode') === 'full_apply';
      checkExpected(expected, source.about);
      const into = { ...this.#parts, by: asking.by };
      return isForReal ? importInto(into, source) : tryImport(into, source);
    });
  }

  /** Writes an archive of a room, this one or another. */
  export(source: unknown, ref: unknown, asking: Asking): Promise<About> {
    return this.#timed('export', () => this.#export(source, ref, asking));
  }

  async #export(source: unknown, ref: unknown, asking: Asking): Promise<About> {
    const { room, blobs, clock } = this.#parts;
    const parsed = parseRef(ref);
    if (isRoomRef(parsed))
      throw refused('unsupported_format', 'an archive cannot be written to a room: import it there');
    const store = this.#storeOf(parsed.scheme);
    const id = source === undefined ? room.id : readRoom(source, 'source_room');
    return this.#alone(() =>
      this.#withRoom(id, asking, async (exported) => {
        await naming(() => this.#mayReplace(store, parsed.name, exported.id));
        const made = await RoomSource.of({ room: exported, blobs, clock, by: asking.by });
        await naming(() => store.put(parsed.name, archiveOf(made, made.speaker)));
        return made.about;
      }),
    );
  }

  /** An archive of the same room may be replaced; anything else that lies there is somebody else's. */
  async #mayReplace(store: ArchiveStore, name: string, room: RoomId): Promise<void> {
    const file = await store.open(name);
    if (!file) return;
    const found = await this.#opened(file, (source) => Promise.resolve(source.about.source_room)).catch(readingFault);
    if (found !== room)
      throw refused('manifest_invalid', 'something else lies there, which is not replaced: choose another name');
  }

  #timed<T>(operation: string, task: () => Promise<T>): Promise<T> {
    return observed(task, stopwatch(this.#parts.telemetry, 'archive_operation_seconds', operation));
  }

  #timedWith<T>(
    operation: string,
    ref: unknown,
    asking: Asking,
    act: (source: ArchiveSource) => Promise<T>,
  ): Promise<T> {
    return this.#timed(operation, async () => this.#with(parseRef(ref), asking, act));
  }

  /** With what an archive holds. Of another room it is read by whoever may read that room. */
  async #with<T>(ref: ArchiveRef, asking: Asking, act: (source: ArchiveSource) => Promise<T>): Promise<T> {
    const { room } = this.#parts;
    if (isRoomRef(ref)) return this.#withRoomAt(ref, asking, async (parts) => act(await RoomSource.of(parts)));
    const store = this.#storeOf(ref.scheme);
    return this.#alone(async () => {
      const file = await naming(() => store.open(ref.name));
      if (!file) throw refused('checkpoint_not_found', 'there is no archive of that name');
      return this.#opened(file, async (source) => {
        const of = source.about.source_room as RoomId;
        if (of !== room.id) await asking.mayVisit(of);
        return act(source);
      });
    });
  }

  async #opened<T>(file: ArchiveFile, act: (source: FileSource) => Promise<T>): Promise<T> {
    const { crypto, signer, authority, trusted = [] } = this.#parts;
    try {
      return await act(await FileSource.open(file, { crypto, ...trustOf(signer, authority, trusted) }));
    } finally {
      await file.close();
    }
  }

  #withRoomAt<T>({ room: id }: RoomRef, asking: Asking, act: (parts: RoomSourceParts) => Promise<T>): Promise<T> {
    const { blobs, clock } = this.#parts;
    return this.#alone(() => this.#withRoom(id, asking, (room) => act({ room, blobs, clock, by: asking.by })));
  }

  #withRoom<T>(id: RoomId, { withRoom }: Asking, act: (room: Room) => Promise<T>): Promise<T> {
    if (id === this.#parts.room.id) return act(this.#parts.room);
    return whereDeleted(withRoom(id, act), (why) => refused('checkpoint_not_found', why));
  }

  #storeOf(scheme: string): ArchiveStore {
    const store = Object.hasOwn(this.#parts.stores, scheme) ? this.#parts.stores[scheme] : undefined;
    if (store) return store;
    throw refused('unsupported_format', `this server keeps no archives under ${scheme}://`);
  }

  async #alone<T>(task: () => Promise<T>): Promise<T> {
    this.#running++;
    return this.#mutex.run(task).finally(() => this.#running--);
  }
}

/**
 * Whose archives are taken: roots, those before them that have agreed to them, and who is named. A root that a recovery has put aside
 * has agreed to nothing.
 */
function trustOf(signer: Signer, authority: Authority | undefined, named: readonly string[]): Omit<Trust, 'crypto'> {
  const { roots = [], successions = [], revocations = [] } = authority ?? {};
  const before = successions.flatMap((bytes) => readSuccession(bytes).signers);
  return {
    signers: new Set([signer.publicKey, ...roots, ...before, ...named]),
    named: new Set(named),
    revoked: new Set(revocations.map((bytes) => readMandate(bytes).key)),
  };
}

async function naming<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ArchiveNameError) throw refused('manifest_invalid', `archive_ref: ${error.message}`, error);
    throw error;
  }
}

function readingFault(error: unknown): undefined {
  if (error instanceof Rejection) return undefined;
  throw error;
}

function choice(given: unknown, known: readonly string[], name: string): string {
  if (typeof given === 'string' && known.includes(given)) return given;
  throw refused('manifest_invalid', `${name} is one of ${known.join(', ')}`);
}
