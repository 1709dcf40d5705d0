/** A peer without a transport: frames in and out of a host, in process. */
import type { Connection, Host } from '../engine.js';
import { parseRoomId } from '../graph/room-id.js';
import { type Frame, parseFrame } from '../wire/frame.js';

export interface TestPeer {
  send(frame: object): void;
  sendText(frame: string | Uint8Array): void;
  /** The next frame, waiting for it; rejects when the connection closes first. */
  next(): Promise<Frame>;
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

export function testPeer(host: Host, room: string): TestPeer {
  const roomId = parseRoomId(room);
  if (!roomId) throw new Error(`${room} is not a room id`);
  const frames: Frame[] = [];
  let wake: (() => void) | undefined;
  let paused = false;
  let end: { code: number; reason: string } | undefined;
  let settle: ((end: { code: number; reason: string }) => void) | undefined;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => (settle = resolve));

  const connection: Connection = host.connect(roomId, {
    send(frame) {
      const parsed = typeof frame === 'string' ? parseFrame(frame) : undefined;
      if (!parsed) throw new Error('the host sent something that is no frame');
      frames.push(parsed);
      wake?.();
      return !paused;
    },
    close(code, reason) {
      end = { code, reason };
      settle?.(end);
      wake?.();
    },
  });

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
