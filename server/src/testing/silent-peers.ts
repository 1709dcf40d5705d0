/** Battery about silent connections, whose other end says nothing any more or is not there. */
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { transportsHere } from './transports-here.js';

const HANDSHAKE =
  'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** Peer that upgrades and then says nothing, not even a pong, like one that has lost its network. */
async function silentPeer(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET /ws/silent HTTP/1.1\r\n${HANDSHAKE}`);
  await once(socket, 'data');
  socket.resume();
  return socket;
}

/** Runs the battery; `silentMs` is the server's own when absent. */
export function describeSilentPeers(silentMs?: number): void {
  describe.concurrent.each(transportsHere)('silent peers of $name', (transport) => {
    it('fault 39: a half-open connection is cut, and one that only answers pings is kept [fault 9]', async () => {
      const events = new EventEmitter();
      const listening = await transport.listen({
        host: '127.0.0.1',
        port: 0,
        frameBytes: 1024,
        silentMs,
        accept: (roomId, socket) => ({
          receive: (frame) => void socket.send(frame),
          drained: () => undefined,
          progressed: () => undefined,
          closed: (by) => events.emit('closed', roomId, by?.code),
        }),
      });
      const quiet = new WebSocket(`ws://127.0.0.1:${listening.port}/ws/quiet`);
      await once(quiet, 'open');
      const closed = once(events, 'closed');
      const silent = await silentPeer(listening.port);
      const cut = once(silent, 'close');
      expect(await closed).toEqual(['silent', 1006]);
      await cut;
      // The quiet one has been there for longer; live through another ping before the last word.
      await once(quiet, 'ping');
      quiet.send('still here');
      const [echoed] = (await once(quiet, 'message')) as [Buffer];
      expect(echoed.toString()).toBe('still here');
      quiet.terminate();
      await listening.close();
    });
  });
}
