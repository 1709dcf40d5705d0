/**
 * What `serve`, `studio` and `up` start, and how it stops: everything that was started is closed in
 * reverse order, also when a later part fails to start.
 */
import {
  type ArchiveOptions,
  type BlobUrls,
  type Host,
  type HostOptions,
  type Store,
  type Telemetry,
  type Tracing,
  createHost,
} from '@weft/core';
import {
  type AdminOptions,
  type BlobLinks,
  type Bus,
  Cluster,
  type Config,
  type ControlOptions,
  type FollowedStore,
  IdleCollection,
  type Log,
  type Metrics,
  type Performs,
  type RunningServer,
  type ServerOptions,
  Performing,
  type TlsFiles,
  type Webhooks,
  clusterSecret,
  createBlobLinks,
  createLog,
  createMetrics,
  createYjsGateway,
  entryOf,
  followedStore,
  listenControl,
  meteredCold,
  meteredStore,
  nodesOf,
  shownStore,
  startColdMoves,
  startServer,
  startTraces,
  tracesMissing,
  summedMetrics,
  tracesUrl,
  wordsDoor,
} from '@weft/server';
import type { RunningStudio, StudioTokens } from '@weft/studio';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type KnownStudio, noteStudio } from '../studio/known-studios.js';
import { adminKey } from './admin-key.js';
import { authorityOf } from './authority.js';
import { FollowedAuthority } from './followed-authority.js';
import { adminToken } from './admin-token.js';
import { busOf } from './cluster.js';
import { checkThreads, startThreads } from './room-threads.js';
import {
  type Elsewhere,
  archivesOf,
  coldOf,
  folderOf,
  openStore,
  openWebhooks,
  readReplicaOf,
  s3Of,
  studioFolder,
} from './stores.js';
import { type StudioWanted, keyAdvice } from './studio-flags.js';
import { type Terminal, UsageError } from '../syntax/define.js';

const DAY_MS = 86_400_000;

/** What a room server stands on. */
interface Base {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
  readonly bare: Store;
  readonly onChange: FollowedStore['onChange'];
  /** That store, with its blobs counted. */
  readonly store: Store;
  readonly blobLinks: BlobLinks;
  readonly blobUrls: BlobUrls | undefined;
  readonly archives: ArchiveOptions;
}

/** Host with what operators ask it, and what it is traced by. */
interface Engine {
  readonly host: Host;
  readonly performing: Performing;
  readonly tracing: Tracing | undefined;
}

/** Rooms that are ready, in this thread or in others. */
interface Served extends Pick<ServerOptions, 'host' | 'metrics' | 'yjs'> {
  readonly performing: Performs;
  readonly unready: AdminOptions['unready'];
  readonly drain: (overMs: number) => Promise<void>;
}

export class Services {
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #terminal: Terminal;
  readonly #idle = new IdleCollection();
  /** Rejects when what was started cannot go on. */
  readonly #failed: Promise<never>;
  #fail: (error: Error) => void = () => undefined;

