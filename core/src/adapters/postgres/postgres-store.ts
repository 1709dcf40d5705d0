/**
 * A store in a PostgreSQL database, for one process at a time or for several that are members of it: all of it in the schema `weft`,
 * see `schema.ts`. A process that serves it holds a lease.
 */
import { randomBytes } from 'node:crypto';
import type { BlobHash } from '../../codec/bytes/blob-hash.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { BlobBytes } from '../../ports/blob-bytes.js';
import type { BlobStore } from '../../ports/blob-store.js';
import type { ColdStore, ColdTier } from '../../ports/cold-store.js';
import type { Membership } from '../../ports/membership.js';
import type { Notes } from '../../ports/notes.js';
import { type Images, type NodeLog, type ReadAhead, type Store, StoreError } from '../../ports/store.js';
import { InventoriedBlobs } from '../inventoried-blobs.js';
import { ColdObjects } from './cold-objects.js';
import { type Connection, Connections } from './connections.js';
import { Database } from './database.js';
import { databaseError, nameOf } from './database-error.js';
import { Lease } from './lease.js';
import { PostgresBlobBytes } from './postgres-blob-bytes.js';
import { PostgresBlobInventory } from './postgres-blob-inventory.js';
import { PostgresCold } from './postgres-cold.js';
import { PostgresImages } from './postgres-images.js';
import { PostgresLog } from './postgres-log.js';
import { PostgresMembership } from './postgres-membership.js';
import { PostgresNotes } from './postgres-notes.js';
import { ReadReplica, type ReadReplicaOptions } from './read-replica.js';
import { ReadingAhead } from './reading-ahead.js';
import { checkVersion, makeAdditions, neverServed, standingOf, takeStep } from './schema.js';
import { SharedMutex } from './shared-mutex.js';

export interface PostgresOptions {
  /** Where the bytes of blobs are, if not in the database. */
  readonly blobBytes?: BlobBytes | undefined;
  /** Where segments and images lie that were moved there. */
  readonly cold?: ColdStore | undefined;
  /** Standby of the database from which bytes of logs, images and blobs are read, as far as it has them. */
  readonly readReplica?: ReadReplicaOptions | undefined;
  /** Milliseconds for which whoever asks waits while the database cannot be reached. */
  readonly patienceMs?: number;
  /** Milliseconds after which the lease of a process that has died is free. */
  readonly leaseMs?: number;
  /** Where other processes reach this one, with which it shares the database; without it, it has the database alone. */
  readonly sharedAt?: string | undefined;
  /** Reads beside whoever serves the database: takes no lease, makes no tables, and writes nothing. */
  readonly isReader?: boolean | undefined;
  /** With it, `open` waits while another process has the database, until this is aborted. */
  readonly standby?: AbortSignal | undefined;
}

const PATIENCE_MS = 10_000;
const LEASE_MS = 6000;
/** Shorter where others wait to go on with its rooms. */
const SHARED_LEASE_MS = 4000;
/** Connections for appends and the lease, and for everything else. */
const [APPENDING, OTHERS] = [3, 5];
/** Milliseconds for the answer to a statement of each. */
const [APPEND_MS, OTHER_MS] = [10_000, 60_000];

const SEED = `SELECT value FROM weft.secret WHERE name = 'authority'`;

interface Opened {
  readonly database: Database;
  readonly log: PostgresLog;
  readonly blobs: InventoriedBlobs;
  readonly images: PostgresImages;
  readonly cold: PostgresCold | undefined;
  readonly membership: Membership | undefined;
  readonly notes: Notes;
  readonly readingAhead: ReadingAhead;
}

/**
 * Store at an address such as `postgres://user@host:5432/database`. What it leaves out comes from the variables of PostgreSQL's
 * own clients. Nothing is touched before `open`, which makes the tables in a database that has none.
 */
export function postgresStore(address: string, options: PostgresOptions = {}): Store {
  return new PostgresStore(address, options);
}

class PostgresStore implements Store {
  readonly #appending: Connections;
  readonly #others: Connections;
  readonly #readReplica: ReadReplica | undefined;
  readonly #options: PostgresOptions;
  #lease: Lease | undefined;
  #opened: Opened | undefined;
  #seed: Uint8Array | undefined;

  constructor(address: string, options: PostgresOptions) {
    this.#appending = new Connections(address, { most: APPENDING, queryMs: APPEND_MS });
    this.#others = new Connections(address, { most: OTHERS, queryMs: OTHER_MS });
    this.#readReplica = options.readReplica && new ReadReplica(options.readReplica);
    this.#options = options;
  }

  get log(): NodeLog {
    return this.#parts().log;
  }

  get blobs(): BlobStore {
    return this.#parts().blobs;
  }

  get images(): Images {
    return this.#parts().images;
  }

  get cold(): ColdTier | undefined {
    return this.#parts().cold;
  }

  get membership(): Membership | undefined {
    return this.#parts().membership;
  }

  get notes(): Notes {
    return this.#parts().notes;
  }

  readAhead(room: RoomId): Promise<ReadAhead | undefined> {
    return this.#parts().readingAhead.read(room);
  }

  get lost(): Promise<Error> | undefined {
    return this.#lease?.lost;
  }

