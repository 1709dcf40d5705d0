/**
 * The database's refusals as sentences that say what to do. No password is ever part of one: a place is named by its host, its
 * port and its database.
 */
import { type StoreFault, StoreError } from '../../ports/store.js';

/** Database as messages name it. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

const READ_ONLY = '25006';
/** A transaction was taken back in favour of others: what it read has changed, or they wait for each other. */
const YIELDED = new Set(['40001', '40P01']);
/**
 * Error of a statement for which some transaction of this process must be tried again: nothing of it was kept. A standby that is
 * about to be promoted only lets us read until it is; an administrator may bound how long a statement or a lock is waited for.
 */
const AGAIN = new Set([...YIELDED, '55P03', '57014', READ_ONLY]);
/** The server goes down, or comes up. */
const RESTARTING = new Set(['57P01', '57P02', '57P03', '57P05']);
/** The server has ended a transaction that was silent for too long, and its connection. */
const SILENT = '25P03';
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/** What the client says of connections that have ended, or were too slow; it has no codes for them. */
const ENDED =
  /^(Connection terminated|Query read timeout|timeout |The server does not support SSL)|has encountered a connection error|was closed|not queryable/;

/** Whether the connection is at fault: what was sent over it may have happened. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined)
    return UNREACHABLE.has(code) || RESTARTING.has(code) || code === SILENT || code.startsWith('08');
  return error instanceof Error && ENDED.test(error.message);
}

/** Whether the same statements may be sent again, because nothing of them was kept. */
export function isToBeRepeated(error: unknown): boolean {
  return AGAIN.has(codeOf(error) ?? '');
}

/** Whether a transaction was taken back in favour of others. */
export function isYielded(error: unknown): boolean {
  return YIELDED.has(codeOf(error) ?? '');
}

/** Whether it only lets us read, as a standby does. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY;
}

/** Error of a database that only lets us read. */
export function readOnly(): Error {
  return Object.assign(new Error('it is a standby'), { code: READ_ONLY });
}

/** Whether there is no such database, or not yet. */
export function hasNoDatabase(error: unknown): boolean {
  return codeOf(error) === '3D000';
}

/** Error of the database as a `StoreError`; `doing` is like "write the log of room plans". */
export function databaseError(doing: string, cause: unknown, place: Place): StoreError {
  if (cause instanceof StoreError) return cause;
  const [fault, said] = explained(cause, place);
  return new StoreError(fault, `cannot ${doing}: ${said}`, { cause });
}

export function nameOf({ database, host, port }: Place): string {
  return `the database ${database} at ${host}${host.startsWith('/') ? '' : `:${port}`}`;
}

function explained(cause: unknown, place: Place): [StoreFault, string] {
  const code = codeOf(cause) ?? '';
  const { database, user } = place;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const name = nameOf(place);
  if (reason.includes('client password must be a string'))
    return ['unreadable', `${name} wants a password of ${user} and there is none; set PGPASSWORD`];
  if (code === '28P01' || code === '28000' || reason.startsWith('SASL'))
    return ['unreadable', `${name} does not let the user ${user} in (${reason}); check its name and password`];
  if (code === '3D000')
    return ['unreadable', `there is no database ${database} at ${place.host}; make it with createdb, or name another`];
  if (code === '42501')
    return [
      'unreadable',
      `the user ${user} lacks rights in ${name} (${reason}); let it own the schema weft, or ${mayCreate(place)}`,
    ];
  if (code === READ_ONLY) return ['away', `${name} only lets us read; name the primary, not a standby`];
  if (code === '53100') return ['full', `the disk of ${name} is full; free space or give it more`];
  if (code === '53300')
    return ['away', `${name} has no connection left for us; raise its max_connections, or put a pooler in front`];
  if (code === '3F000' || code === '42P01' || code === '42703')
    return ['damaged', `the tables of Weft in ${name} are not what they were (${reason}); restore a backup`];
  if (code === 'XX001' || code === 'XX002') return ['damaged', `${name} is damaged (${reason}); restore a backup`];
  if (RESTARTING.has(code)) return ['away', `${name} restarts (${reason}); what was acknowledged is in it`];
  if (isYielded(cause)) return ['away', `${name} takes it back in favour of others again and again (${reason})`];
  if (isToBeRepeated(cause)) return ['away', `${name} is too slow for what it was told to wait for (${reason})`];
  if (isConnectionLost(cause))
    return ['away', `${name} does not answer (${reason || code}); start it, or correct the address`];
  return ['failed', `${name} refuses it: ${reason}`];
}

function mayCreate({ database, user }: Place): string {
  return `GRANT CREATE ON DATABASE "${database}" TO "${user}"`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
