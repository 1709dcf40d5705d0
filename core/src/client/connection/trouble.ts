/**
 * Troubles of a connection by name: what a socket says when it fails, as whoever reads it can act on it. Browsers say nothing of
 * why a connection could not be opened; Node's `ws` does.
 */
import { Rejection } from '../../rejection.js';
import type { Closing, WebSocketLike } from './web-socket.js';

/** Names of what ends a connection before the server has refused anything. */
export type TroubleName = 'unreachable' | 'no-room-server' | 'offline' | 'disconnected' | 'bad-address';

/** Where room servers listen when nobody says otherwise. */
const USUAL_PORT = 7878;

export function troubleOf(
  { code, reason }: Closing,
  wasOpen: boolean,
  said: string,
  url: string | undefined,
): Rejection {
  if (wasOpen) return trouble('disconnected', `the connection closed (${code}${reason === '' ? '' : ` ${reason}`})`);
  const at = url ?? 'the address';
  const status = /(?:unexpected server response|status code):? (\d{3})/i.exec(said)?.[1];
  if (status !== undefined)
    return trouble(
      'no-room-server',
      `what answers at ${at} is no room server, or has no such path (${status}): a room's address is ws://<host>:${USUAL_PORT}/ws/<room>, and the port of the studio is another one`,
    );
  const why = said === '' ? '' : `: ${said}`;
  return trouble(
    'unreachable',
    `no room server can be reached at ${at}${why}; start one with weft serve, or correct the address`,
  );
}

export function offline(): Rejection {
  return trouble('offline', 'there is no network');
}

/** Refuses a socket to an address that no room server has. One that does not tell its address is taken as it is. */
export function checkAddress(socket: WebSocketLike): void {
  const { url = '' } = socket;
  const [, path = ''] = /^wss?:\/\/[^/?#]+(\/[^?#]*)?/i.exec(url) ?? [];
  if (url === '' || /\/ws\/[^/]+$/.test(path)) return;
  // It fails all the same, and Node's `ws` throws what nobody listens for.
  socket.addEventListener('error', () => undefined);
  socket.close();
  throw trouble('bad-address', `${url} is no address of a room: write it like ws://127.0.0.1:${USUAL_PORT}/ws/<room>`);
}

function trouble(name: TroubleName, message: string): Rejection {
  return new Rejection(name, message);
}
