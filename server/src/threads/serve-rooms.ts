/** A thread of rooms: a host of its own on the store and the sockets of the thread that has started it. */
import { type Host, type HostOptions, type KeyPair, type Notice, type RoomId, createHost } from '@weft/core';
import { IdleCollection } from '../idle-collection.js';
import { createMetrics } from '../metrics.js';
import { OperatorError } from '../operator/define.js';
import { Performing } from '../operator/perform.js';
import { operations } from '../operator/table.js';
import { sentNotice } from './errors.js';
import { startTraces } from '../tracing/traces.js';
import { threadOf } from './thread-of.js';
import { RemoteSockets } from './remote-sockets.js';
import { remoteBlobUrls, remoteStore } from './remote-store.js';
import { type Port, Wire } from './wire.js';

export interface RoomThreadOptions extends Pick<HostOptions, 'entry' | 'archives' | 'adminKey' | 'authority'> {
  /** Port to the thread that has started this one. */
  readonly port: Port;
  /** Number of this thread, of how many. */
  readonly index: number;
  readonly threads: number;
  /** Bounds of the whole server: those on bytes are divided. */
  readonly limits: NonNullable<HostOptions['limits']> & { readonly frameBytes: number };
  readonly hasBlobUrls: boolean;
  readonly admin?: KeyPair | undefined;
  /** Collector of traces; nothing is traced without. */
  readonly tracesUrl?: string | undefined;
}

/** Limits on what all rooms of a process take together. */
const DIVIDED = ['hostInboxBytes', 'hostParkedBytes', 'hostRoomsBytes'] as const;

export async function serveRooms(options: RoomThreadOptions): Promise<void> {
  const {
    port,
    index,
    threads,
    limits,
    hasBlobUrls,
    admin,
    entry,
    authority,
    archives = { stores: {} },
    adminKey,
  } = options;
  const metrics = createMetrics({ ofProcess: false });
  const asked = new Map<number, AbortController>();
  const traces =
    options.tracesUrl === undefined
      ? undefined
      : await startTraces({ url: options.tracesUrl, telemetry: metrics.telemetry });
  const wire = new Wire(port);
  const store = remoteStore(wire);
  const idle = new IdleCollection();
  idle.start();
  const telemetry = idle.hearing({
    ...metrics.telemetry,
    tell: (notice: Notice) => wire.tell('notice', sentNotice(notice)),
  });
  const onFault = (error: unknown, about = {}): void =>
    telemetry.tell?.({ level: 'error', message: 'something failed', error, about });
  const host: Host = createHost({
    store,
    limits: { ...limits, ...divided(limits, threads) },
    telemetry,
    tracing: traces?.tracing,
    archives,
    onFault,
    others: {
      serve: (room) => threadOf(room, threads) !== index,
      wrote: (room) => wire.tell('wrote', room),
      counted: (name, by) => wire.tell('counted', name, by),
      eraseBelow: (child, erasure) => wire.call('erase', child, erasure),
    },
    authority,
    ...(entry === undefined ? {} : { entry }),
    ...(adminKey === undefined ? {} : { adminKey }),
    ...(hasBlobUrls ? { blobUrls: remoteBlobUrls(wire) } : {}),
  });
  const performing = new Performing({ host, store, archives: archives.stores, telemetry, admin });
  const sockets = new RemoteSockets(wire, limits.frameBytes);
  wire.serve(sockets.answers(host));
  wire.serve({
    begin: () => host.ready(),
    async perform(name: string, input: unknown, id: number) {
      const operation = operations.get(name);
      if (!operation) throw new OperatorError(`there is no operation ${name}`);
      const gone = new AbortController();
      asked.set(id, gone);
      const progress = async (value: unknown): Promise<void> => wire.call('progress', id, value);
      return performing.perform(operation, input, { progress, signal: gone.signal }).finally(() => asked.delete(id));
    },
    abort: (id: number) => asked.get(id)?.abort(),
    quarantined: (): [RoomId, object][] => [...host.quarantined],
    look: (room: RoomId) => host.look(room).catch((error: unknown) => onFault(error, { room })),
    counted: (name: string, by: 1 | -1) => host.heed(name, by),
    renewAuthority: () => host.renewAuthority(),
    erase: (...below: Parameters<Host['eraseBelow']>) => host.eraseBelow(...below),
    unready: () => host.unready,
    metrics: () => metrics.read(),
    drain: (overMs: number) => host.drain(overMs),
    async close() {
      await host.close();
      await traces?.close();
    },
  });
}

function divided(limits: HostOptions['limits'], threads: number): HostOptions['limits'] {
  const shares = DIVIDED.map((name) => [name, limits?.[name]] as const);
  return Object.fromEntries(
    shares.flatMap(([name, all]) => (all === undefined ? [] : [[name, Math.ceil(all / threads)]])),
  );
}