  async open(): Promise<void> {
    const { blobBytes, patienceMs = PATIENCE_MS, sharedAt, standby, isReader = false } = this.#options;
    const { leaseMs: termMs = sharedAt === undefined ? LEASE_MS : SHARED_LEASE_MS } = this.#options;
    const readReplica = this.#readReplica;
    try {
      await readReplica?.check();
      // Each way to the database is waited for before anybody is served: what does not need an answer goes beside what does.
      const warm = isReader ? undefined : this.#appending.warm();
      await Promise.all([this.#others.insist((connection) => this.#prepare(connection)), warm]);
      this.#lease = new Lease(this.#appending, { termMs, sharedAt, standby });
      if (!isReader) await this.#lease.take();
      const database = new Database(this.#others, this.#lease, patienceMs, isReader);
      const cold = await this.#coldIn(database);
      const log = new PostgresLog(database, this.#appending, { cold, readReplica });
      const bytes = blobBytes ?? new PostgresBlobBytes(database, readReplica);
      const inventory = new PostgresBlobInventory(database);
      const shared = sharedAt === undefined ? undefined : new SharedMutex<BlobHash>(database, 'blob');
      const blobs = new InventoriedBlobs(bytes, inventory, shared);
      const membership = sharedAt === undefined ? undefined : new PostgresMembership(database, this.#others, sharedAt);
      const images = new PostgresImages(database, { cold: cold?.objects, readReplica });
      const notes = new PostgresNotes(database);
      const readingAhead = new ReadingAhead({ database, log, images, shortBytes: readReplica?.shortBytes });
      this.#opened = { database, log, blobs, images, cold, membership, notes, readingAhead };
      if (isReader) return;
      await log.removeLeftovers();
      // Drafts of other processes are no leftovers: theirs stay until one opens it alone.
      if (!membership) await blobs.removeLeftovers();
    } catch (error) {
      await this.close().catch(() => undefined);
      throw databaseError('use it as a store', error, this.#others.place);
    }
  }

  /** Checks that the database keeps what it acknowledges, and that its tables are those of this version. */
  async #prepare(connection: Connection): Promise<void> {
    const { unsafe, hasAdditions, ...standing } = await standingOf(connection);
    checkDurability(unsafe, nameOf(this.#others.place));
    const { isReader } = this.#options;
    let { version } = standing;
    if (version === 0 && isReader) throw neverServed(this.#others.place);
    if (version === 0) version = await takeStep(connection);
    checkVersion(version, this.#others.place);
    if (!isReader && !hasAdditions) await makeAdditions(connection);
  }

  /** Cold tier, where one is named; refuses to do without one that is in use. */
  async #coldIn(database: Database): Promise<PostgresCold | undefined> {
    const { cold, sharedAt } = this.#options;
    if (cold) {
      const among = sharedAt === undefined ? undefined : new SharedMutex<'moves'>(database, 'cold');
      return new PostgresCold(database, new ColdObjects(cold), among);
    }
    const moved = await database.read('look for a cold store', 'SELECT FROM weft.cold LIMIT 1');
    if (moved.length === 0) return undefined;
    const message = `part of ${nameOf(this.#others.place)} lies in a cold store: name it, with --cold-store`;
    throw new StoreError('unreadable', message);
  }

  /** Read once: it stays what it is. */
  async authoritySeed(): Promise<Uint8Array> {
    this.#seed ??= (await this.#seedThatIsThere()) ?? (await this.#makeSeed());
    return this.#seed;
  }

  /** Seed that is made now; where several make one at once, one is kept. */
  #makeSeed(): Promise<Uint8Array> {
    if (this.#options.isReader) throw new StoreError('unreadable', `${nameOf(this.#others.place)} was never served`);
    const seed = randomBytes(32);
    return this.#parts().database.write('make the authority key', async (connection) => {
      await connection.query(
        `INSERT INTO weft.secret (name, value) VALUES ('authority', $1) ON CONFLICT (name) DO NOTHING`,
        [seed],
      );
      const { rows } = await connection.query<{ value: Buffer }>(SEED);
      return new Uint8Array(rows[0]!.value);
    });
  }

  async #seedThatIsThere(): Promise<Uint8Array | undefined> {
    const [found] = await this.#parts().database.read<{ value: Buffer }>('read the authority key', SEED);
    return found && new Uint8Array(found.value);
  }

  async close(): Promise<void> {
    this.#opened?.database.close();
    this.#opened?.blobs.close();
    // A database that is away frees the lease by itself.
    await this.#lease?.release().catch(() => undefined);
    await Promise.all([this.#appending, this.#others, this.#readReplica].map((connections) => connections?.close()));
  }

  #parts(): Opened {
    if (!this.#opened)
      throw new StoreError('failed', `the store in ${nameOf(this.#others.place)} is not open; await open() first`);
    return this.#opened;
  }
}

/** Refuses settings under which a crash takes what was acknowledged. */
function checkDurability(unsafe: readonly string[], name: string): void {
  if (unsafe.length === 0) return;
  const settings = unsafe.map((setting) => `${setting} = on`).join(', ');
  throw new StoreError('unreadable', `${name} may lose what it acknowledges: set ${settings} in postgresql.conf`);
}
