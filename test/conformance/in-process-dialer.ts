import type { Host } from '@weft/core';
import { testPeer } from '@weft/core/testing';
import type { Dialer } from './dialer.js';

/** Dials a host of this process, without a transport. */
export function inProcessDialer(host: Host): Dialer {
  return {
    connect(room) {
      const peer = testPeer(host, room);
      return Promise.resolve({
        send: (frame) => peer.sendText(frame),
        next: () => peer.next(),
        closed: peer.closed,
        leave: () => peer.leave(),
      });
    },
  };
}
