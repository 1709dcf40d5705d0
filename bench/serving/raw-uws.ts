// The least that a server of rooms can do with uWebSockets.js: its own topics.
import * as uws from 'uWebSockets.js';

interface Seat {
  readonly room: string;
}

export async function startRawUws(): Promise<string> {
  const app = uws.App();
  app.ws<Seat>('/*', {
    upgrade: (response, request, context) => {
      const key = request.getHeader('sec-websocket-key');
      response.upgrade({ room: request.getUrl() }, key, '', '', context);
    },
    open: (socket) => void socket.subscribe(socket.getUserData().room),
    message: (socket, data, binary) => void socket.publish(socket.getUserData().room, data, binary),
  });
  const token = await new Promise<uws.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve));
  if (token === false) throw new Error('uWebSockets.js finds no free port');
  return `ws://127.0.0.1:${uws.us_socket_local_port(token)}/`;
}
