/**
 * What a client is told beside the answers to its own calls, as log messages of the protocol: refusals, what had been done before, what
 * stays open. It says how much of it the client wants to hear (`logging/setLevel`, or with the request in the later revision).
 */
import type { During } from './offer.js';

export type Tell = (level: 'info' | 'notice' | 'warning' | 'error', notice: object) => Promise<void>;

export function tellOver({ mcpReq, sessionId }: During): Tell {
  // Who is answered request by request, in the older revisions, has no way to say that it wants none.
  const isHeard = sessionId !== undefined || mcpReq.envelope !== undefined;
  return async (level, notice) => {
    if (!isHeard) return;
    try {
      await mcpReq.log(level, notice, 'weft-studio');
    } catch {
      // Whoever asked is gone; the answer, if it is still wanted, says the same.
    }
  };
}
