/** A client and what it meets on real sockets: another server, nobody, no address, keys that are none. */
import { type RoomClient, connectRoom, generateKeys, keepRoom } from '@weft/core';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';

const keys = generateKeys();

function keep(url: string): RoomClient {
  const client = keepRoom({ open: () => new WebSocket(url), keys, retry: { firstMs: 10, mostMs: 50 } });
  onTestFinished(() => client.close());
  return client;
}

it('says that the port is of another server, that nobody is there, or what is wrong with the address', async () => {
  const studio = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => studio.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void studio.close());
  studio.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n'));
  const { port } = studio.address() as AddressInfo;

  const misled = keep(`ws://127.0.0.1:${port}/ws/plans`);
  await expect.poll(() => misled.lastError).toMatchObject({ reason: 'no-room-server' });
  expect(misled.lastError?.message).toContain('(404)');
  const alone = keep('ws://127.0.0.1:1/ws/plans');
  await expect.poll(() => alone.lastError).toMatchObject({ reason: 'unreachable' });
  expect(alone.lastError?.message).toContain('ECONNREFUSED');

  expect(() => keep(`ws://127.0.0.1:${port}/plans`)).toThrow(/write it like ws:/);
  expect(() => keep('nonsense')).toThrow();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/plans`);
  await expect(connectRoom({ socket, keys })).rejects.toMatchObject({ reason: 'no-room-server' });
});
