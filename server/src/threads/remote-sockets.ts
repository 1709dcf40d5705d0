/**
 * Sockets of another thread, or process, as the host of this one has them.
 *
 * A frame that goes to many crosses once. Frames of one socket keep their order. What is under way to a socket is bounded by a
 * window, which the other thread opens again as its socket takes frames; beyond it `send` says stop.
 */
import type { Closing, Connection, Host, PeerSocket, RoomId } from '@weft/core';
import type { CameBy } from '../transports/entry-request.js';
import type { Sent } from '../transports/audiences.js';
import { HIGH_WATER_BYTES } from '../transports/link.js';
import type { YjsGateway } from '../yjs/gateway.js';
import { type Answers, type Wire, ownBytes } from './wire.js';

/** Window for frames of so many bytes: more could be cut by the socket, above its own high-water mark. */
export function windowOf(frameBytes: number): number {
  return Math.min(HIGH_WATER_BYTES, frameBytes);
}

/** Frame that leaves with this turn, and the sockets that it goes to. */
interface Leaving {
  readonly position: number;
  readonly ids: number[];
}

export class RemoteSockets {
  readonly #wire: Wire;
  readonly #window: number;
  readonly #sockets = new Map<number, { readonly socket: RemoteSocket; readonly connection: Connection }>();
  readonly #leaving = new Map<Sent, Leaving>();
  #unsaid = 0;

  constructor(wire: Wire, frameBytes: number) {
    this.#wire = wire;
    this.#window = windowOf(frameBytes);
    wire.onSaid = () => this.#leaving.clear();
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** What the other thread says of its sockets; `yjs` takes those of clients of Yjs. */
  answers(host: Pick<Host, 'connect'>, yjs?: YjsGateway['accept']): Answers {
    const open = (id: number, connect: (socket: RemoteSocket) => Connection): void => {
      const socket = new RemoteSocket(id, this, this.#window);
      this.#sockets.set(id, { socket, connection: connect(socket) });
    };
    return {
      open: (id: number, room: RoomId, audiences: readonly string[], request: CameBy) =>
        open(id, (socket) => host.connect(room, socket, audiences, request)),
      ...(yjs && {
        openYjs: (id: number, room: string, query: string, request: CameBy) =>
          open(id, (socket) => yjs(room, socket, query, request)),
      }),
      in: (id: number, frame: string | Uint8Array) => {
        this.#taken(frame.length);
        this.#sockets.get(id)?.connection.receive(frame);
      },
      credit: (id: number, bytes: number) => {
        const { socket, connection } = this.#sockets.get(id) ?? {};
        if (socket?.credit(bytes)) connection?.drained();
      },
      progressed: (id: number) => this.#sockets.get(id)?.connection.progressed(),
      gone: (id: number, by: Closing | undefined) => {
        const { socket, connection } = this.#sockets.get(id) ?? {};
        this.#sockets.delete(id);
        socket?.lose();
        connection?.closed(by);
      },
    };
  }

  /** Adds a socket to a frame that leaves with this turn already, unless the socket has been sent something behind it. */
  send(id: number, frame: Sent, behind: number): number {
    const found = this.#leaving.get(frame);
    if (found && found.position > behind) {
      found.ids.push(id);
      return found.position;
    }
    const { position } = this.#wire;
    const ids = [id];
    this.#wire.tell('out', typeof frame === 'string' ? frame : ownBytes(frame), ids);
    this.#leaving.set(frame, { position, ids });
    return position;
  }

  /** All are gone: there is no other side any more. */
  lose(): void {
    for (const { socket, connection } of this.#sockets.values()) {
      socket.lose();
      connection.closed();
    }
    this.#sockets.clear();
  }

  /** Turn within which positions count. */
  get turn(): number {
    return this.#wire.turn;
  }

  close(id: number, code: number, reason: string): void {
    this.#wire.tell('end', id, code, reason);
  }

  /** Says what was taken off the port, once for all that came together. */
  #taken(bytes: number): void {
    this.#unsaid += bytes;
    if (this.#unsaid > bytes) return;
    queueMicrotask(() => {
      this.#wire.tell('taken', this.#unsaid);
      this.#unsaid = 0;
    });
  }
}

class RemoteSocket implements PeerSocket {
  readonly #id: number;
  readonly #sockets: RemoteSockets;
  readonly #window: number;
  #underWay = 0;
  #isOpen = true;
  #owesDrain = false;
  /** Position of its last frame in that turn. */
  #last = -1;
  #turn = -1;

  constructor(id: number, sockets: RemoteSockets, window: number) {
    this.#id = id;
    this.#sockets = sockets;
    this.#window = window;
  }

  send(frame: Sent): boolean {
    if (!this.#isOpen) return false;
    const { turn } = this.#sockets;
    this.#last = this.#sockets.send(this.#id, frame, turn === this.#turn ? this.#last : -1);
    this.#turn = turn;
    this.#underWay += frame.length;
    if (this.#underWay <= this.#window) return true;
    this.#owesDrain = true;
    return false;
  }

  close(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#sockets.close(this.#id, code, reason);
  }

  /** The socket has taken so much; whether it now takes frames again. */
  credit(bytes: number): boolean {
    this.#underWay -= bytes;
    if (!this.#isOpen || !this.#owesDrain || this.#underWay > this.#window / 2) return false;
    this.#owesDrain = false;
    return true;
  }

  lose(): void {
    this.#isOpen = false;
  }
}
