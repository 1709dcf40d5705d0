/**
 * Certificate renewal: what an authority's tool writes to the files is shown to whoever connects from then on.
 *
 * The files are polled, because such tools replace links by links, of which no system tells. A pair
 * that does not fit, half written say, changes nothing: the next look finds the rest.
 */
import type { Log } from './log.js';
import { type Tls, readTls } from './tls.js';

const LOOK_MS = 10_000;

export interface Renewal {
  /** Changes the certificate for new connections; open ones stay. */
  readonly renew: (tls: Tls) => Promise<void>;
  readonly log: Log;
  readonly everyMs?: number | undefined;
}

/** Begins to follow the files; answers a function that ends it. */
export function followTls(first: Tls, { renew, log, everyMs = LOOK_MS }: Renewal): () => void {
  let current = first;
  let isLooking = false;
  const look = async (): Promise<void> => {
    const found = await readTls(first.files);
    if (found.cert.equals(current.cert) && found.key.equals(current.key)) return;
    await renew(found);
    current = found;
    log({ level: 'info', message: 'the certificate was renewed' });
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: unknown) => log({ level: 'warn', message: 'the certificate could not be renewed', error }))
      .finally(() => (isLooking = false));
  }, everyMs).unref();
  return () => clearInterval(timer);
}
