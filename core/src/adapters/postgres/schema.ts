/**
 * Tables of a store, in a schema `weft` of their own, and the steps that lead from one version to the next. Steps only go
 * forward; each is one transaction, under a lock that ends with it, so that two processes never take one at once.
 *
 *   lease     who may write: see `lease.ts`
 *   owner     which of several processes a room belongs to, while it is open there
 *   busy      names of what one of several processes does alone
 *   room      head of each log, how it began, and what is left of the last one of that name
 *   record    what each append wrote, hashed over partitions by room
 *   part      segments of each log, by the hash of their bytes
 *   segment   those bytes, once however many rooms have them, or the name of a cold object that has them
 *   image     what rooms were like, to open them faster: it may be emptied. In pieces, or one row with the name of a cold object
 *   cold      objects of the cold tier, from before they are put until after they are removed
 *   blob      which pieces are a blob's; `blob_piece` has them, `blob_entry` says which room has which blob
 *
 * Beside the steps are additions, which older versions need not know: they have no version, so that two of Weft run side by side
 * while one takes the other's place.
 *
 *   server_note  what the servers keep beside rooms: see `notes.ts`
 *   blob_weight  what a blob weighs in a room, and who brought it; it counts as long as its `blob_entry` is there
 */
import { StoreError } from '../../ports/store.js';
import { type Connection, begin } from './connections.js';
import { type Place, nameOf } from './database-error.js';

/** One version's worth of statements. */
export interface Step {
  readonly about: string;
  readonly statements: string;
}

const PARTITIONS = 16;

const records = Array.from(
  { length: PARTITIONS },
  (_, i) => `
  CREATE TABLE weft.record_${i} PARTITION OF weft.record FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${i});
  ALTER TABLE weft.record_${i} ALTER COLUMN pack SET STORAGE EXTERNAL;`,
).join('');

/** Packs are deflated already: stored as they are, without a second compression. */
export const STEPS: readonly Step[] = [
  {
    about: 'make the tables of rooms, images and blobs',
    statements: `
  CREATE TABLE weft.lease (
    name text PRIMARY KEY, holder text NOT NULL, fence bigint NOT NULL, until timestamptz NOT NULL);
  CREATE TABLE weft.secret (name text PRIMARY KEY, value bytea NOT NULL);
  CREATE TABLE weft.room (
    room text COLLATE "C" PRIMARY KEY, head bigint NOT NULL,
    origin_room text COLLATE "C", origin_at bigint, origin_shared boolean,
    tombstone bytea, barred boolean NOT NULL DEFAULT false) WITH (fillfactor = 70);
  CREATE INDEX room_origin ON weft.room (origin_room, room) WHERE origin_room IS NOT NULL;
  CREATE TABLE weft.record (
    room text COLLATE "C", seq bigint, count bigint NOT NULL, pack bytea NOT NULL, PRIMARY KEY (room, seq))
    PARTITION BY HASH (room);${records}
  CREATE TABLE weft.segment (hash bytea PRIMARY KEY, pack bytea NOT NULL);
  ALTER TABLE weft.segment ALTER COLUMN pack SET STORAGE EXTERNAL;
  CREATE TABLE weft.part (
    room text COLLATE "C", seq bigint, count bigint NOT NULL, bytes bigint NOT NULL, hash bytea NOT NULL,
    PRIMARY KEY (room, seq));
  CREATE INDEX part_hash ON weft.part (hash);
  CREATE TABLE weft.image (
    room text COLLATE "C", piece int, hash bytea NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (room, piece));
  ALTER TABLE weft.image ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE weft.blob (
    hash text COLLATE "C" PRIMARY KEY, draft uuid NOT NULL, size bigint NOT NULL, touched timestamptz NOT NULL);
  CREATE TABLE weft.blob_piece (draft uuid, piece int, bytes bytea NOT NULL, PRIMARY KEY (draft, piece));
  ALTER TABLE weft.blob_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE weft.blob_entry (
    room text COLLATE "C", hash text COLLATE "C", linked boolean NOT NULL, at bigint NOT NULL, content_type text,
    PRIMARY KEY (room, hash));
  CREATE INDEX blob_entry_hash ON weft.blob_entry (hash);`,
  },
  {
    about: 'let several processes share the database',
    statements: `
  ALTER TABLE weft.lease ADD COLUMN address text;
  CREATE TABLE weft.owner (
    room text COLLATE "C" PRIMARY KEY, process text NOT NULL REFERENCES weft.lease (name) ON DELETE CASCADE);
  CREATE INDEX owner_process ON weft.owner (process);
  CREATE TABLE weft.busy (
    name text COLLATE "C" PRIMARY KEY, process text NOT NULL REFERENCES weft.lease (name) ON DELETE CASCADE);`,
  },
  {
    about: 'let segments and images lie in a cold store',
    statements: `
  CREATE TABLE weft.cold (name text COLLATE "C" PRIMARY KEY, bytes bigint NOT NULL);
  ALTER TABLE weft.segment ALTER COLUMN pack DROP NOT NULL, ADD COLUMN since timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN cold text COLLATE "C" REFERENCES weft.cold (name), ADD CHECK ((pack IS NULL) <> (cold IS NULL));
  CREATE UNIQUE INDEX segment_cold ON weft.segment (cold) WHERE cold IS NOT NULL;
  CREATE INDEX segment_since ON weft.segment (since) WHERE cold IS NULL;
  ALTER TABLE weft.image ALTER COLUMN bytes DROP NOT NULL, ADD COLUMN since timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN cold text COLLATE "C" REFERENCES weft.cold (name), ADD CHECK ((bytes IS NULL) <> (cold IS NULL));
  CREATE UNIQUE INDEX image_cold ON weft.image (cold) WHERE cold IS NOT NULL;`,
  },
];

