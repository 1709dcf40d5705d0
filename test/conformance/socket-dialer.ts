import { decode } from '@msgpack/msgpack';
import WebSocket from 'ws';
import { readable } from './matching.js';
import type { Closing, Dialer, PeerEnd, ReceivedFrame } from './dialer.js';

/** Dials a server over a real socket; `url` holds the literal `<room>`. */
export function socketDialer(url: string): Dialer {
  return {
    audience: new URL(url.replace('<room>', '')).host,
    connect(room) {
      const socket = new WebSocket(url.replace('<room>', encodeURIComponent(room)));
      const end = peerEnd(socket);
      return new Promise((resolve, reject) => {
        socket.once('open', () => resolve(end));
        socket.once('error', reject);
      });
    },
  };
}

function peerEnd(socket: WebSocket): PeerEnd {
  const frames: ReceivedFrame[] = [];
  let wake: () => void = () => undefined;
  let closing: Closing | undefined;
  socket.on('message', (data: Buffer, isBinary) => {
    frames.push((isBinary ? readable(decode(data) as object) : JSON.parse(String(data))) as ReceivedFrame);
    wake();
  });
  const closed = new Promise<Closing>((resolve) => {
    socket.on('close', (code, reason) => {
      closing = { code, reason: String(reason) };
      resolve(closing);
      wake();
    });
  });
  return {
    closed,
    send: (frame) => socket.send(frame),
    reads: (does) => (does ? socket.resume() : socket.pause()),
    leave: () => socket.close(),
    async next() {
      for (;;) {
        const frame = frames.shift();
        if (frame) return frame;
        if (closing) throw new Error(`closed with ${closing.code} ${closing.reason}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
