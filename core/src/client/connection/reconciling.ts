/**
 * Reconciliation by a client: finds out which of our nodes a server lacks, when it lacks some that it should hold.
 * [CL3]
 */
import { DecodeError } from '../../codec/bytes/bytes.js';
import type { Message } from '../../reconcile/messages.js';
import { Rejection } from '../../rejection.js';
import type { Exchange } from '../replica/exchange.js';
import type { Connection } from './connection.js';

/** Nodes by number: none when it cannot be found out. What we lack follows in packs. */
export async function lackedBy(connection: Connection, exchange: Exchange): Promise<readonly number[]> {
  const side = await exchange.reconcile();
  try {
    let message: Message | undefined = side.open();
    while (message && !side.send) message = side.receive(await connection.ask({ type: 'reconcile', ...message }));
    // To the last step there is no answer but nodes.
    if (message) connection.send({ type: 'reconcile', ...message });
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof Rejection)) throw error;
  }
  return side.send ?? [];
}
