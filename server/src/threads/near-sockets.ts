/**
 * Sockets of this thread, or process, whose rooms are in another one: the transport's connections, and what the other one sends them.
 *
 * What was received and is not taken off the port yet is bounded: beyond it, whoever sends loses the connection, as in a
 * host whose inbox is full.
 */
import { CLOSE, type Closing, type Connection, type PeerSocket, type RoomId } from '@weft/core';
import type { CameBy } from '../transports/entry-request.js';
import { windowOf } from './remote-sockets.js';
import type { Answers, Wire } from './wire.js';

/** Share of the window that is given back at a time: less would cost a message for every few frames. */
const CREDITS = 4;

export class NearSockets {
  readonly #wire: Wire;
  readonly #credit: number;
  readonly #inboxBytes: number;
  readonly #sockets = new Map<number, NearSocket>();
  #next = 0;
  #unread = 0;

  constructor(
    wire: Wire,
    { frameBytes, hostInboxBytes }: { readonly frameBytes: number; readonly hostInboxBytes: number },
  ) {
    this.#wire = wire;
    this.#credit = windowOf(frameBytes) / CREDITS;
    this.#inboxBytes = hostInboxBytes;
  }

  /** What the other thread says to these sockets. */
  get answers(): Answers {
    return {
      out: (frame: string | Uint8Array, ids: readonly number[]) => {
        for (const id of ids) this.#sockets.get(id)?.send(frame);
      },
      end: (id: number, code: number, reason: string) => this.#sockets.get(id)?.end(code, reason),
      taken: (bytes: number) => {
        this.#unread -= bytes;
      },
    };
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** Ends all of them: there is no other side any more, or it is to have none of them. */
  lose(code: number, reason: () => string): void {
    for (const [id, socket] of this.#sockets) {
      this.#sockets.delete(id);
      this.#wire.tell('gone', id);
      socket.end(code, reason());
    }
  }

  connect(room: RoomId, socket: PeerSocket, audiences: readonly string[], request: CameBy | undefined): Connection {
    return this.#handOn(socket, (id) => this.#wire.tell('open', id, room, audiences, request));
  }

  /** Connection of a client of Yjs. */
  acceptYjs(room: string, socket: PeerSocket, query: string, request: CameBy | undefined): Connection {
    return this.#handOn(socket, (id) => this.#wire.tell('openYjs', id, room, query, request));
  }

  #handOn(socket: PeerSocket, open: (id: number) => void): Connection {
    const id = this.#next++;
    const near = new NearSocket(socket, this.#credit, (bytes) => this.#wire.tell('credit', id, bytes));
    this.#sockets.set(id, near);
    open(id);
    const gone = (by?: Closing): void => {
      if (this.#sockets.delete(id)) this.#wire.tell('gone', id, by);
    };
    return {
      receive: (frame) => {
        if (!this.#sockets.has(id)) return;
        this.#unread += frame.length;
        this.#wire.tell('in', id, frame);
        if (this.#unread <= this.#inboxBytes) return;
        const { code } = CLOSE.overload;
        gone({ code, reason: 'server overload' });
        near.end(code, 'server overload');
      },
      drained: () => near.drained(),
      progressed: () => this.#wire.tell('progressed', id),
      closed: gone,
    };
  }
}

class NearSocket {
  readonly #socket: PeerSocket;
  readonly #least: number;
  readonly #give: (bytes: number) => void;
  /** Taken by the socket and not told yet. */
  #taken = 0;
  /** Above the high-water mark of the socket: taken once it has drained. */
  #held = 0;

  constructor(socket: PeerSocket, least: number, give: (bytes: number) => void) {
    this.#socket = socket;
    this.#least = least;
    this.#give = give;
  }

  send(frame: string | Uint8Array): void {
    if (this.#socket.send(frame)) this.#took(frame.length);
    else this.#held += frame.length;
  }

  end(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  drained(): void {
    const held = this.#held;
    this.#held = 0;
    this.#took(held);
  }

  #took(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < this.#least) return;
    this.#give(this.#taken);
    this.#taken = 0;
  }
}
