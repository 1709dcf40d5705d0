/** A WebSocket that ends in a host of the same process: real frames, no network. */
import type { Closing, WebSocketLike } from '../client/connection/web-socket.js';
import type { Connection, Host } from '../engine.js';
import { parseRoomId } from '../codec/bytes/room-id.js';
import type { PeerSocket } from '../session/outbox.js';
import type { Encoded } from '../wire/frame.js';

export function inProcessSocket(host: Host, room: string): WebSocketLike {
  const roomId = parseRoomId(room);
  if (!roomId) throw new Error(`${room} is not a room id`);
  return new InProcessSocket((socket) => host.connect(roomId, socket));
}

interface Events {
  open: undefined;
  error: undefined;
  message: { data: unknown };
  close: Closing;
}

class InProcessSocket implements WebSocketLike {
  readonly #listeners: { [Type in keyof Events]: ((event: Events[Type]) => void)[] } = {
    open: [],
    error: [],
    message: [],
    close: [],
  };
  readonly #connection: Connection;
  #open = true;

  constructor(connect: (socket: PeerSocket) => Connection) {
    this.#connection = connect({
      send: (data) => {
        queueMicrotask(() => this.#emit('message', { data }));
        return true;
      },
      close: (code, reason) => this.#end({ code, reason }),
    });
    queueMicrotask(() => this.#emit('open', undefined));
  }

  send(data: Encoded): void {
    if (this.#open) this.#connection.receive(data);
  }

  close(code = 1000, reason = ''): void {
    if (!this.#open) return;
    this.#connection.closed();
    this.#end({ code, reason });
  }

  addEventListener<Type extends keyof Events>(type: Type, listener: (event: Events[Type]) => void): void {
    this.#listeners[type].push(listener);
  }

  /** After the frames that are on their way. */
  #end(closing: Closing): void {
    if (!this.#open) return;
    this.#open = false;
    queueMicrotask(() => this.#emit('close', closing));
  }

  #emit<Type extends keyof Events>(type: Type, event: Events[Type]): void {
    for (const listener of this.#listeners[type]) listener(event);
  }
}
