/** HTTP listener: the front over a server of node, which stops without cutting off what is being answered. */
import { type Server, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { StudioLog } from '../log.js';
import type { Front } from './front.js';

/** Grace period of requests in progress after `close`. */
const GRACE_MS = 10_000;

export interface Address {
  readonly hostname: string;
  readonly port: number;
  /** As it was given. */
  readonly text: string;
}

export function parseAddress(text: string): Address {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]\s]+):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535) {
    throw new Error(`cannot listen on ${text}: give address:port, such as 127.0.0.1:7880 or [::1]:7880`);
  }
  return { hostname: match[1].replace(/^\[|\]$/g, ''), port, text };
}

export class Listener {
  readonly #front: Front;
  readonly #log: StudioLog;
  readonly #server: Server;
  /** Idle connections without a request yet: clients open some in advance. */
  readonly #silent = new Set<Socket>();

  constructor(front: Front, log: StudioLog) {
    this.#front = front;
    this.#log = log;
    const serve = getRequestListener(front.fetch, { errorHandler: front.unreadable });
    this.#server = createServer((incoming, outgoing) => {
      this.#silent.delete(incoming.socket);
      // Errors before an answer are answered by the front; here a connection broke during one.
      serve(incoming, outgoing).catch((error: unknown) => log({ level: 'info', message: 'a connection broke', error }));
    });
    this.#server.on('connection', (socket) => {
      this.#silent.add(socket);
      socket.once('close', () => this.#silent.delete(socket));
    });
  }

  open({ hostname, port, text }: Address): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void => {
        const why = error.code === 'EADDRINUSE' ? 'address already in use' : (error.code ?? error.message);
        const remedy = 'choose another with --listen (of weft up: --studio-listen)';
        reject(new Error(`cannot listen on ${text}: ${why}; ${remedy}`, { cause: error }));
      };
      this.#server.once('error', failed);
      this.#server.listen(port, hostname, () => {
        this.#server.off('error', failed);
        resolve();
      });
    });
  }

  /** Port, once it is open. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes no more connections, and ends when what was asked is answered or its time is over. */
  async close(): Promise<void> {
    this.#front.drain();
    const stopped = new Promise<void>((resolve, reject) => {
      this.#server.close((error) => (error ? reject(error) : resolve()));
    });
    const force = setTimeout(() => {
      this.#server.closeAllConnections();
    }, GRACE_MS);
    // No more requests come: ended ones leave idle keep-alive connections behind.
    const sweep = setInterval(() => {
      this.#server.closeIdleConnections();
      for (const socket of this.#silent) socket.destroy();
    }, 50);
    // Not awaited: a call that outlasts the grace period loses its connection, not its effect, and must not keep us here.
    this.#front
      .close()
      .catch((error: unknown) => this.#log({ level: 'error', message: 'the tool endpoints did not close', error }));
    await stopped.finally(() => {
      clearTimeout(force);
      clearInterval(sweep);
    });
  }
}
