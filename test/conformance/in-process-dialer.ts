import type { Host } from '@weft/core';
import { testPeer } from '@weft/core/testing';
import type { Dialer } from './dialer.js';
import { readable } from './matching.js';

/** Dials a host of this process, without a transport. */
export function inProcessDialer(host: Host): Dialer {
  const audience = 'in.process:1';
  return {
    audience,
    connect(room) {
      const peer = testPeer(host, room, [audience]);
      return Promise.resolve({
        send: (frame) => peer.sendText(frame),
        async next() {
          const frame = await peer.next();
          return peer.isBinary(frame) ? readable(frame) : frame;
        },
        closed: peer.closed,
        reads: (does) => (does ? peer.resume() : peer.pause()),
        leave: () => peer.leave(),
      });
    },
  };
}
