/**
 * The fast transport: uWebSockets.js, native code that needs a binary for this Node and platform.
 *
 * A native socket must not be touched once its close handler has run, which `end` and `close`
 * run at once; every use below is guarded by that. Payload memory is only valid inside the
 * message callback. The module is loaded at run time, because loading it is what can fail.
 */
import { createServer, type AddressInfo } from 'node:net';
import type * as Uws from 'uWebSockets.js';
import type { Closing, RoomId } from '@weft/core';
import { listenError } from '../listen-error.js';
import type { Tls } from '../tls.js';
import {
  HEADER_BYTES,
  judgeRequest,
  type MayConnect,
  shuttingDown,
  upgradeRequired,
  type Refusal,
  type Verdict,
} from './judge-request.js';
import { CLOSE_TIMEOUT_MS, CUT, Link, OVERSIZE_FACTOR } from './link.js';
import { Audiences, type Reader, type Sent, type Topic } from './audiences.js';
import { type CameBy, cameBy } from './entry-request.js';
import { OpenLinks } from './open-links.js';
import { type ListenOptions, type PeerListening, SILENT_MS, type Transport } from './transport.js';

type UwsModule = typeof Uws;

/** User data of a native socket. */
interface Seat {
  readonly roomId: RoomId;
  /** Until the link is there, which then has it where it is needed. */
  request: CameBy | undefined;
  link: UwsLink | undefined;
}

/** Form of `listen` that the package's types leave out, and whose flag refuses a shared port. */
interface ExclusiveListener {
  listen(host: string, port: number, flags: number, done: (token: Uws.us_listen_socket | false) => void): unknown;
}
const EXCLUSIVE_PORT = 1;

const LINGER_MS = 2000;
const BIND_ATTEMPTS = 5;

/** Bytes that the native code gathers into one system call. */
const TURN_BYTES = 16 * 1024;

const NOTHING: readonly Sent[] = [];

/** Close codes for what the native code says when it cuts a connection. */
const CODES: Readonly<Record<string, number>> = {
  'Received too big message': 1009,
  'Received invalid UTF-8': 1007,
  'WebSocket timed out from inactivity': CUT,
};

/** Loads the transport; rejects where there is no binary for this platform. */
export async function loadUws(): Promise<Transport> {
  // The native code reads its header limit from the environment, once, when it is loaded.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(HEADER_BYTES);
  const uws = await import('uWebSockets.js');
  return { name: 'uws', listen: (options) => listen(uws, options) };
}

class UwsLink extends Link implements Reader {
  topic: Topic | undefined;
  steadyTurns = 0;
  /** Bytes that the native code holds, counted here: asking it for each frame would cost more than the frame. */
  private backlog = 0;
  private native: Uws.WebSocket<Seat> | undefined;
  /** Frames that leave with this turn. While there is a list, the audiences know of this link. */
  private outgoing: Sent[] | undefined;
  private outgoingLength = 0;
  private farewell: { readonly code: number; readonly reason: string; readonly cut: NodeJS.Timeout } | undefined;

  constructor(
    native: Uws.WebSocket<Seat>,
    private readonly audiences: Audiences,
    frameBytes: number,
  ) {
    super(frameBytes);
    this.native = native;
  }

  get frames(): readonly Sent[] {
    return this.outgoing ?? NOTHING;
  }

  /**
   * Batched write: frames of one turn leave together at its end, since a system call costs several times what a frame
   * does.
   */
  protected write(frame: Sent): void {
    // A literal, for mostly there is one frame: an array that is grown by a push makes room for 17.
    if (this.outgoing) this.outgoing.push(frame);
    else {
      this.outgoing = [frame];
      this.audiences.add(this);
    }
    this.outgoingLength += frame.length;
    if (this.outgoingLength <= TURN_BYTES) return;
    this.transmit();
    this.outgoing = [];
  }

  protected buffered(): number {
    return this.outgoingLength + this.backlog;
  }

