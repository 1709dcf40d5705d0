/**
 * Puts an engine on the network: one address for peers and, if asked for, one for metrics.
 *
 * A start that fails half way leaves nothing open. The engine belongs to the caller: closing
 * the server says goodbye to the peers and leaves the engine running.
 */
import { isIPv6 } from 'node:net';
import { LIMITS, type Host } from '@weft/core';
import { formatAddress, parseAddress, type Address } from './address.js';
import { listenMetrics } from './metrics-listener.js';
import type { Metrics } from './metrics.js';
import { chooseTransport, type TransportChoice } from './transports/choose.js';
import type { Listening, Transport } from './transports/transport.js';

export interface ServerOptions {
  readonly host: Pick<Host, 'connect'>;
  /** `host:port`; port 0 takes any free one. */
  readonly listen?: string;
  readonly transport?: TransportChoice;
  /**
   * Names under which peers dial this server, `host` or `host:port`: a proof of key made for another name is refused. The
   * bound address and localhost when absent.
   */
  readonly publicHosts?: readonly string[];
  /** The largest frame accepted from a peer; should be what the engine announces. */
  readonly frameBytes?: number;
  readonly metrics?: Metrics;
  /** `host:port` of the scrape address. Needs `metrics`. */
  readonly metricsAddr?: string;
  readonly log?: (line: string) => void;
}

export interface RunningServer {
  /** `ws://127.0.0.1:7878/ws/<room>`, with the literal `<room>`. */
  readonly url: string;
  readonly address: Address;
  readonly transport: Transport['name'];
  readonly metricsUrl?: string;
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host: engine, listen = '127.0.0.1:7878', frameBytes = LIMITS.frameBytes, metrics, metricsAddr } = options;
  const { host, port } = parseAddress(listen);
  const scrape = metricsAddr === undefined ? undefined : parseAddress(metricsAddr);
  if (scrape !== undefined && metrics === undefined) {
    throw new Error('metricsAddr needs metrics: pass metrics: createMetrics() and give its telemetry to the engine');
  }
  const transport = await chooseTransport(options.transport ?? 'auto', options.log ?? ((line) => console.error(line)));
  let audiences: readonly string[] = [];
  const peers = await transport.listen({
    host,
    port,
    frameBytes,
    accept: (roomId, socket) => engine.connect(roomId, socket, audiences),
  });
  audiences = audiencesOf(options.publicHosts ?? [host, 'localhost'], peers.port);
  const address = { host, port: peers.port };
  const url = `ws://${formatAddress(host, peers.port)}/ws/<room>`;
  if (scrape === undefined || metrics === undefined) {
    return { url, address, transport: transport.name, close: () => peers.close() };
  }
  const scrapes = await listenMetrics({ ...scrape, metrics }).catch(async (error: unknown) => {
    await peers.close();
    throw error;
  });
  return {
    url,
    address,
    transport: transport.name,
    metricsUrl: `http://${formatAddress(scrape.host, scrapes.port)}/metrics`,
    close: () => closeBoth(peers, scrapes),
  };
}

/** As peers name them in their proofs. */
function audiencesOf(hosts: readonly string[], port: number): string[] {
  return hosts.map((name) => {
    const host = name.replace(/^\[(.*)\]$/, '$1');
    const hasPort = /:\d+$/.test(host) && !isIPv6(host);
    return (hasPort ? host : formatAddress(host, port)).toLowerCase();
  });
}

async function closeBoth(peers: Listening, scrapes: Listening): Promise<void> {
  await Promise.all([peers.close(), scrapes.close()]);
}
