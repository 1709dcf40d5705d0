import type { Transport } from '../transports/transport.js';
import { loadUws } from '../transports/uws.js';
import { wsTransport } from '../transports/ws.js';
import { hasUws } from '../../../test/support/transport-names.js';

/** Each transport that there is for this Node, loaded. */
export const transportsHere: readonly Transport[] = hasUws ? [await loadUws(), wsTransport] : [wsTransport];
