/** What a genesis in a table says of who takes a room over when its roots are lost: see `recoveryOf`. [MA6] */
import { decodeValue } from '../../codec/bytes/msgpack.js';
import type { NodeTable } from '../../codec/nodes/node-table.js';
import { readGenesis } from './genesis.js';

/** Undefined where nobody does. */
export function recoveryIn(table: NodeTable, place = 0): string | undefined {
  if (!readGenesis(table, place)) return undefined;
  const { recovery } = decodeValue(table.contentOf(table.firstOp(place))) as { readonly recovery?: unknown };
  return typeof recovery === 'string' && /^[0-9a-f]{64}$/.test(recovery) ? recovery : undefined;
}
