/**
 * Sockets into a host, any of which can be cut at any moment: what is on its way by then is lost, in both directions. And
 * what of the frames that were sent a test wants to look at.
 */
import type { Network } from '../client/connection/retrying.js';
import type { Closing, WebSocketLike } from '../client/connection/web-socket.js';
import type { Host } from '../engine.js';
import { type Encoded, type Frame, encodeFrame, parseFrame } from '../wire/frame.js';
import { inProcessSocket } from './in-process-socket.js';

type Listener = (event: never) => void;

export interface SeenFrame {
  readonly frame: Frame;
  readonly isBinary: boolean;
}

export class FrailNetwork implements Network {
  host: Host;
  isOnline = true;
  /** Frames that clients have sent, and servers. */
  readonly sent: SeenFrame[] = [];
  readonly received: SeenFrame[] = [];
  opened = 0;
  /** While true, frames of the server stay on their way: until they are released, or lost with their connection. */
  isHeld = false;
  readonly #held: (() => void)[] = [];
  /** What becomes of the server's frames on their way. */
  change: (frame: Frame) => Frame = (frame) => frame;
  readonly #room: string;
  readonly #sockets = new Set<FrailSocket>();
  readonly #waiting = new Set<() => void>();
  readonly #leaving = new Set<() => void>();

  constructor(host: Host, room = 'room') {
    this.host = host;
    this.#room = room;
  }

  /** For `open`. */
  readonly open = (): WebSocketLike => {
    this.opened++;
    const socket = new FrailSocket(inProcessSocket(this.host, this.#room), this);
    this.#sockets.add(socket);
    return socket;
  };

  get onTheirWay(): number {
    return this.#held.length;
  }

  /** Frames arrive again, those that were held all at once. */
  release(): void {
    this.isHeld = false;
    for (const deliver of this.#held.splice(0)) deliver();
  }

  /** For sockets. */
  hold(deliver: () => void): void {
    this.#held.push(deliver);
  }

  /** Cuts what there is. */
  cut(closing: Closing = { code: 1006, reason: '' }): void {
    for (const socket of this.#sockets) socket.cut(closing);
    this.#sockets.clear();
  }

  onOnline(listener: () => void): () => void {
    this.#waiting.add(listener);
    return () => void this.#waiting.delete(listener);
  }

  get listeners(): number {
    return this.#waiting.size + this.#leaving.size;
  }

  onOffline(listener: () => void): () => void {
    this.#leaving.add(listener);
    return () => void this.#leaving.delete(listener);
  }

  /** There is no network, and clients are told so; sockets say nothing of it. */
  goOffline(): void {
    this.isOnline = false;
    for (const listener of this.#leaving) listener();
  }

  /** Everything works again, and who waits tries at once. */
  comeOnline(): void {
    this.isOnline = true;
    this.isHeld = false;
    for (const listener of this.#waiting) listener();
  }

  /** Types of frames that clients have sent. */
  get types(): string[] {
    return this.sent.map(({ frame }) => frame.type);
  }
}

class FrailSocket implements WebSocketLike {
  readonly #socket: WebSocketLike;
  readonly #network: FrailNetwork;
  readonly #closers: ((closing: Closing) => void)[] = [];
  #isCut = false;

  constructor(socket: WebSocketLike, network: FrailNetwork) {
    this.#socket = socket;
    this.#network = network;
  }

  send(data: Parameters<WebSocketLike['send']>[0]): void {
    this.#network.sent.push(seen(data));
    queueMicrotask(() => {
      if (!this.#isCut) this.#socket.send(data);
    });
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: Listener): void {
    const deliver = (event?: { readonly data?: unknown }): void => {
      if (this.#isCut) return;
      if (type === 'message' && this.#network.isHeld) return this.#network.hold(() => deliver(event));
      if (type !== 'message') return Reflect.apply(listener, undefined, [event]);
      const { frame, isBinary } = seen(event?.data as Encoded);
      this.#network.received.push({ frame, isBinary });
      return Reflect.apply(listener, undefined, [{ data: encodeFrame(this.#network.change(frame), isBinary) }]);
    };
    Reflect.apply(this.#socket.addEventListener, this.#socket, [type, deliver]);
    if (type === 'close') this.#closers.push((closing) => Reflect.apply(listener, undefined, [closing]));
  }

  cut(closing: Closing): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#socket.close(1006, 'cut');
    for (const close of this.#closers) close(closing);
  }
}

function seen(data: Encoded): SeenFrame {
  const frame = parseFrame(data);
  if (!frame) throw new Error('that is no frame');
  return { frame, isBinary: typeof data !== 'string' };
}
