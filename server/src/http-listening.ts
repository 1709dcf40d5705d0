/** Listener of a plain HTTP server on an address of its own. Closing it cuts what is open, and may be called again. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenError } from './listen-error.js';
import type { Listening } from './transports/transport.js';

/** Binds the server; `option` names what the operator would change if the address cannot be had. */
export async function bindHttp(http: Server, host: string, port: number, option: string): Promise<Listening> {
  const bound = await new Promise<number>((resolve, reject) => {
    http.once('error', (error) => reject(listenError(error, host, port, option)));
    http.listen({ host, port, exclusive: true }, () => resolve((http.address() as AddressInfo).port));
  });
  const shutDown = (): Promise<void> =>
    new Promise((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
  let closed: Promise<void> | undefined;
  return { port: bound, close: () => (closed ??= shutDown()) };
}
