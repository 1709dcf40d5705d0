/** Own nodes of a replica as a page tells them to another one where there is no server. */
import { listOf } from '../../codec/nodes/places.js';
import type { NodeId } from '../../graph/node.js';
import { sealMessage } from '../../graph/seal.js';
import { packNodes } from '../../graph/seals.js';
import type { Exchange } from '../replica/exchange.js';

/** The newest node of an author that is here. */
export function tipOf(exchange: Exchange, publicKey: string): NodeId | undefined {
  const { graph } = exchange.parts;
  const { identity, identities } = graph.table;
  for (let node = graph.size - 1; node > 0; node--)
    if (identities.list[identity.get(node)]!.authorName === publicKey) return graph.idOf(node);
  return undefined;
}

/**
 * Own nodes behind one, or from the first, so many at most, under a seal of the last: also those that a server has confirmed, since it
 * may not have passed them on. Undefined when there is nothing, or when the next was given up: only a server's word can stand for it.
 */
export async function ownSince(
  exchange: Exchange,
  tip: string | undefined,
  most: number,
): Promise<{ readonly nodes: Uint8Array; readonly tip: NodeId } | undefined> {
  const { graph, identity, unconfirmed } = exchange.parts;
  const from = tip === undefined ? 0 : graph.find(tip as NodeId);
  const own: number[] = [];
  for (let node = Math.max(0, from) + 1; node < graph.size && own.length < most; node++) {
    if (graph.table.identity.get(node) !== identity) continue;
    if (graph.table.withheld.has(node)) break;
    own.push(node);
  }
  const last = own.at(-1);
  if (last === undefined) return undefined;
  const id = graph.idOf(last);
  const seal = await unconfirmed.signer.sign(sealMessage(graph.table, last));
  if (last >= graph.size || graph.idOf(last) !== id) throw new Error('nodes were given up meanwhile');
  return { nodes: packNodes(graph, listOf(own), new Map([[last, seal]])), tip: id };
}
