/** A client that stays in its room: it comes back after a lost connection, and sends by itself. */
import { freshNonce } from '../access/proof.js';
import { systemClock } from '../ports/clock.js';
import { Retrying, browserNetwork } from './connection/retrying.js';
import { type KeepOptions, RoomClient } from './room-client.js';

/** Throws where no attempt could be made: the address is none. */
export function keep({ retry = {}, network = browserNetwork, ...options }: KeepOptions): RoomClient {
  const { clock = systemClock } = options;
  const retrying = new Retrying(clock, network, retry);
  const isNamedHere = !options.peerId;
  const client = new RoomClient({ peerId: freshNonce(), autoPush: true, ...options, isNamedHere, clock, retrying });
  if (client.lastError) throw client.lastError;
  return client;
}
