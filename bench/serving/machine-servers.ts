/** Servers of the machine that benches of a cluster start, as tests do. */
export { NatsServer } from '../../test/support/servers/nats.js';
export { PostgresServer } from '../../test/support/servers/postgres.js';
