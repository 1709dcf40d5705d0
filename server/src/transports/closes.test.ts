/** Connections that the transport ends, not the engine: counted and told like any other. [ER5] */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createHost, type Notice } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { transportNames } from '../../../test/support/transport-names.js';
import { type RunningServer, startServer } from '../server.js';

const FRAME_BYTES = 4096;
const UPGRADE =
  'GET /ws/room HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const HELLO = JSON.stringify({ type: 'hello' });

type TransportName = 'uws' | 'ws';

/** Server over a host whose closings are listed: each with its code, as counted and as told. */
async function listed(transport: TransportName) {
  const counted: string[] = [];
  const told: unknown[] = [];
  const host = createHost({
    store: memoryStore(),
    telemetry: {
      record: (metric, _value, ...labels) => void (metric === 'closes_total' && counted.push(...labels)),
      tell: ({ message, about }: Notice) => void (message === 'a connection was closed' && told.push(about?.['code'])),
    },
  });
  const server = await startServer({ host, transport, listen: '127.0.0.1:0', frameBytes: FRAME_BYTES });
  return { host, server, counted, told };
}

/** Peer that has joined, as a bare socket. */
async function joined({
  address: { port },
}: RunningServer): Promise<{ write(bytes: Uint8Array): void; gone: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined); // a reset is an end like others
  socket.write(UPGRADE);
  await once(socket, 'data');
  socket.write(frame(0x81, Buffer.from(HELLO)));
  await once(socket, 'data');
  socket.resume();
  return { write: (bytes) => void socket.write(bytes), gone: once(socket, 'close') };
}

/** Frame of a client, masked with zeros. */
function frame(head: number, payload: Buffer): Buffer {
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from([head, ...length, 0, 0, 0, 0]), payload]);
}

describe.each(transportNames)('closings of %s', (transport) => {
  it.each<[string, Buffer, string]>([
    ['a frame that is too long', frame(0x81, Buffer.alloc(FRAME_BYTES + 1, 'a')), '1009'],
    ['a frame that is far too long', frame(0x81, Buffer.alloc(3 * FRAME_BYTES, 'a')), '1009'],
    ['a frame of a kind that there is not', frame(0x83, Buffer.from('a')), '1002'],
    ['text that is none', frame(0x81, Buffer.from([0xff])), '1007'],
  ])('[ER5] counts and tells of the one for %s', async (_, bytes, code) => {
    const { host, server, counted, told } = await listed(transport);
    const peer = await joined(server);
    peer.write(bytes);
    await peer.gone;
    await expect.poll(() => counted, { timeout: 60_000 }).toEqual([code]);
    expect(told).toEqual([Number(code)]);
    await server.close();
    expect(counted).toEqual([code]);
    await host.close();
  });

  it('[ER5] counts and tells of those of a server that stops, and of none that a peer has ended', async () => {
    const { host, server, counted, told } = await listed(transport);
    const [leaving, staying] = [0, 1].map(() => new WebSocket(server.url.replace('<room>', 'room'))) as [
      WebSocket,
      WebSocket,
    ];
    await Promise.all([once(leaving, 'open'), once(staying, 'open')]);
    leaving.send(HELLO);
    await once(leaving, 'message');
    staying.send(HELLO);
    await once(staying, 'message');
    leaving.close();
    await once(leaving, 'close');
    staying.on('message', () => undefined);
    const gone = once(staying, 'close');
    await server.close();
    await gone;
    await expect.poll(() => counted, { timeout: 60_000 }).toEqual(['1001']);
    expect(told).toEqual([1001]);
    await host.close();
  });
});
