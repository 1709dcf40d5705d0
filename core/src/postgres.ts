/** Rooms in a PostgreSQL database. */
export { postgresStore } from './adapters/postgres/postgres-store.js';
export type { PostgresOptions } from './adapters/postgres/postgres-store.js';
