/**
 * Threads of rooms, as the thread of sockets has them: each room is in one, by its id, with a host of its own.
 *
 * This thread has the sockets and the store, and nothing of any room. A thread that ends by itself ends the process: what its
 * rooms had acknowledged is in the store, and a process that serves half of the rooms would look well.
 */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import {
  type BlobUrls,
  type Host,
  type Limits,
  type RoomId,
  type Shut,
  type Store,
  type Telemetry,
  parseRoomId,
} from '@weft/core';
import type { Log } from '../log.js';
import type { MetricsReading } from '../metrics.js';
import { type AnyOperation, type Asking, NotThere, OperatorError, isOfStore } from '../operator/define.js';
import { type Performs, Turns } from '../operator/perform.js';
import { type SentNotice, noticeOf } from './errors.js';
import { NearSockets } from './near-sockets.js';
import { threadOf } from './thread-of.js';
import { storeAnswers } from './remote-store.js';
import { type Answers, Wire } from './wire.js';

export interface RoomThreadsOptions {
  /** Starts a thread that runs `serveRooms`. */
  readonly start: (index: number) => Worker;
  readonly threads: number;
  /** Store of all, which is open. It stays so when the threads are closed. */
  readonly store: Store;
  /** What a copy is made of, where that is another one. */
  readonly bareStore?: Store;
  readonly limits: Pick<Limits, 'frameBytes' | 'hostInboxBytes'>;
  readonly blobUrls?: BlobUrls | undefined;
  readonly telemetry: Telemetry;
  readonly log: Log;
}

/** Room of the host itself: what is about no other one is done where it is. */
const OWN_ROOM = '~host' as RoomId;

/** A thread that does not answer within so many milliseconds is no place to send a peer to. */
const ANSWER_MS = 2000;

/** Starts all threads. The first one finishes what a process before this one had begun; then the others begin. */
export async function startRoomThreads(options: RoomThreadsOptions): Promise<RoomThreads> {
  const threads: RoomThread[] = [];
  const all = new RoomThreads(options, threads);
  /** What the host of a thread tells those of the others. */
  const toldBy = (index: number): Answers => ({
    wrote: (room: RoomId) => threads[threadOf(room, threads.length)]?.wire.tell('look', room),
    erase: (child: RoomId, erasure: unknown) =>
      threads[threadOf(child, threads.length)]?.wire.call('erase', child, erasure),
    counted(name: string, by: number) {
      for (const [at, thread] of threads.entries()) if (at !== index) thread.wire.tell('counted', name, by);
    },
  });
  try {
    for (let index = 0; index < options.threads; index++) threads.push(new RoomThread(options, index, toldBy(index)));
    for (const thread of threads) await thread.wire.call('begin');
    return all;
  } catch (error) {
    await all.close();
    throw error;
  }
}

export class RoomThreads implements Pick<Host, 'connect' | 'renewAuthority'>, Performs {
  readonly #options: RoomThreadsOptions;
  readonly #threads: readonly RoomThread[];
  readonly #turns = new Turns();

  constructor(options: RoomThreadsOptions, threads: readonly RoomThread[]) {
    this.#options = options;
    this.#threads = threads;
  }

  readonly connect: Host['connect'] = (room, socket, audiences = [], request) =>
    this.#of(room).sockets.connect(room, socket, audiences, request);

  /** Performs an operation where its room is; what names none, in the first thread, in all, or here if it needs no host. */
  perform(operation: AnyOperation, input: unknown, asking: Asking): Promise<unknown> {
    return this.#turns.take(operation, () => this.#perform(operation, input, asking));
  }

