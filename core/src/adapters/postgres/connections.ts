/**
 * Pool of connections to one database. Whatever is sent over them holds no state of a session, so that a pooler in between may
 * hand each transaction to another server process: statements have no names, settings are those of a transaction.
 */
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StoreError } from '../../ports/store.js';
import { addressesIn } from './addresses.js';
import { type Place, isConnectionLost, isReadOnly, isYielded, readOnly } from './database-error.js';

/** What may be asked over a connection. */
export interface Connection {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<{ readonly rows: Row[] }>;
}

export interface PoolOptions {
  readonly most: number;
  /** Milliseconds for the answer to one statement, after which the connection counts as lost. */
  readonly queryMs: number;
  /** Milliseconds for a new connection, its password included. */
  readonly connectMs?: number;
}

/** Longest that a transaction may wait for its client, who may be gone without a word, in milliseconds. */
const MOST_IDLE_MS = 10_000;

/**
 * Beginning of a transaction that locks a row and then reads what others have written until then, in one round trip. The database,
 * its user or a pooler may have another default, by which it would read what was there when it began to wait.
 */
export function begin(idleMs = MOST_IDLE_MS): string {
  const bound = Math.min(idleMs, MOST_IDLE_MS);
  return `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = ${bound}`;
}

/** Times that a transaction gives way to others before it is refused, and the bound of the wait by chance before each next one. */
const [MOST_TRIES, MOST_WAIT_MS] = [10, 100];

const CONNECT_MS = 5000;

/**
 * Milliseconds without an answer after which one of several hosts is asked whether it is there, and for its answer. One that takes connections
 * and says nothing would be waited for as long as the longest statement may take.
 */
const [SILENT_MS, ASKED_MS] = [3000, 3000];

export class Connections {
  readonly #each: readonly pg.ClientConfig[];
  readonly #places: readonly Place[];
  /** Which of the places is the primary, as far as it is known. */
  #at = 0;
  readonly #placeOf = new WeakMap<object, number>();
  readonly #pool: pg.Pool;
  /** Open ones, each with its place. */
  readonly #sockets = new Map<Socket, number>();
  /** Places that are being asked whether they are there. */
  readonly #asked = new Set<number>();
  #closed: Promise<void> | undefined;

  /**
   * Nothing is opened before it is needed. What the address leaves out comes from PGHOST, PGUSER, PGPASSWORD and the like. Of several
   * hosts the one is taken that can be reached and lets us write, from the first on.
   */
  constructor(address: string, { most, queryMs, connectMs = CONNECT_MS }: PoolOptions) {
    const options = {
      max: most,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      keepAlive: true,
      stream: () => this.#newSocket(this.#at),
      application_name: 'weft',
    };
    const each = addressesIn(address).map((connectionString) => ({ ...options, connectionString }));
    this.#each = each;
    this.#places = each.map(placeIn);
    const [at, placeOf] = [() => this.#at, this.#placeOf];
    class Here extends pg.Client {
      constructor() {
        super(each[at()]);
        placeOf.set(this, at());
      }
    }
    this.#pool = new pg.Pool({
      ...options,
      Client: Here,
      ...(each.length > 1 && { verify: mustWrite }),
    });
    // A connection that breaks is told to whoever uses it, and replaced when it is needed.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** Where the database is, as far as it is known. */
  get place(): Place {
    return this.#places[this.#at]!;
  }

  /** Runs a task on a connection of its own. After an error the connection is closed: nobody knows what state it is in. */
  async use<T>(task: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#connected();
    const stopWatching = this.#watch(this.#placeOf.get(client));
    let isSound = false;
    try {
      const result = await task({
        query: (text, values) => client.query(text, values && [...values]),
      });
      isSound = true;
      return result;
    } catch (error) {
      this.#leave(this.#placeOf.get(client), error);
      throw error;
    } finally {
      stopWatching();
      client.release(!isSound);
    }
  }

  /** While something is under way at one of several hosts, it is asked now and then whether it is there. */
  #watch(at: number | undefined): () => void {
    if (at === undefined || this.#places.length === 1) return () => undefined;
    const watching = setInterval(() => void this.#ask(at), SILENT_MS);
    return () => clearInterval(watching);
  }

  /** Ends all that waits for a host that does not answer, and goes on to the next one. */
  async #ask(at: number): Promise<void> {
    if (this.#asked.has(at)) return;
    this.#asked.add(at);
    const client = new pg.Client({
      ...this.#each[at],
      connectionTimeoutMillis: ASKED_MS,
      query_timeout: ASKED_MS,
      stream: () => this.#newSocket(at),
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      await client.end();
    } catch (error) {
      if (!this.#leave(at, error)) return;
      for (const [socket, place] of this.#sockets) if (place === at) socket.destroy();
    } finally {
      this.#asked.delete(at);
    }
  }

  /** A connection to the first place that has one for us, from that on which was the primary last. */
  async #connected(): Promise<pg.PoolClient> {
    for (let tries = 1; ; tries++) {
      const at = this.#at;
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (!this.#leave(at, error) || tries >= this.#places.length) throw error;
      }
    }
  }

  /** Goes on to the next place where this one is not the primary, or not any more, unless somebody has gone on before; says whether it is not. */
  #leave(at: number | undefined, error: unknown): boolean {
    const isNone = isConnectionLost(error) || isReadOnly(error);
    if (isNone && at === this.#at) this.#at = (at + 1) % this.#places.length;
    return isNone;
  }

  /** Makes a connection for whoever comes next. Why there is none is told to him. */
  async warm(): Promise<void> {
    await this.use(() => Promise.resolve()).catch(() => undefined);
  }

  /** Runs a task that is one transaction, or may be done twice; again where it had to give way to those of others. */
  async insist<T>(task: (connection: Connection) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.use(task);
      } catch (error) {
        if (!isYielded(error) || tries === MOST_TRIES) throw error;
        await sleep(Math.random() * MOST_WAIT_MS);
      }
    }
  }

  /** May be called again. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#pool.end();
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  /** The client leaves a socket open whose password it did not know. */
  #newSocket(at: number): Socket {
    const socket = new Socket();
    this.#sockets.set(socket, at);
    return socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** Refuses a connection to a standby: what it lets us read may be less than was acknowledged. */
function mustWrite(client: pg.PoolClient, done: (error?: Error) => void): void {
  client.query<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"').then(
    ({ rows }) => done(rows[0]?.isStandby ? readOnly() : undefined),
    (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
  );
}

/** Where an address leads to. One that cannot be read is not repeated: it may hold a password. */
function placeIn(options: pg.ClientConfig): Place {
  try {
    const { host, port, database = '', user = '' } = new pg.Client(options);
    return { host, port, database, user };
  } catch {
    throw new StoreError(
      'unreadable',
      'the address of the database cannot be read; write postgres://user@host:5432/name',
    );
  }
}
