/**
 * Pool of connections to one database. Whatever is sent over them holds no state of a session, so that a pooler in between may
 * hand each transaction to another server process: statements have no names, settings are those of a transaction.
 */
import pg from 'pg';
import type { Place } from './database-error.js';

/** What may be asked over a connection. */
export interface Connection {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<{ readonly rows: Row[] }>;
}

export interface PoolOptions {
  readonly most: number;
  /** Milliseconds for the answer to one statement, after which the connection counts as lost. */
  readonly queryMs: number;
}

/** Milliseconds for a new connection, its password included. */
const CONNECT_MS = 5000;

export class Connections {
  readonly place: Place;
  readonly #pool: pg.Pool;

  /** Nothing is opened before it is needed. What the address leaves out comes from PGHOST, PGUSER, PGPASSWORD and the like. */
  constructor(address: string, { most, queryMs }: PoolOptions) {
    const options = {
      connectionString: address,
      max: most,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: queryMs,
      keepAlive: true,
      application_name: 'weft',
    };
    const { host, port, database = '', user = '' } = new pg.Client(options);
    this.place = { host, port, database, user };
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

  close(): Promise<void> {
    return this.#pool.end();
  }
}
