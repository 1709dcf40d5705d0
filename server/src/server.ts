/**
 * Puts an engine on the network: one address for peers and, if asked for, one for metrics and one for blobs.
 *
 * A start that fails half way leaves nothing open. The engine belongs to the caller: closing
 * the server says goodbye to the peers and leaves the engine running.
 */
import { isIPv6 } from 'node:net';
import { LIMITS, type Host } from '@weft/core';
import { type AdminOptions, listenAdmin } from './admin/admin-listener.js';
import { formatAddress, parseAddress, type Address } from './address.js';
import type { BlobLinks } from './blobs/links.js';
import { listenBlobs } from './blobs/listener.js';
import { parseBlobUrl } from './blobs/public-url.js';
import { type Log, createLog } from './log.js';
import { listenMetrics } from './metrics-listener.js';
import type { Metrics } from './metrics.js';
import { type Tls, type TlsFiles, readTls } from './tls.js';
import { followTls } from './tls-renewal.js';
import { Proxies, throughProxies } from './transports/entry-request.js';
import { Origins } from './transports/origins.js';
import { chooseTransport, type TransportChoice } from './transports/choose.js';
import type { ListenOptions, Listening, Transport } from './transports/transport.js';
import type { YjsGateway } from './yjs/gateway.js';

export interface ServerOptions {
  readonly host: Pick<Host, 'connect'>;
  /** Address for peers, `host:port`; port 0 takes any free one. */
  readonly listen?: string;
  readonly transport?: TransportChoice;
  /**
   * Names under which peers dial this server, `host` or `host:port`: a proof of key made for another name is refused. The
   * bound address and localhost when absent.
   */
  readonly publicHosts?: readonly string[];
  /** Origins of web pages that may connect beside those of these hosts: `https://app.example`, `null`, or `*` for all. */
  readonly allowOrigins?: readonly string[];
  /** Addresses of proxies before this server, or networks of them: of what they bring, the caller is who they say. */
  readonly trustProxies?: readonly string[];
  /** Largest frame accepted from a peer; should be what the engine announces. */
  readonly frameBytes?: number;
  /**
   * Idle timeout: a connection is cut after so long without a sign of life, and pinged before; two minutes when absent.
   */
  readonly silentMs?: number;
  /**
   * Certificate files; with them, peers and blobs are served by TLS alone. When the files change, so does the
   * certificate.
   */
  readonly tls?: TlsFiles;
  /** Interval at which these files are looked at; ten seconds when absent. */
  readonly tlsLookMs?: number;
  readonly metrics?: Metrics;
  /** Scrape address, `host:port`. Needs `metrics`. */
  readonly metricsAddr?: string;
  /** Address for administration, `host:port`. Needs `admin`. */
  readonly adminAddr?: string;
  readonly admin?: AdminOptions;
  readonly blobLinks?: BlobLinks;
  /** Address for blobs by signed links, `host:port`. Needs `blobLinks`, and their store to be open. */
  readonly blobListen?: string;
  /** Public URL of the address for blobs, where peers do not reach the address itself. */
  readonly blobUrl?: string;
  /** Gateway for clients of Yjs, at `/yjs/<room>`: see `createYjsGateway`. */
  readonly yjs?: YjsGateway;
  /** Log; the console when absent. */
  readonly log?: Log;
}