  protected end(code: number, reason: string): void {
    this.flush();
    this.look();
    if (this.backlog === 0) {
      this.native?.end(code, reason);
      return;
    }
    // Ending now would hand the backlog to the native code, out of sight and out of reach of `terminate`.
    this.farewell = { code, reason, cut: setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS) };
  }

  terminate(): void {
    this.native?.close();
  }

  message(payload: ArrayBuffer, binary: boolean): void {
    this.received(new Uint8Array(payload), binary);
  }

  writable(): void {
    if (this.native === undefined) return;
    this.look();
    if (this.backlog > 0) return this.progressed();
    if (this.farewell !== undefined) this.native.end(this.farewell.code, this.farewell.reason);
    // Not from inside the handler: after it, the native code stops watching a socket that was written to only in part.
    else setImmediate(() => this.drained());
  }

  private drained(): void {
    if (this.buffered() === 0) this.emptied();
  }

  gone(by: Closing | undefined): void {
    this.native = undefined;
    this.settle();
    this.topic?.members.delete(this);
    clearTimeout(this.farewell?.cut);
    this.lost(by);
  }

  look(): void {
    this.backlog = this.native?.getBufferedAmount() ?? 0;
  }

  subscribe({ name }: Topic): void {
    this.native?.subscribe(name);
  }

  unsubscribe({ name }: Topic): void {
    this.native?.unsubscribe(name);
  }

  publish({ name }: Topic, frame: Sent): void {
    this.native?.publish(name, frame, typeof frame !== 'string');
  }

  settle(): void {
    this.outgoing = undefined;
    this.outgoingLength = 0;
  }

  flush(): void {
    this.transmit();
    this.outgoing = undefined;
  }

  private transmit(): void {
    const { native, frames } = this;
    const [first] = frames;
    if (native !== undefined && first !== undefined) {
      if (frames.length === 1) native.send(first, typeof first !== 'string');
      else native.cork(() => frames.forEach((frame) => native.send(frame, typeof frame !== 'string')));
      this.look();
    }
    this.outgoingLength = 0;
  }
}

async function listen(uws: UwsModule, options: ListenOptions): Promise<PeerListening> {
  const links = new OpenLinks<UwsLink>();
  const apps: Uws.TemplatedApp[] = [];
  let accepting = true;
  const judge = (request: Uws.HttpRequest): Verdict => judged(request, options.mayConnect ?? everybody);
  const behavior: Uws.WebSocketBehavior<Seat> = {
    maxPayloadLength: OVERSIZE_FACTOR * options.frameBytes,
    maxBackpressure: 0, // No silent drop: the link itself holds the bound.
    idleTimeout: Math.round((options.silentMs ?? SILENT_MS) / 1000),
    sendPingsAutomatically: true,
    upgrade: (response, request, context) => {
      const verdict = judge(request);
      if (!accepting) answer(response, shuttingDown, true);
      else if ('refusal' in verdict) answer(response, verdict.refusal, true);
      else {
        const seat: Seat = { roomId: verdict.upgrade, request: requestOf(response, request), link: undefined };
        const protocol = request.getHeader('sec-websocket-protocol').split(',', 1)[0]?.trim() ?? '';
        response.upgrade(seat, request.getHeader('sec-websocket-key'), protocol, '', context);
      }
    },
    message: (native, payload, binary) => native.getUserData().link?.message(payload, binary),
    drain: (native) => native.getUserData().link?.writable(),
    close: (native, code, message) => {
      const { link } = native.getUserData();
      if (link === undefined) return;
      link.gone(endedBy(code, message));
      links.remove(link);
    },
  };
  const answerPlainly = (response: Uws.HttpResponse, request: Uws.HttpRequest): void => {
    const verdict = judge(request);
    // A request that deserves an upgrade never arrives here, but the native code ends the whole process
    // when a handler returns without an answer, so there is always one.
    const { refusal } = 'refusal' in verdict ? verdict : upgradeRequired;
    answer(response, refusal, false);
  };
  const opened = (native: Uws.WebSocket<Seat>, audiences: Audiences): void => {
    const seat = native.getUserData();
    const link = new UwsLink(native, audiences, options.frameBytes);
    seat.link = link;
    links.add(link);
    const { request = cameBy(undefined, []) } = seat;
    seat.request = undefined;
    link.begin(options.accept(seat.roomId, link, request));
  };
  /** Native server with a certificate. It keeps both, the certificate and its topics, for as long as it lives. */
  const appWith = (tls: Tls | undefined): Uws.TemplatedApp => {
    const app = tls ? uws.SSLApp({ cert_file_name: tls.files.cert, key_file_name: tls.files.key }) : uws.App();
    apps.push(app);
    const audiences = new Audiences((topic, frame) => app.publish(topic, frame, typeof frame !== 'string'));
    const open = (native: Uws.WebSocket<Seat>): void => opened(native, audiences);
    return app.ws<Seat>('/*', { ...behavior, open }).any('/*', answerPlainly);
  };

  let token = await bind(appWith(options.tls), options);
  const port = uws.us_socket_local_port(token);
  const refuse = (): void => {
    if (!accepting) return;
    accepting = false;
    uws.us_listen_socket_close(token);
  };
  const renew = async (tls: Tls): Promise<void> => {
    const app = appWith(tls);
    if (!accepting) return;
    uws.us_listen_socket_close(token);
    token = await bind(app, { ...options, port });
  };
  const shutDown = async (): Promise<void> => {
    refuse();
    await links.closeAll(options.graceMs);
    // The farewells are with the kernel. The peers' answers are read until this cut, because closing
    // a socket with unread input would reset it and could cost a peer the close frame.
    setTimeout(() => apps.forEach((app) => app.close()), LINGER_MS).unref();
  };
  let closed: Promise<void> | undefined;
  return { port, renew, refuse, close: () => (closed ??= shutDown()) };
}

