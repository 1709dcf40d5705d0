/**
 * The portable transport: the `ws` package on Node's own HTTP server, for platforms without
 * a uWebSockets.js binary. Slower, and otherwise the same to every peer and to the engine.
 */
import { createServer, type IncomingMessage, type Server, type ServerOptions as HttpOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Closing } from '@weft/core';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import { listenError } from '../listen-error.js';
import {
  HEADER_BYTES,
  judgeRequest,
  type MayConnect,
  renderRefusal,
  upgradeRequired,
  type Verdict,
} from './judge-request.js';
import type { Tls } from '../tls.js';
import { cameBy } from './entry-request.js';
import { CLOSE_TIMEOUT_MS, Link, OVERSIZE_FACTOR } from './link.js';
import { OpenLinks } from './open-links.js';
import { type ListenOptions, type PeerListening, SILENT_MS, type Transport } from './transport.js';
import { atTurnEnd } from './turn-end.js';

const REQUEST_TIMEOUT_MS = 10_000;

export const wsTransport: Transport = { name: 'ws', listen };

class WsLink extends Link {
  private readSoFar = 0;
  private flushedSinceSweep = true;
  private corked = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly stream: Socket,
    frameBytes: number,
  ) {
    super(frameBytes);
    // `ws` always gives one Buffer per message for this type; anything else would be a bug worth a crash.
    socket.binaryType = 'nodebuffer';
    socket.on('message', (payload, binary) => {
      if (payload instanceof Uint8Array) this.received(payload, binary);
    });
    // A broken frame: `ws` is closing the connection and will deliver nothing more.
    socket.on('error', (error) => this.lost(brokenBy(error)));
    socket.on('close', () => this.lost());
  }

  /**
   * Batched write: frames of one turn leave together at its end, since a system call costs several times what a frame
   * does.
   */
  protected write(frame: string | Uint8Array): void {
    if (!this.corked) {
      this.corked = true;
      this.stream.cork();
      atTurnEnd(this.uncork);
    }
    this.socket.send(frame, { binary: typeof frame !== 'string' }, this.flushed);
  }

  protected buffered(): number {
    return this.socket.bufferedAmount;
  }

  protected end(code: number, reason: string): void {
    this.socket.close(code, reason);
  }

  terminate(): void {
    this.socket.terminate();
  }

  /** Liveness check. Bytes in either direction are life: a peer in the middle of a large frame cannot answer a ping. */
  sweep(): void {
    const alive = this.flushedSinceSweep || this.stream.bytesRead > this.readSoFar;
    if (!alive) {
      this.cut('no sign of life');
      return;
    }
    this.flushedSinceSweep = false;
    this.readSoFar = this.stream.bytesRead;
    if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }

  private readonly uncork = (): void => {
    this.corked = false;
    this.stream.uncork();
  };

  private readonly flushed = (error?: Error | null): void => {
    if (error) return; // The frame was dropped with the connection; its end is reported by 'close'.
    this.flushedSinceSweep = true;
    if (this.socket.bufferedAmount === 0) this.emptied();
    else this.progressed();
  };
}

/** Close code of the library for a frame that it does not take. */
function brokenBy(error: Error): Closing {
  const { code = '' } = error as NodeJS.ErrnoException;
  const known = { WS_ERR_INVALID_UTF8: 1007, WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009 } as Record<string, number>;
  return { code: known[code] ?? 1002, reason: error.message };
}

/** Names and values as Node keeps them: in turn. */
function* pairsOf(raw: readonly string[]): Generator<readonly [string, string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at]!, raw[at + 1]!];
}

async function listen(options: ListenOptions): Promise<PeerListening> {
  const links = new OpenLinks<WsLink>();
  const settings: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: OVERSIZE_FACTOR * options.frameBytes,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  const upgrader = new WebSocketServer(settings);
  const bounds: HttpOptions = {
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: REQUEST_TIMEOUT_MS,
  };
  const { tls } = options;
  const secure = tls && createTlsServer({ ...bounds, cert: tls.cert, key: tls.key });
  const http = secure ?? createServer(bounds);
  const judge = (request: IncomingMessage): Verdict => judged(request, options.mayConnect ?? everybody);
  http.on('request', (request, response) => {
    const verdict = judge(request);
    // Node hands every request that deserves an upgrade to the handler below.
    const { refusal } = 'refusal' in verdict ? verdict : upgradeRequired;
    const { status, phrase, headers, body } = refusal;
    response.writeHead(status, phrase, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
  });
  http.on('upgrade', (request: IncomingMessage, stream: Socket, head: Buffer) => {
    const verdict = judge(request);
    if ('refusal' in verdict) return refuse(stream, renderRefusal(verdict.refusal));
    upgrader.handleUpgrade(request, stream, head, (socket) => {
      const link = new WsLink(socket, stream, options.frameBytes);
      links.add(link);
      socket.on('close', () => links.remove(link));
      link.begin(options.accept(verdict.upgrade, link, cameBy(stream.remoteAddress, pairsOf(request.rawHeaders))));
    });
  });
  http.on('connect', (request: IncomingMessage, stream: Duplex) => {
    const verdict = judge(request);
    if ('refusal' in verdict) refuse(stream, renderRefusal(verdict.refusal));
  });

  const port = await bind(http, options);
  // A peer is pinged this often, and cut when a whole period passes without a sign of life.
  const everyMs = (options.silentMs ?? SILENT_MS) / 2;
  const sweeping = setInterval(() => links.each((link) => link.sweep()), everyMs).unref();
  let stopped: Promise<void> | undefined;
  /** Stops accepting, and cuts what is no peer: requests under way, and connections that could bring another. */
  const stopAccepting = (): Promise<void> => {
    stopped ??= new Promise<void>((resolve) => http.close(() => resolve()));
    http.closeAllConnections();
    return stopped;
  };
  const shutDown = async (): Promise<void> => {
    clearInterval(sweeping);
    const refused = stopAccepting();
    await links.closeAll(options.graceMs);
    await refused;
  };
  let closed: Promise<void> | undefined;
  const renew = ({ cert, key }: Tls): Promise<void> => Promise.resolve(secure?.setSecureContext({ cert, key }));
  return { port, renew, refuse: () => void stopAccepting(), close: () => (closed ??= shutDown()) };
}

const everybody: MayConnect = () => true;

function judged(request: IncomingMessage, mayConnect: MayConnect): Verdict {
  const { method = '', url = '', headers } = request;
  const head = { method, path: url.split('?', 1)[0] ?? '', header: (name: string) => String(headers[name] ?? '') };
  return judgeRequest(head, mayConnect);
}

function refuse(stream: Duplex, message: string): void {
  stream.on('error', () => stream.destroy());
  stream.end(message, () => stream.destroy());
}

function bind(http: Server, { host, port }: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once('error', (error) => reject(listenError(error, host, port, '--listen')));
    http.listen({ host, port, exclusive: true }, () => resolve((http.address() as AddressInfo).port));
  });
}