export interface RunningServer {
  /** URL of a room, `ws://127.0.0.1:7878/ws/<room>` or `wss:`, with the literal `<room>`. */
  readonly url: string;
  readonly address: Address;
  readonly transport: Transport['name'];
  readonly metricsUrl?: string;
  /** Base of the administration door. */
  readonly adminUrl?: string;
  /** Base of links to blobs. */
  readonly blobUrl?: string;
  /** Stops accepting peers; those who are here stay. */
  refuse(): void;
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host: engine, listen = '127.0.0.1:7878', frameBytes = LIMITS.frameBytes } = options;
  const log = options.log ?? createLog({ level: 'info', format: 'text', write: (line) => console.error(line) });
  const { host, port } = parseAddress(listen);
  const [scrape, transfer, administration] = [scrapeOf(options), transferOf(options), administrationOf(options)];
  const tls = options.tls && (await readTls(options.tls));
  const transport = await chooseTransport(options.transport ?? 'auto', log);
  const open: Listening[] = [];
  let endFollowing = (): void => undefined;
  const close = async (): Promise<void> => {
    endFollowing();
    await Promise.all(open.map((listening) => listening.close()));
  };
  const started = async <L extends Listening>(starting: Promise<L>): Promise<L> => {
    const listening = await starting;
    open.push(listening);
    return listening;
  };
  try {
    let audiences: readonly string[] = [];
    const proxies = new Proxies(options.trustProxies ?? []);
    const { yjs } = options;
    const accept: ListenOptions['accept'] = (roomId, socket, direct, { name, query }) => {
      const request = throughProxies(direct, proxies);
      if (name === 'yjs' && yjs) return yjs.accept(roomId, socket, query, request);
      return engine.connect(roomId, socket, audiences, request);
    };
    const hosts = options.publicHosts ?? [host, 'localhost'];
    const origins = new Origins(hosts, options.allowOrigins ?? []);
    const mayConnect = (origin: string): boolean => origins.allows(origin);
    const at = { host, port, frameBytes, silentMs: options.silentMs, tls };
    const peers = await started(transport.listen({ ...at, mayConnect, accept, hasYjs: yjs !== undefined }));
    audiences = audiencesOf(hosts, peers.port);
    const scrapes = scrape && (await started(listenMetrics(scrape)));
    const blobs = transfer && (await started(listenBlobs({ ...transfer, tls, log })));
    const admin = administration && (await started(listenAdmin({ ...administration, tls, log })));
    const renew = async (renewed: Tls): Promise<void> => {
      blobs?.renew(renewed);
      admin?.renew(renewed);
      await peers.renew(renewed);
    };
    if (tls) endFollowing = followTls(tls, { renew, log, everyMs: options.tlsLookMs });
    return {
      url: `${tls ? 'wss' : 'ws'}://${formatAddress(host, peers.port)}/ws/<room>`,
      address: { host, port: peers.port },
      transport: transport.name,
      ...(scrapes ? { metricsUrl: `http://${formatAddress(scrape.host, scrapes.port)}/metrics` } : {}),
      ...(blobs ? { blobUrl: blobs.url } : {}),
      ...(admin && administration
        ? { adminUrl: `${tls ? 'https' : 'http'}://${formatAddress(administration.host, admin.port)}` }
        : {}),
      refuse: () => peers.refuse(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Audiences of proofs: the names by which peers dial these hosts. */
function audiencesOf(hosts: readonly string[], port: number): string[] {
  return hosts.map((name) => {
    const host = name.replace(/^\[(.*)\]$/, '$1');
    const hasPort = /:\d+$/.test(host) && !isIPv6(host);
    return (hasPort ? host : formatAddress(host, port)).toLowerCase();
  });
}

function scrapeOf({ metrics, metricsAddr }: ServerOptions): (Address & { readonly metrics: Metrics }) | undefined {
  if (metricsAddr === undefined) return undefined;
  if (metrics) return { ...parseAddress(metricsAddr), metrics };
  throw new Error('metricsAddr needs metrics: pass metrics: createMetrics() and give its telemetry to the engine');
}

/** Bearer token that a header can carry. */
const TOKEN = /^[\x21-\x7e]{16,}$/;

function administrationOf({ admin, adminAddr }: ServerOptions): (Address & AdminOptions) | undefined {
  if (adminAddr === undefined) return undefined;
  if (!admin) throw new Error('adminAddr needs admin: the bearer token, and what performs the words');
  if (!TOKEN.test(admin.token))
    throw new Error('the token of the administration must have at least 16 characters, none of which is a space');
  return { ...parseAddress(adminAddr), ...admin };
}

interface Transfer extends Address {
  readonly links: BlobLinks;
  readonly url: string | undefined;
}

function transferOf({ blobLinks, blobListen, blobUrl }: ServerOptions): Transfer | undefined {
  if (blobListen === undefined) {
    if (blobUrl === undefined) return undefined;
    throw new Error('a blob URL needs the address behind it: give --blob-addr too');
  }
  if (!blobLinks) throw new Error('blobListen needs blobLinks: pass createBlobLinks({ store }) here and to the engine');
  const address = parseAddress(blobListen);
  return { ...address, links: blobLinks, url: parseBlobUrl(blobUrl, address) };
}