/** What is known of an upgrade. To be read while it is handled: the native code keeps neither. */
function requestOf(response: Uws.HttpResponse, request: Uws.HttpRequest): CameBy {
  const headers: [string, string][] = [];
  request.forEach((name, value) => headers.push([name, value]));
  return cameBy(Buffer.from(response.getRemoteAddressAsText()).toString('latin1'), headers);
}

/** Why the native code has ended a connection; undefined where the peer, or its network, has. */
function endedBy(code: number, message: ArrayBuffer): Closing | undefined {
  const reason = Buffer.from(message).toString();
  return code === CUT && reason !== '' ? { code: CODES[reason] ?? 1002, reason } : undefined;
}

const everybody: MayConnect = () => true;

function judged(request: Uws.HttpRequest, mayConnect: MayConnect): Verdict {
  const [method, path] = [request.getMethod(), request.getUrl()];
  return judgeRequest({ method, path, header: (name) => request.getHeader(name) }, mayConnect);
}

function answer(response: Uws.HttpResponse, refusal: Refusal, close: boolean): void {
  response.writeStatus(`${refusal.status} ${refusal.phrase}`);
  for (const [name, value] of Object.entries(refusal.headers)) response.writeHeader(name, value);
  response.end(refusal.body, close);
}

async function bind(app: Uws.TemplatedApp, { host, port }: ListenOptions): Promise<Uws.us_listen_socket> {
  const listener = app as Uws.TemplatedApp & ExclusiveListener;
  try {
    for (let attempt = 1; attempt <= BIND_ATTEMPTS; attempt++) {
      // The native code can pick a port too, but then sets no address reuse: the same port could not
      // be listened on again, by a restarted server say, while old connections fade from the system.
      const wanted = port === 0 ? await probe(host, 0) : port;
      const token = await new Promise<Uws.us_listen_socket | false>((resolve) => {
        listener.listen(host, wanted, EXCLUSIVE_PORT, resolve);
      });
      if (token !== false) return token;
      await probe(host, wanted);
    }
    throw new Error('the address is taken again and again');
  } catch (error) {
    throw listenError(error, host, port, '--listen');
  }
}

/** Probe that binds an address for a moment: gives its port, or the cause that the native `listen` does not name. */
function probe(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const bound = (server.address() as AddressInfo).port;
      server.close(() => resolve(bound));
    });
  });
}
