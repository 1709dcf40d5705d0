import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { importRival } from './package-loader.js';

interface YWebsocket {
  setupWSConnection(socket: unknown, request: unknown): void;
}

/** Server as its own program puts it on the network. */
export async function startYWebsocket(): Promise<string> {
  const { setupWSConnection } = (await importRival('@y/websocket-server/utils')) as YWebsocket;
  const server = createServer();
  const upgrader = new WebSocketServer({ noServer: true });
  upgrader.on('connection', setupWSConnection);
  server.on('upgrade', (request, socket, head) => {
    upgrader.handleUpgrade(request, socket, head, (peer) => upgrader.emit('connection', peer, request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
