/** Rooms in a PostgreSQL database. */
export { migratePostgres } from './adapters/postgres/migrate.js';
export { postgresStore } from './adapters/postgres/postgres-store.js';
export type { PostgresOptions } from './adapters/postgres/postgres-store.js';
