/** A peer without a transport: frames in and out of a host, in process. */
import type { Connection, Host } from '../engine.js';
import { parseRoomId } from '../codec/bytes/room-id.js';
import type { PeerSocket } from '../session/outbox.js';
import { type Frame, parseFrame } from '../wire/frame.js';

export interface TestPeer {
  send(frame: object): void;
  /** A frame as it travels: text, or MessagePack. */
  sendText(frame: string | Uint8Array): void;
  /** The next frame, waiting for it; rejects when the connection closes first. Of one in MessagePack, bytes are bytes. */
  next(): Promise<Frame>;
  /** Whether a frame came as MessagePack. */
  isBinary(frame: Frame): boolean;
  /** The next frame of a type; those before it are dropped. */
  nextOf(type: string): Promise<Frame>;
  /** Resolves with code and reason when the host closes the connection. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Ends the connection from this side. */
  leave(): void;
  /** While paused, the socket takes nothing. */
  pause(): void;
  resume(): void;
}

/** `audiences`: names under which the peer has dialled. */
export function testPeer(host: Host, room: string, audiences: readonly string[] = []): TestPeer {
  const roomId = parseRoomId(room);
  if (!roomId) throw new Error(`${room} is not a room id`);
  const frames: Frame[] = [];
  const binary = new WeakSet<Frame>();
  let wake: (() => void) | undefined;
  let paused = false;
  let end: { code: number; reason: string } | undefined;
  let settle: ((end: { code: number; reason: string }) => void) | undefined;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => (settle = resolve));

  const socket: PeerSocket = {
    send(frame) {
      const parsed = parseFrame(frame);
      if (!parsed) throw new Error('the host sent something that is no frame');
      if (typeof frame !== 'string') binary.add(parsed);
      frames.push(parsed);
      wake?.();
      return !paused;
    },
    close(code, reason) {
      end = { code, reason };
      settle?.(end);
      wake?.();
    },
  };
  const connection: Connection = host.connect(roomId, socket, audiences);

  const next = async (): Promise<Frame> => {
    for (;;) {
      const frame = frames.shift();
      if (frame) return frame;
      if (end) throw new Error(`closed with ${end.code} ${end.reason}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };

  return {
    send: (frame) => connection.receive(JSON.stringify(frame)),
    sendText: (frame) => connection.receive(frame),
    next,
    isBinary: (frame) => binary.has(frame),
    async nextOf(type) {
      for (;;) {
        const frame = await next();
        if (frame.type === type) return frame;
      }
    },
    closed,
    leave: () => connection.closed(),
    pause: () => (paused = true),
    resume() {
      paused = false;
      connection.drained();
    },
  };
}
