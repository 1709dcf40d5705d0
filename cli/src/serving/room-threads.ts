/** Threads of rooms as the options want them, and what cannot be spread over threads. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { BlobUrls, Store, Telemetry } from '@weft/core';
import { type Config, type Log, type RoomThreads, isDatabase, startRoomThreads } from '@weft/server';
import { UsageError } from '../syntax/define.js';

/** What a thread of rooms is told when it starts. */
export interface ThreadOfRooms {
  readonly config: Config;
  readonly index: number;
  readonly hasBlobUrls: boolean;
  readonly tracesUrl: string | undefined;
}

/** Program of a thread, beside the others of the build. */
const PROGRAM = fileURLToPath(new URL('./room-thread.js', import.meta.url));

/** Refuses by name what needs all rooms in one thread. */
export function checkThreads({ threads, yjs, store }: Config): void {
  if (threads === 1) return;
  if (yjs === 'on')
    throw new UsageError('--threads: clients of Yjs need all rooms in one thread; leave out --yjs or --threads');
  if (store === 'memory')
    throw new UsageError('--threads: rooms in memory have one thread; name a data folder with --store');
  if (isDatabase(store))
    throw new UsageError('--threads: rooms in a database have one thread; leave out --threads, or name a data folder');
  if (!existsSync(PROGRAM))
    throw new UsageError('--threads: this build of weft has no program for threads; install the package @weft/cli');
}

export interface Spread {
  /** Store of all threads, which is open. */
  readonly store: Store;
  readonly bareStore: Store;
  readonly blobUrls: BlobUrls | undefined;
  readonly telemetry: Telemetry;
  readonly tracesUrl: string | undefined;
  readonly log: Log;
}

export function startThreads(config: Config, spread: Spread): Promise<RoomThreads> {
  const { threads, limits } = config;
  const hasBlobUrls = spread.blobUrls !== undefined;
  const start = (index: number): Worker =>
    new Worker(PROGRAM, {
      workerData: { config, index, hasBlobUrls, tracesUrl: spread.tracesUrl } satisfies ThreadOfRooms,
    });
  return startRoomThreads({ ...spread, threads, limits, start });
}
