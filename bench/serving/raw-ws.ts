// The least that a server of rooms can do with `ws`: what one sends goes to the others of its room.
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

export async function startRawWs(): Promise<string> {
  const rooms = new Map<string, Set<WebSocket>>();
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  server.on('connection', (socket, { url = '' }) => {
    const room = rooms.get(url) ?? new Set();
    rooms.set(url, room.add(socket));
    socket.on('message', (data, binary) => {
      for (const other of room) if (other !== socket) other.send(data, { binary });
    });
    socket.on('close', () => room.delete(socket));
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
