/** A peer that speaks in frames of its own choosing over a real socket, and may stop reading. */
import { decode } from '@msgpack/msgpack';
import { onTestFinished } from 'vitest';
import WebSocket from 'ws';

export type Frame = { readonly type: string; readonly [field: string]: unknown };

export interface Closing {
  readonly code: number;
  readonly reason: string;
}

export class Peer {
  readonly socket: WebSocket;
  readonly closed: Promise<Closing>;
  /** Inbox: frames received and not yet asked for. */
  readonly frames: Frame[] = [];
  #closing: Closing | undefined;
  #wake: () => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      this.frames.push((isBinary ? decode(data) : JSON.parse(String(data))) as Frame);
      this.#wake();
    });
    socket.on('error', () => undefined); // told by `closed` as well
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        this.#closing = { code, reason: String(reason) };
        resolve(this.#closing);
        this.#wake();
      });
    });
  }

  /** Peer that is connected and silent; `url` holds the literal `<room>`. */
  static async dial(url: string, room = 'room'): Promise<Peer> {
    const peer = new Peer(new WebSocket(url.replace('<room>', room)));
    onTestFinished(() => peer.socket.terminate());
    await new Promise((resolve, reject) => peer.socket.once('open', resolve).once('error', reject));
    return peer;
  }

  /** Peer that has joined and received its history. */
  static async enter(url: string, room = 'room', hello: object = {}): Promise<Peer> {
    const peer = await Peer.dial(url, room);
    await peer.join(hello);
    return peer;
  }

  /** Joins; answers the `welcome`, and every pack of the history. */
  async join(hello: object = {}): Promise<{ readonly welcome: Frame; readonly packs: readonly Frame[] }> {
    this.send({ type: 'hello', ...hello });
    const welcome = await this.nextOf('welcome');
    const packs = [await this.nextOf('pack')];
    while (packs.at(-1)?.['final'] !== true) packs.push(await this.nextOf('pack'));
    return { welcome, packs };
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }

  get isOpen(): boolean {
    return this.#closing === undefined;
  }

  /** Next frame; rejects when the connection closes first. */
  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.frames.shift();
      if (frame) return frame;
      if (this.#closing) throw new Error(`closed with ${this.#closing.code} ${this.#closing.reason}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** The next frame of a type; those before it are dropped. */
  async nextOf(type: string): Promise<Frame> {
    for (;;) {
      const frame = await this.next();
      if (frame.type === type) return frame;
    }
  }
}
