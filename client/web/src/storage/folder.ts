/**
 * Storage in a folder, for programs: one database of LevelDB for each room. One process at a time has a room of a folder; rooms of one
 * process that have the same one open share it, each with a key of its own, as tabs of a browser do.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { type Among, among, nobody } from './among.js';
import { fromBytes, toBytes } from './record-bytes.js';
import type { Change, Records, Storage } from './records.js';

type Database = Level<string, Uint8Array>;

interface Shared extends Among {
  readonly database: Database;
  users: number;
}

/** What this process has open, or is opening or closing, by its path. */
const shared = new Map<string, Promise<Shared | undefined>>();

/**
 * Keeps rooms in a folder of this machine, which is made where there is none, closed to its other users. Where another process has a
 * room of it open, that room goes on in memory and says so.
 */
export function folder(path: string): Storage {
  return {
    open: async (name) => {
      const place = join(path, createHash('sha256').update(name).digest('hex'));
      return recordsOf(place, await enter(place));
    },
  };
}

async function enter(place: string): Promise<Shared> {
  const entered = (shared.get(place) ?? Promise.resolve(undefined))
    .catch(() => undefined) // whoever could not open it was told
    .then((found) => found ?? opened(place))
    .then((found) => {
      found.users++;
      return found;
    });
  shared.set(place, entered);
  return entered;
}

async function opened(place: string): Promise<Shared> {
  await mkdir(place, { recursive: true, mode: 0o700 });
  const database: Database = new Level(place, { valueEncoding: 'view' });
  try {
    await database.open();
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code !== 'LEVEL_LOCKED') throw error;
    throw new Error(`another process has the room in ${place} open`, { cause });
  }
  return { database, users: 0, ...nobody() };
}

function leave(place: string): void {
  const left = (shared.get(place) ?? Promise.resolve(undefined)).then(async (found) => {
    if (!found || --found.users > 0) return found;
    await found.database.close();
    return undefined;
  });
  left.catch(() => undefined); // whoever opens it next is told
  shared.set(place, left);
}

/** Names that begin so. */
const rangeOf = (prefix: string): { gte: string; lt: string } => ({ gte: prefix, lt: `${prefix}\uffff` });

function recordsOf(place: string, entered: Shared): Records {
  const { database } = entered;
  const others = among(entered);
  let isClosed = false;
  /** Writes come one after the other: what one removes is found before it is removed. */
  let last: Promise<unknown> = Promise.resolve();
  const write = async ({ put = [], remove = [] }: Change, isStrict: boolean): Promise<void> => {
    const removed = await Promise.all(remove.map(({ prefix }) => database.keys(rangeOf(prefix)).all()));
    const changes = [
      ...removed.flat().map((key) => ({ type: 'del', key }) as const),
      ...put.map(([key, value]) => ({ type: 'put', key, value: toBytes(value, []) }) as const),
    ];
    // Of this database it is known how a write reaches the disk, which the type for all platforms says nothing of.
    await database.batch(changes, { sync: isStrict } as object);
  };
  return {
    ...others,
    read: async (prefix) => {
      const found = await database.iterator(rangeOf(prefix)).all();
      return found.map(([name, bytes]) => [name, fromBytes(bytes, [])] as const);
    },
    write: (change, isStrict) => {
      const written = last.then(() => write(change, isStrict));
      last = written.catch(() => undefined);
      return written;
    },
    close: () => {
      if (isClosed) return;
      isClosed = true;
      others.close();
      void last.then(() => leave(place));
    },
  };
}
