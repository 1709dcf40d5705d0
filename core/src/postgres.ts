/** Rooms in a PostgreSQL database. */
export { type DatabaseLooks, lookAtDatabase } from './adapters/postgres/database-looks.js';
export { migratePostgres } from './adapters/postgres/migrate.js';
export { postgresStore } from './adapters/postgres/postgres-store.js';
export type { PostgresOptions } from './adapters/postgres/postgres-store.js';
export type { ReadReplicaListener, ReadReplicaOptions } from './adapters/postgres/read-replica.js';
