/**
 * What `serve`, `studio` and `up` start, and how it stops: everything that was started is closed in
 * reverse order, also when a later part fails to start.
 */
import { type Host, type HostOptions, type Store, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { type RunningServer, createBlobLinks, createMetrics, startServer } from '@weft/server';
import { type RunningStudio, type StudioTokens, TOKENS_FILE, loadTokens, newTokens, startStudio } from '@weft/studio';
import { join } from 'node:path';
import { adminKey } from './admin-key.js';
import type { FlagValues, Terminal } from './define.js';
import type { serverFlags, storeFlag } from './flags.js';

type RoomServerFlags = FlagValues<typeof serverFlags & { store: typeof storeFlag }>;

export class Services {
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #terminal: Terminal;

  private constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Starts what `start` says, waits for the user to stop it, closes it. */
  static async run(terminal: Terminal, start: (services: Services) => Promise<void>): Promise<void> {
    const services = new Services(terminal);
    try {
      await start(services);
      await stopped(terminal.stop);
    } finally {
      await services.#close();
    }
  }

  host(folder: string): Promise<Host> {
    return this.#ready({ store: openStore(folder) });
  }

  /** The room server, with its addresses for metrics and blobs if there are to be any, and the host behind it. */
  async roomServer(flags: RoomServerFlags): Promise<{ readonly host: Host; readonly server: RunningServer }> {
    const { listen, transport, 'metrics-addr': metricsAddr, 'blob-addr': blobListen, 'blob-url': blobUrl } = flags;
    const store = openStore(flags.store);
    const metrics = createMetrics();
    const blobLinks = createBlobLinks({ store });
    const { 'public-host': publicHosts, 'admin-key': adminFile } = flags;
    const host = await this.#ready({
      store,
      telemetry: metrics.telemetry,
      adminKey: async () => (await adminKey(flags.store, adminFile))?.publicKey,
      ...(blobListen === undefined ? {} : { blobUrls: blobLinks }),
    });
    const server = await startServer({
      host,
      listen,
      metrics,
      blobLinks,
      transport: transport === 'uws' || transport === 'ws' ? transport : 'auto',
      ...(publicHosts === undefined ? {} : { publicHosts: publicHosts.split(',') }),
      ...(metricsAddr === undefined ? {} : { metricsAddr }),
      ...(blobListen === undefined ? {} : { blobListen }),
      ...(blobUrl === undefined ? {} : { blobUrl }),
      log: (line) => this.#terminal.err(line),
    });
    this.#closers.push(() => server.close());
    return { host, server };
  }

  /** `tokens` says where the studio's tokens are. */
  async studio(host: Host, store: string, listen: string): Promise<RunningStudio & { readonly tokens: string }> {
    const tokens = await studioTokens(store);
    const studio = await startStudio({
      ...{ host, listen, tokens: tokens.values },
      ...(store === 'memory' ? {} : { folder: store }),
    });
    this.#closers.push(() => studio.close());
    return { ...studio, tokens: tokens.place };
  }

  async #ready(options: HostOptions): Promise<Host> {
    const host = createHost(options);
    this.#closers.push(() => host.close());
    await host.ready();
    return host;
  }

  /** One part that fails to close does not keep the others open. */
  async #close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.reverse()) await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

function openStore(store: string): Store {
  return store === 'memory' ? memoryStore() : levelStore(store);
}

/** Without a folder there is no file to keep the tokens in: the admin token is shown instead. */
async function studioTokens(store: string): Promise<{ values: StudioTokens; place: string }> {
  if (store === 'memory') {
    const values = newTokens();
    return { values, place: `admin token, gone at exit: ${values.admin}` };
  }
  return { values: await loadTokens(store), place: join(store, TOKENS_FILE) };
}

function stopped(stop: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
}
