/** The stores that the options name: of rooms, of blobs, of archives. */
import type { ArchiveOptions, ArchiveStore, ColdStore, Store, Telemetry } from '@weft/core';
import { folderArchives, levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import type { ReadReplicaOptions } from '@weft/core/postgres';
import { join } from 'node:path';
import {
  type Config,
  type S3Blobs,
  type S3Keys,
  Webhooks,
  isDatabase,
  readReplicaTold,
  s3Archives,
  s3Blobs,
  s3Cold,
  shownStore,
} from '@weft/server';
import { type Terminal, UsageError } from '../syntax/define.js';

export interface Elsewhere {
  readonly blobs?: S3Blobs | undefined;
  readonly cold?: ColdStore | undefined;
  readonly readReplica?: ReadReplicaOptions | undefined;
  /** Where other processes on a database reach this one. */
  readonly sharedAt?: string | undefined;
  /** Reads a database beside whoever serves it. */
  readonly isReader?: boolean | undefined;
  /** With it, a database that another process has is waited for, until this is aborted. */
  readonly standby?: AbortSignal | undefined;
}

export async function openStore(
  place: string,
  { blobs, cold, readReplica, sharedAt, standby, isReader }: Elsewhere = {},
): Promise<Store> {
  if (isDatabase(place)) {
    // Loaded here: nobody else needs its client.
    const { postgresStore } = await import('@weft/core/postgres');
    return postgresStore(place, { blobBytes: blobs?.bytes, cold, readReplica, sharedAt, standby, isReader });
  }
  if (cold)
    throw new UsageError('cold-store: only rooms in a database may lie there; name one with --store postgres://…');
  if (readReplica)
    throw new UsageError('read-replica: only a database has one; name the database with --store postgres://…');
  if (place !== 'memory') return levelStore(place, { blobBytes: blobs?.bytes });
  if (blobs) throw new UsageError('blob-store: a store in memory keeps its blobs there too');
  return memoryStore();
}

/** Data folder of a store; undefined for one in memory or in a database, which has none. */
export function folderOf(place: string): string | undefined {
  return place === 'memory' || isDatabase(place) ? undefined : place;
}

/** Folder of a studio: the data folder, or the one beside a database. */
export function studioFolder(place: string, beside: string | undefined): string | undefined {
  if (!isDatabase(place)) {
    if (beside !== undefined) throw new UsageError(`--folder is for a database; ${place} is the folder already`);
    return folderOf(place);
  }
  if (beside !== undefined) return beside;
  throw new UsageError(
    'the studio needs a folder beside a database, for repositories and tokens: name one with --folder',
  );
}

/** Signal until which a process waits for a database that another one has; undefined where it is refused. */
export function standbyOf(place: string, flag: unknown, { stop, err }: Terminal): AbortSignal | undefined {
  if (!/^(true|yes|1)$/.test(String(flag ?? false))) return undefined;
  if (!isDatabase(place)) throw new UsageError('--standby is for a database; a data folder is not waited for');
  err('weft: on standby while another process has the database');
  return stop;
}

/** Data folder for what needs one. */
export function mustHaveFolder(place: string, what: string): string {
  const folder = folderOf(place);
  if (folder !== undefined) return folder;
  throw new UsageError(`${what} needs a data folder: name one with --store, not ${shownStore(place)}`);
}

/** Who is told what becomes of the rooms of a store that is open; nobody is, before it is started. */
export async function openWebhooks(place: string, store: Store): Promise<Webhooks> {
  const folder = folderOf(place);
  return Webhooks.open({
    path: folder && join(folder, 'webhooks.jsonl'),
    notes: store.notes,
    heads: store.membership && ((rooms) => store.membership!.heads(rooms)),
    log: () => store.log,
  });
}

/** Bucket for blobs; undefined when they are files of the data folder. */
export function s3Of(config: Config): S3Blobs | undefined {
  const { 'blob-store': place, 'blob-access-key': accessKey, 'blob-secret-key': secretKey } = config;
  return place === 'folder' ? undefined : s3Blobs(place, keysOf('blob', accessKey, secretKey));
}

/** Bucket for what is cold; undefined without one. */
export function coldOf(config: Config): ColdStore | undefined {
  const { 'cold-store': place, 'cold-access-key': accessKey, 'cold-secret-key': secretKey } = config;
  if (place === undefined) return undefined;
  for (const other of [config['blob-store'], config['archive-store']])
    if (other !== undefined && (isWithin(place, other) || isWithin(other, place)))
      throw new UsageError('cold-store: what is cold needs a prefix of its own in a bucket, beside blobs and archives');
  return s3Cold(place, keysOf('cold', accessKey, secretKey));
}

/** Standby from which a database is read; undefined without one. */
export function readReplicaOf(config: Config, telemetry: Telemetry): ReadReplicaOptions | undefined {
  const { 'read-replica': address } = config;
  return address === undefined ? undefined : { address, listener: readReplicaTold(telemetry) };
}

export function archivesOf(config: Config): ArchiveOptions {
  const { 'archive-root': root, 'archive-trust': trusted = [] } = config;
  const objects = objectArchives(config);
  return { stores: { ...(root && { file: folderArchives(root) }), ...(objects && { object: objects }) }, trusted };
}

function objectArchives(config: Config): ArchiveStore | undefined {
  const { 'archive-store': place, 'archive-access-key': accessKey, 'archive-secret-key': secretKey } = config;
  if (place === undefined) return undefined;
  // Otherwise whoever may write an archive could write something that passes for a blob.
  if (isWithin(place, config['blob-store']) || isWithin(config['blob-store'], place))
    throw new UsageError('archive-store: archives and blobs need prefixes of their own in a bucket');
  return s3Archives(place, keysOf('archive', accessKey, secretKey));
}

/** Whether one address of a bucket lies inside another one, as far as their names tell. */
function isWithin(inner: string, outer: string): boolean {
  const [a, b] = [inner, outer].map((place) => `${place.replace(/\?.*$/, '').replace(/\/+$/, '')}/`) as [
    string,
    string,
  ];
  return a.startsWith(b);
}

function keysOf(
  what: 'blob' | 'archive' | 'cold',
  accessKey: string | undefined,
  secretKey: string | undefined,
): S3Keys {
  if (accessKey !== undefined && secretKey !== undefined) return { accessKey, secretKey };
  const prefix = `WEFT_${what.toUpperCase()}`;
  throw new UsageError(`${what}-store: a bucket needs its keys: ${prefix}_ACCESS_KEY and ${prefix}_SECRET_KEY`);
}
