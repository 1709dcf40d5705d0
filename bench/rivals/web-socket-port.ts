import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** Puts a rival that serves sockets of `ws` on the network of this machine; answers what stands before the name of a room. */
export async function openPort(connected: (socket: WebSocket, request: IncomingMessage) => void): Promise<string> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  server.on('connection', connected);
  await new Promise((resolve) => server.once('listening', resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
