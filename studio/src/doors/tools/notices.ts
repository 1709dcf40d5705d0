/**
 * Notices: log messages of the protocol beside the answers to a client's own calls, such as refusals, repeats, what stays open.
 * The client sets the level (`logging/setLevel`, or with the request in the later revision).
 */
import type { During } from './offer.js';

export type Tell = (level: 'info' | 'notice' | 'warning' | 'error', notice: object) => Promise<void>;

export function tellOver({ mcpReq, sessionId }: During): Tell {
  // Clients of the older revisions that have no session cannot set a level.
  const isHeard = sessionId !== undefined || mcpReq.envelope !== undefined;
  return async (level, notice) => {
    if (!isHeard) return;
    try {
      await mcpReq.log(level, notice, 'weft-studio');
    } catch {
      // The client is gone; if it still wants the answer, that says the same.
    }
  };
}
