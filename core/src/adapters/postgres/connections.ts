/**
 * Pool of connections to one database. Whatever is sent over them holds no state of a session, so that a pooler in between may
 * hand each transaction to another server process: statements have no names, settings are those of a transaction.
 */
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StoreError } from '../../ports/store.js';
import { type Place, isYielded } from './database-error.js';

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

export class Connections {
  readonly place: Place;
  readonly #pool: pg.Pool;
  readonly #sockets = new Set<Socket>();
  #closed: Promise<void> | undefined;

  /** Nothing is opened before it is needed. What the address leaves out comes from PGHOST, PGUSER, PGPASSWORD and the like. */
  constructor(address: string, { most, queryMs, connectMs = CONNECT_MS }: PoolOptions) {
    const options = {
      connectionString: address,
      max: most,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      keepAlive: true,
      stream: () => this.#newSocket(),
      application_name: 'weft',
    };
    this.place = placeOf(options);
    this.#pool = new pg.Pool(options);
    // A connection that breaks is told to whoever uses it, and replaced when it is needed.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** Runs a task on a connection of its own. After an error the connection is closed: nobody knows what state it is in. */
  async use<T>(task: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let isSound = false;
    try {
      const result = await task({
        query: (text, values) => client.query(text, values && [...values]),
      });
      isSound = true;
      return result;
    } finally {
      client.release(!isSound);
    }
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
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The client leaves a socket open whose password it did not know. */
  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** Where an address leads to. One that cannot be read is not repeated: it may hold a password. */
function placeOf(options: pg.ClientConfig): Place {
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