  async #perform(operation: AnyOperation, input: unknown, asking: Asking): Promise<unknown> {
    const { store, bareStore = store, telemetry } = this.#options;
    const quarantined = () => this.#quarantined();
    if (isOfStore(operation)) return operation.answer({ ...asking, store: bareStore, telemetry, quarantined }, input);
    const { everywhere } = operation;
    const first = this.#of(roomIn(input) ?? OWN_ROOM);
    const answer = await first.perform(operation, input, asking);
    if (!everywhere) return answer;
    // What the host of the room has done, the others are told: that they have nothing of the kind is no failure.
    const others = this.#threads.filter((thread) => thread !== first);
    const answers = await Promise.all(
      others.map((thread) => thread.perform(operation, input, asking).catch(unlessRefused)),
    );
    return everywhere([answer, ...answers.filter((told) => told !== undefined)]);
  }

  /** Rooms that are shut, each by the word of the thread that it is in. */
  async #quarantined(): Promise<ReadonlyMap<RoomId, Shut>> {
    const shut = await Promise.all(
      this.#threads.map(async (thread) => {
        const rooms = await thread.wire.call<readonly (readonly [RoomId, Shut])[]>('quarantined');
        return rooms.filter(([room]) => this.#of(room) === thread);
      }),
    );
    return new Map(shut.flat());
  }

  /** Why no peer should be sent here just now. */
  async unready(): Promise<string | undefined> {
    const silent = new Promise<string>((resolve) => {
      setTimeout(() => resolve('a thread does not answer'), ANSWER_MS).unref();
    });
    const asked = this.#threads.map((thread) =>
      Promise.race([thread.wire.call<string | undefined>('unready'), silent]),
    );
    return (await Promise.all(asked)).find((why) => why !== undefined);
  }

  /** Has each thread take in what roots have said. */
  async renewAuthority(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.wire.call('renewAuthority')));
  }

  metrics(): Promise<readonly MetricsReading[]> {
    return Promise.all(this.#threads.map((thread) => thread.wire.call<MetricsReading>('metrics')));
  }

  async drain(overMs = 0): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.wire.call('drain', overMs)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #of(room: RoomId): RoomThread {
    const thread = this.#threads[threadOf(room, this.#threads.length)];
    if (!thread) throw new Error('the threads of rooms are closed');
    return thread;
  }
}

class RoomThread {
  readonly wire: Wire;
  readonly sockets: NearSockets;
  readonly #worker: Worker;
  readonly #asking = new Map<number, Asking>();
  #isClosing = false;
  #next = 0;

  constructor(
    { start, threads, store, limits, blobUrls, log }: RoomThreadsOptions,
    index: number,
    toldOthers: Answers,
  ) {
    this.#worker = start(index);
    this.wire = new Wire(this.#worker);
    const hostInboxBytes = Math.ceil(limits.hostInboxBytes / threads);
    this.sockets = new NearSockets(this.wire, { ...limits, hostInboxBytes });
    this.wire.serve(storeAnswers(store, this.wire));
    this.wire.serve(this.sockets.answers);
    if (blobUrls) this.wire.serve(urlAnswers(blobUrls));
    this.wire.serve(toldOthers);
    this.wire.serve({
      notice: (notice: SentNotice) => log(noticeOf(notice)),
      progress: (asked: number, value: unknown) => this.#asking.get(asked)?.progress(value),
    });
    const lost = (error: Error): void => {
      if (this.#isClosing) return;
      this.wire.end(error);
      queueMicrotask(() => {
        throw error;
      });
    };
    this.#worker.on('error', lost);
    this.#worker.on('exit', () => lost(new Error('a thread of rooms has ended')));
  }

  async perform({ name }: AnyOperation, input: unknown, asking: Asking): Promise<unknown> {
    asking.signal.throwIfAborted();
    const asked = this.#next++;
    const abort = (): void => this.wire.tell('abort', asked);
    this.#asking.set(asked, asking);
    asking.signal.addEventListener('abort', abort);
    try {
      return await this.wire.call('perform', name, input, asked);
    } finally {
      asking.signal.removeEventListener('abort', abort);
      this.#asking.delete(asked);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    const ended = once(this.#worker, 'exit');
    await this.wire.call('close').finally(async () => {
      this.#isClosing = true;
      await this.#worker.terminate();
      await ended;
      this.wire.end(new Error('the thread of rooms is closed'));
    });
  }
}

function urlAnswers(urls: BlobUrls): Answers {
  return {
    'urls.forPut': (...asked: Parameters<BlobUrls['forPut']>) => urls.forPut(...asked),
    'urls.claim': (...asked: Parameters<BlobUrls['claim']>) => urls.claim(...asked),
    'urls.forGet': (...asked: Parameters<BlobUrls['forGet']>) => urls.forGet(...asked),
  };
}

/** Room that an operation is about, where it names one. What is no room id is refused by whoever performs it. */
function roomIn(input: unknown): RoomId | undefined {
  if (typeof input !== 'object' || input === null || !('room' in input)) return undefined;
  return typeof input.room === 'string' ? parseRoomId(input.room) : undefined;
}

function unlessRefused(error: unknown): undefined {
  if (error instanceof OperatorError || error instanceof NotThere) return undefined;
  throw error;
}
