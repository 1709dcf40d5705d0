import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { onTestFinished } from 'vitest';

const UPGRADE =
  'GET /ws/room HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** An upgraded connection without a WebSocket library, that may send any bytes. */
export async function upgraded(audience: string): Promise<Socket> {
  const socket = connect(Number(audience.split(':')[1]), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined); // the server may cut it in the middle of a write
  socket.write(UPGRADE);
  await once(socket, 'data');
  socket.resume();
  return socket;
}