const ADDITIONS = `
  CREATE TABLE IF NOT EXISTS weft.server_note (name text COLLATE "C" PRIMARY KEY, text text NOT NULL);
  CREATE TABLE IF NOT EXISTS weft.blob_weight (
    room text COLLATE "C", hash text COLLATE "C", size bigint NOT NULL, brought_by text COLLATE "C",
    PRIMARY KEY (room, hash));
  CREATE INDEX IF NOT EXISTS blob_weight_hash ON weft.blob_weight (hash);
  CREATE INDEX IF NOT EXISTS blob_weight_brought_by ON weft.blob_weight (brought_by) WHERE brought_by IS NOT NULL`;

/** Any number that nothing else in the database locks by. */
const LOCK = 7_783_116_524_001;

/** How a database stands before anything is done in it. */
export interface Standing {
  /** Version of the tables that are there; 0 where there are none. */
  readonly version: number;
  readonly hasAdditions: boolean;
  /** Settings that are off, and under which a crash takes what was acknowledged. */
  readonly unsafe: readonly string[];
}

export async function standingOf(connection: Connection): Promise<Standing> {
  const { rows } = await connection.query<Omit<Standing, 'version'> & { readonly isMade: boolean }>(
    `SELECT to_regclass('weft.version') IS NOT NULL AS "isMade",
       to_regclass('weft.server_note') IS NOT NULL AND to_regclass('weft.blob_weight') IS NOT NULL AS "hasAdditions",
       ARRAY(SELECT name FROM pg_settings
         WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') AND setting = 'off') AS unsafe`,
  );
  const { isMade, hasAdditions, unsafe } = rows[0]!;
  if (!isMade) return { version: 0, hasAdditions, unsafe };
  const version = await connection.query<{ version: number }>('SELECT version FROM weft.version');
  return { version: version.rows[0]?.version ?? 0, hasAdditions, unsafe };
}

export async function versionOf(connection: Connection): Promise<number> {
  return (await standingOf(connection)).version;
}

/** Refusal of a database without tables, by who makes none. */
export function neverServed(place: Place): StoreError {
  return new StoreError('unreadable', `${nameOf(place)} has no tables of Weft; weft serve makes them`);
}

/** Refusal of tables of another version. */
export function checkVersion(version: number, place: Place, newest = STEPS.length): void {
  if (version > newest) {
    const message = `${nameOf(place)} was written by a newer Weft (version ${version} of its tables); use that version`;
    throw new StoreError('newer-format', message);
  }
  if (version < newest) {
    const older = `${nameOf(place)} has version ${version} of the tables and this Weft reads ${newest}`;
    throw new StoreError('unreadable', `${older}; bring it forward with weft migrate, after a backup`);
  }
}

/**
 * Takes one step, if there is one left to take; answers the version that holds then. Where nothing is there all are taken at once, so
 * that nobody finds tables that are half made.
 */
export async function takeStep(connection: Connection, steps: readonly Step[] = STEPS): Promise<number> {
  await connection.query(begin());
  await connection.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  const version = await versionOf(connection);
  const taken = steps.slice(version, version === 0 ? undefined : version + 1);
  if (version === 0) await makeSchema(connection);
  for (const { statements } of taken) await connection.query(statements);
  if (taken.length > 0) await connection.query('UPDATE weft.version SET version = $1', [version + taken.length]);
  await connection.query('COMMIT');
  return version + taken.length;
}

/** Makes what is there beside the steps. */
export async function makeAdditions(connection: Connection): Promise<void> {
  await connection.query(begin());
  await connection.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  await connection.query(ADDITIONS);
  await connection.query('COMMIT');
}

/** Left alone where an administrator has made it, for a user who may make none. */
async function makeSchema(connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ found: boolean }>(`SELECT to_regnamespace('weft') IS NOT NULL AS found`);
  if (!rows[0]?.found) await connection.query('CREATE SCHEMA weft');
  await connection.query('CREATE TABLE weft.version (version int NOT NULL)');
  await connection.query('INSERT INTO weft.version VALUES (0)');
}