  private constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#failed = new Promise((_, reject) => (this.#fail = reject));
    this.#failed.catch(() => undefined); // told to whoever waits
  }

  /** Starts what `start` says, waits for the user to stop it, closes it. */
  static run(terminal: Terminal, start: (services: Services) => Promise<void>): Promise<void> {
    return Services.with(terminal, async (services) => {
      const rest = services.#idle.start();
      services.#closers.push(async () => rest());
      await start(services);
      await Promise.race([stopped(terminal.stop), services.#failed]);
    });
  }

  /** Starts what `use` needs, and closes it when that has ended. */
  static async with<T>(terminal: Terminal, use: (services: Services) => Promise<T>): Promise<T> {
    const services = new Services(terminal);
    try {
      return await use(services);
    } finally {
      await services.#close();
    }
  }

  /** Host on a folder, without a control socket for operators. */
  host(folder: string): Promise<Host> {
    return openStore(folder).then((store) => this.#ready({ store }));
  }

  /** Host on the folder of the options, with a control socket for operators. */
  async engine(config: Config, standby?: AbortSignal): Promise<Engine> {
    const [store, archives] = [
      await openStore(config.store, { blobs: s3Of(config), cold: coldOf(config), standby }),
      archivesOf(config),
    ];
    const log = logOf(config, this.#terminal);
    const tracing = await this.#tracing(config, { record: () => undefined, tell: log });
    const host = await this.#ready({ store, archives, tracing, authority: await authorityOf(config) });
    this.#endWith(store, log);
    this.#followAuthority(config, host, { record: () => undefined, tell: log });
    const admin = await adminKey(config.store, config['admin-key']);
    // Nobody is told anything from here: a server that starts later does it.
    const webhooks = await this.#webhooks(config, store);
    const performing = new Performing({ host, store, archives: archives.stores, admin, webhooks });
    await this.#control(config.store, { performing, log });
    return { host, performing, tracing };
  }

  /** Room server and the host behind it, with addresses for metrics and blobs where the options name them. */
  async roomServer(config: Config, standby?: AbortSignal): Promise<Engine & { readonly server: RunningServer }> {
    if (config.threads > 1) throw new UsageError('--threads: only weft serve spreads rooms over threads');
    const bus = await this.#bus(config);
    const base = await this.#base(config, { sharedAt: bus?.address, standby });
    const { log, metrics, store, bare, telemetry, blobUrls, archives } = base;
    const membership = () => bare.membership;
    const cluster = bus && new Cluster({ bus, membership, limits: config.limits, telemetry });
    const tracing = await this.#tracing(config, telemetry);
    const onFault: HostOptions['onFault'] = (error, about = {}) =>
      log({ level: 'error', message: 'something failed', error, about });
    const host = await this.#ready({
      store,
      ...(cluster ? { others: cluster.others } : {}),
      limits: config.limits,
      entry: await entryOf(config),
      authority: await authorityOf(config),
      telemetry,
      tracing,
      onFault,
      adminKey: async () => (await adminKey(config.store, config['admin-key']))?.publicKey,
      ...(blobUrls === undefined ? {} : { blobUrls }),
      archives,
    });
    const admin = await adminKey(config.store, config['admin-key']);
    const webhooks = cluster ? undefined : await this.#webhooks(config, bare);
    base.onChange((room) => (cluster ?? webhooks!).changed(room));
    telemetry.watch?.('webhook_rooms_waiting', () => (cluster?.webhooks ?? webhooks)?.waiting ?? 0);
    const performing = new Performing({
      host,
      store: bare,
      archives: archives.stores,
      telemetry,
      admin,
      get webhooks() {
        return cluster?.webhooks ?? webhooks;
      },
    });
    await webhooks?.start({ nodes: nodesOf(host), telemetry });
    this.#endWith(bare, log);
    this.#followAuthority(config, host, telemetry);
    if (cluster) {
      cluster.tellWebhooks(async () => {
        const telling = await openWebhooks(config.store, bare);
        await telling.start({ nodes: cluster.nodes, telemetry });
        return telling;
      });
      await this.#join(cluster, { host, performing, store: bare });
    }
    const gateway = config.yjs === 'on' ? await createYjsGateway({ host, onFault }) : undefined;
    const yjs = cluster && gateway ? cluster.yjsOver(gateway) : gateway;
    const rooms = {
      host: cluster ?? host,
      metrics,
      performing: cluster ?? performing,
      unready: () => host.unready ?? cluster?.unready,
      drain: (overMs: number) => {
        cluster?.stop();
        return host.drain(overMs);
      },
    };
    const server = await this.#serve(config, base, { ...rooms, ...(yjs === undefined ? {} : { yjs }) });
    return { host, server, performing, tracing };
  }

  /** Room server whose rooms are spread over threads. */
  async spreadServer(config: Config): Promise<RunningServer> {
    checkThreads(config);
    // What a thread would refuse is refused here, as in a server without threads.
    await entryOf(config);
    await authorityOf(config);
    const base = await this.#base(config);
    const { store } = base;
    await store.open();
    this.#closers.push(() => store.close());
    const webhooks = await openWebhooks(config.store, base.bare);
    await webhooks.close();
    if (webhooks.list().length > 0)
      throw new UsageError('--threads: webhooks of rooms need one thread; weft webhook remove ends those there are');
    await adminKey(config.store, config['admin-key']);
    const collector = await this.#tracesUrl(config, base.telemetry);
    const rooms = await startThreads(config, { ...base, bareStore: base.bare, tracesUrl: collector });
    this.#closers.push(() => rooms.close());
    this.#followAuthority(config, rooms, base.telemetry);
    return this.#serve(config, base, {
      host: rooms,
      metrics: summedMetrics(base.metrics, () => rooms.metrics()),
      performing: rooms,
      unready: () => rooms.unready(),
      drain: (overMs) => rooms.drain(overMs),
    });
  }

  /** Bus to other processes on the same database, where they are to share it. It is the last to be closed. */
  async #bus(config: Config): Promise<Bus | undefined> {
    const bus = await busOf(config);
    if (bus) this.#closers.push(() => bus.close());
    return bus;
  }

  /** Joins the other processes. */
  async #join(
    cluster: Cluster,
    { host, performing, store }: { host: Host; performing: Performing; store: Store },
  ): Promise<void> {
    await cluster.start({ host, performing }, await clusterSecret(store));
    this.#closers.push(() => cluster.close());
  }

  /** Takes in what roots say while the rooms are served. */
  #followAuthority(config: Config, host: Pick<Host, 'renewAuthority'>, telemetry: Telemetry): void {
    if (config.authority === undefined) return;
    const { onHangUp } = this.#terminal;
    const followed = new FollowedAuthority({ config, host, telemetry, onHangUp });
    this.#closers.push(() => followed.end());
  }

  /** A process whose store another one has taken over ends, and may be started anew. The store is open. */
  #endWith({ lost }: Store, log: Log): void {
    void lost?.then((error) => {
      log({ level: 'error', message: 'this process has lost its lease, and ends', error });
      this.#fail(error);
    });
  }

  /** Tracing of what is started, where a collector is named. What it has not sent is sent when all else is closed. */
  async #tracing(config: Config, telemetry: Telemetry): Promise<Tracing | undefined> {
    const url = await this.#tracesUrl(config, telemetry);
    if (url === undefined) return undefined;
    const traces = await startTraces({ url, telemetry });
    this.#closers.push(() => traces.close());
    return traces.tracing;
  }

  /** Collector of traces. Variables that a machine sets for all its programs start nothing that is not installed. */
  async #tracesUrl({ traces }: Config, telemetry: Telemetry): Promise<string | undefined> {
    const url = tracesUrl(traces, this.#terminal.environment);
    const missing = url === undefined ? undefined : await tracesMissing();
    if (missing === undefined) return url;
    if (traces !== undefined) throw new Error(missing);
    telemetry.tell?.({ level: 'warn', message: `nothing is traced: ${missing}` });
    return undefined;
  }

  /** What a room server stands on, whatever its rooms are in. */
  async #base(config: Config, { sharedAt, standby }: Pick<Elsewhere, 'sharedAt' | 'standby'> = {}): Promise<Base> {
    const log = logOf(config, this.#terminal);
    const metrics = createMetrics();
    const bucket = s3Of(config);
    const cold = coldOf(config);
    const meteredAway = cold && meteredCold(cold, metrics.telemetry);
    const telemetry = this.#idle.hearing({ ...metrics.telemetry, tell: log });
    const readReplica = readReplicaOf(config, telemetry);
    const bare = await openStore(config.store, { blobs: bucket, cold: meteredAway, readReplica, sharedAt, standby });
    const { store, onChange } = followedStore(meteredStore(bare, metrics.telemetry));
    const bounds = { limits: config.limits, telemetry };
    const blobLinks = createBlobLinks({ store, ...bounds });
    const blobUrls = config['blob-addr'] === undefined ? bucket?.urls(store, bounds) : blobLinks;
    return { log, metrics, telemetry, bare, store, onChange, blobLinks, blobUrls, archives: archivesOf(config) };
  }

  /** Opens the doors to rooms that are ready. */
  async #serve(config: Config, { log, bare, blobLinks, telemetry }: Base, rooms: Served): Promise<RunningServer> {
    const { 'metrics-addr': metricsAddr, 'blob-addr': blobListen, 'blob-url': blobUrl } = config;
    const { 'public-host': publicHosts, 'allow-origin': allowOrigins, 'trust-proxy': trustProxies } = config;
    const { 'admin-addr': adminAddr } = config;
    const { performing, drain, unready: roomsUnready, ...served } = rooms;
    const tls = tlsOf(config);
    if (config['drain-over-ms'] > 0 && config['drain-over-ms'] >= config['drain-ms'])
      throw new UsageError('drain-over-ms must be less than drain-ms, when whoever is left is cut off');
    await this.#control(config.store, { performing, log });
    const { cold } = bare;
    if (cold) this.#closers.push(startColdMoves({ cold, olderThanMs: config['cold-after-days'] * DAY_MS, telemetry }));
    let isStopping = false;
    const unready = () => (isStopping ? 'the server is stopping' : roomsUnready());
    const server = await startServer({
      ...served,
      blobLinks,
      listen: config.listen,
      transport: config.transport,
      frameBytes: config.limits.frameBytes,
      silentMs: config['silent-ms'],
      ...(tls === undefined ? {} : { tls }),
      ...(publicHosts === undefined ? {} : { publicHosts }),
      ...(allowOrigins === undefined ? {} : { allowOrigins }),
      ...(trustProxies === undefined ? {} : { trustProxies }),
      ...(metricsAddr === undefined ? {} : { metricsAddr }),
      ...(adminAddr === undefined
        ? {}
        : { adminAddr, admin: { token: await adminToken(config), performing, unready, page } }),
      ...(blobListen === undefined ? {} : { blobListen }),
      ...(blobUrl === undefined ? {} : { blobUrl }),
      log,
    });
    this.#closers.push(async () => {
      log({ level: 'info', message: 'the server stops' });
      isStopping = true;
      server.refuse();
      await within(config['drain-ms'], drain(config['drain-over-ms']));
      await server.close();
      log({ level: 'info', message: 'the server has stopped' });
    });
    const { url, metricsUrl, adminUrl, blobUrl: blobs } = server;
    log({
      level: 'info',
      message: 'the server is ready',
      about: { url, store: shownStore(config.store), metrics: metricsUrl, admin: adminUrl, blobs },
    });
    return server;
  }

  /** Running studio; `tokens` is the place of its tokens. */
  async studio(
    { host, performing, tracing }: Engine,
    config: Config,
    listen: string,
    {
      webhookHosts: hosts,
      toolHosts,
      toolHooks,
      setUps,
      networks,
      sandboxHosts,
      agents,
      models,
      confinement,
      roots,
      cloneProtocols,
      keys,
      folder: beside,
    }: StudioWanted,
  ): Promise<RunningStudio & { readonly tokens: string }> {
    // Loaded here, so that other commands do not wait for it.
    const { playedBeside, startStudio } = await import('@weft/studio');
    const folder = studioFolder(config.store, beside);
    if (beside !== undefined) await mkdir(beside, { recursive: true, mode: 0o700 });
    const tokens = await studioTokens(folder);
    const log = logOf(config, this.#terminal);
    const studio = await startStudio({
      host,
      listen,
      log,
      tracing,
      tokens: tokens.values,
      webhooks: { hosts },
      toolHosts,
      ...(toolHooks === undefined ? {} : { toolHooks }),
      ...(setUps === undefined ? {} : { setUps }),
      ...(networks === undefined ? {} : { networks }),
      sandboxHosts,
      agents,
      models,
      keys,
      ...(folder === undefined ? {} : { folder }),
      ...(roots === undefined ? {} : { roots }),
      cloneProtocols,
      confinement,
      rooms: wordsDoor(performing),
      // What goes wrong in it is told; what it does stands on its page.
      demonstration: playedBeside({ confinement, log: (notice) => void (notice.level === 'error' && log(notice)) }),
    });
    this.#closers.push(() => studio.close());
    if (folder !== undefined) await this.#note({ origin: new URL(studio.url).origin, store: folder });
    for (const name of studio.missingKeys)
      this.#terminal.err(`weft: goals wait for the key ${name}: ${keyAdvice(name)}`);
    return { ...studio, tokens: tokens.place };
  }

  /** Notes the studio for other commands of this user. A home that cannot be written keeps nobody from working. */
  async #note(studio: KnownStudio): Promise<void> {
    try {
      this.#closers.push(await noteStudio(studio, this.#terminal));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#terminal.err(
        `weft: other commands will not find this studio by themselves (${why}): give them --at ${studio.origin} --store ${studio.store}`,
      );
    }
  }

  async #control(store: string, asked: Omit<ControlOptions, 'folder'>): Promise<void> {
    const folder = folderOf(store);
    if (folder !== undefined) this.#closers.push(await listenControl({ folder, ...asked }));
  }

  async #webhooks(config: Config, store: Store): Promise<Webhooks> {
    const webhooks = await openWebhooks(config.store, store);
    this.#closers.push(() => webhooks.close());
    return webhooks;
  }

  async #ready(options: HostOptions): Promise<Host> {
    const host = createHost(options);
    this.#closers.push(() => host.close());
    await host.ready();
    return host;
  }

  /** Closes everything that was started. A part that fails to close does not keep the others open. */
  async #close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.reverse()) await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

