/** A server to be harmed: in this process, where a test holds its host and its store, or as the real program. */
import { type Host, type HostOptions, createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { type TransportChoice, startServer } from '@weft/server';
import { onTestFinished } from 'vitest';
import { WeftProcess } from '../support/programs/weft-process.js';

export { transportNames as transports } from '../support/transport-names.js';

export interface Serving {
  readonly host: Host;
  /** URL of a room, with the literal `<room>`. */
  readonly url: string;
  /** Address of the server, `host:port`. */
  readonly audience: string;
  /** Faults of which only an operator hears. */
  readonly faults: readonly unknown[];
}

export async function serveHere(transport: TransportChoice, options: Partial<HostOptions> = {}): Promise<Serving> {
  const faults: unknown[] = [];
  const host = createHost({ store: memoryStore(), onFault: (error) => void faults.push(error), ...options });
  const server = await startServer({ host, transport, listen: '127.0.0.1:0' });
  onTestFinished(async () => {
    await server.close();
    await host.close();
  });
  return { host, url: server.url, audience: `127.0.0.1:${server.address.port}`, faults };
}

export interface ServedProcess {
  readonly weft: WeftProcess;
  readonly url: string;
  readonly audience: string;
}

export async function serveProcess(...args: readonly string[]): Promise<ServedProcess> {
  const weft = new WeftProcess(['serve', '--listen', '127.0.0.1:0', ...args]);
  const [url = '', audience = ''] = await weft.line(/^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/);
  return { weft, url, audience };
}
