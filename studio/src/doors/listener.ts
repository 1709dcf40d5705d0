/** HTTP listener of the front: accepts connections, and drains them at the end. */
import { type Server, type ServerOptions, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { StudioLog } from '../log.js';
import type { Front } from './front.js';

/** Grace period of requests in progress after `close`. */
const GRACE_MS = 10_000;

export interface ListenerLimits {
  /** Time for the head of a request, from the opening of its connection on. */
  readonly headersMs: number;
  /** Time for a whole request, its body included. */
  readonly requestMs: number;
  /** Time that a connection is kept for another request. */
  readonly idleMs: number;
  readonly mostConnections: number;
}

export const LISTENER_LIMITS: ListenerLimits = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 5_000,
  mostConnections: 1_000,
};

export interface Address {
  /** Text that was parsed. */
  readonly listen: string;
  readonly hostname: string;
  readonly port: number;
}

/** Parses `address:port`; an IPv6 address stands in brackets. */
export function parseListen(listen: string): Address {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]\s]+):(\d{1,5})$/i.exec(listen);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535) {
    throw new Error(`cannot listen on ${listen}: give address:port, such as 127.0.0.1:7880 or [::1]:7880`);
  }
  return { listen, hostname: match[1].replace(/^\[|\]$/g, ''), port };
}

export class Listener {
  readonly #server: Server;
  readonly #front: Front;
  readonly #log: StudioLog;
  /** Idle connections without a request yet: clients open some in advance. */
  readonly #silent = new Set<Socket>();

  private constructor(front: Front, log: StudioLog, limits: ListenerLimits) {
    this.#front = front;
    this.#log = log;
    const serve = getRequestListener(front.fetch, { errorHandler: front.unreadable });
    const bounds: ServerOptions = {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(limits.headersMs, 5_000),
    };
    this.#server = createServer(bounds, (incoming, outgoing) => {
      this.#silent.delete(incoming.socket);
      // Errors before an answer are answered by the front; here a connection broke during one.
      serve(incoming, outgoing).catch((error: unknown) => log({ level: 'info', message: 'a connection broke', error }));
    });
    this.#server.maxConnections = limits.mostConnections;
    this.#server.on('connection', (socket) => {
      this.#silent.add(socket);
      socket.once('close', () => this.#silent.delete(socket));
    });
  }

  static async open(front: Front, address: Address, log: StudioLog, limits = LISTENER_LIMITS): Promise<Listener> {
    const listener = new Listener(front, log, limits);
    await listening(listener.#server, address);
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Graceful shutdown: answers requests in progress, within the grace period. */
  async close(): Promise<void> {
    this.#front.drain();
    const stopped = new Promise<void>((resolve, reject) => {
      this.#server.close((error) => (error ? reject(error) : resolve()));
    });
    const force = setTimeout(() => this.#server.closeAllConnections(), GRACE_MS);
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

function listening(server: Server, { listen, hostname, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      const why = error.code === 'EADDRINUSE' ? 'address already in use' : (error.code ?? error.message);
      reject(
        new Error(`cannot listen on ${listen}: ${why}; choose another with --listen (of weft up: --studio-listen)`, {
          cause: error,
        }),
      );
    };
    server.once('error', failed);
    server.listen(port, hostname, () => {
      server.off('error', failed);
      resolve();
    });
  });
}
