/** Picks the transport. `auto` prefers the fast one, and says once why when it cannot have it. */
import type { Log } from '../log.js';
import type { Transport } from './transport.js';
import { loadUws } from './uws.js';
import { wsTransport } from './ws.js';

export type TransportChoice = 'auto' | 'uws' | 'ws';

export async function chooseTransport(
  choice: TransportChoice,
  log: Log,
  load: () => Promise<Transport> = loadUws,
): Promise<Transport> {
  if (choice === 'ws') return wsTransport;
  try {
    return await load();
  } catch (error) {
    const cause = firstLine(error);
    if (choice === 'uws') {
      throw new Error(`uWebSockets.js does not load here (${cause}); start with --transport ws, or auto`, {
        cause: error,
      });
    }
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (isAbsent) {
      const message = 'the ws transport is used; uWebSockets.js, which is faster, is not installed';
      log({ level: 'info', message });
      return wsTransport;
    }
    const message = 'uWebSockets.js does not load here: using the slower ws transport, which behaves the same';
    log({ level: 'warn', message, about: { cause } });
    return wsTransport;
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