/** Files of the page about rooms, loaded when somebody first asks for one. */
async function page(request: Request): Promise<Response | undefined> {
  const { roomsFile } = await import('@weft/studio/face');
  return roomsFile(request);
}

function logOf({ 'log-level': level, 'log-format': format }: Config, terminal: Terminal): Log {
  const { isInteractive, environment } = terminal;
  const chosen = format === 'auto' ? (isInteractive ? 'text' : 'json') : format;
  const colours = isInteractive && !environment['NO_COLOR'];
  return createLog({ level, format: chosen, colours, write: (line) => terminal.err(line) });
}

function tlsOf({ 'tls-cert': cert, 'tls-key': key }: Config): TlsFiles | undefined {
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  throw new UsageError('tls-cert and tls-key go together: a certificate is of no use without its key');
}

/** Tokens of the studio. Without a folder there is no file to keep them in: the admin token is shown instead. */
async function studioTokens(folder: string | undefined): Promise<{ values: StudioTokens; place: string }> {
  const { TOKENS_FILE, loadTokens, newTokens } = await import('@weft/studio');
  if (folder === undefined) {
    const values = newTokens();
    return { values, place: `admin token, gone at exit: ${values.admin}` };
  }
  return { values: await loadTokens(folder), place: join(folder, TOKENS_FILE) };
}

/** Deadline: waits for something, but no longer than `ms`. */
async function within(ms: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([done, over]).finally(() => clearTimeout(timer));
}

function stopped(stop: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
}
