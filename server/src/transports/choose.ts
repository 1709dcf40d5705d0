/** Picks the transport. `auto` prefers the fast one, and says once why when it cannot have it. */
import type { Log } from '../log.js';
import type { Transport } from './transport.js';
import { loadUws } from './uws.js';

export type TransportChoice = 'auto' | 'uws' | 'ws';

export async function chooseTransport(
  choice: TransportChoice,
  log: Log,
  load: () => Promise<Transport> = loadUws,
): Promise<Transport> {
  if (choice === 'ws') return loadWs();
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
      return loadWs();
    }
    const message = 'uWebSockets.js does not load here: using the slower ws transport, which behaves the same';
    log({ level: 'warn', message, about: { cause } });
    return loadWs();
  }
}

/** The portable transport, loaded where it is used: `ws` is a tenth of what a server loads to start. */
async function loadWs(): Promise<Transport> {
  return (await import('./ws.js')).wsTransport;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
