/** Partial pack: for somebody who gets some nodes whole and of the others their headers. [HD] */
import { fromHex } from '../../codec/bytes/bytes.js';
import type { Headers } from '../../codec/nodes/headers.js';
import type { Places } from '../../codec/packs/pack-writer.js';
import { headersMessage } from '../../graph/attested-headers.js';
import type { Graph } from '../../graph/graph.js';
import { type Seals, packHistory } from '../../graph/seals.js';
import type { Signer } from '../../ports/crypto.js';

/** All that is held of these nodes: whole, but for those of which only headers are left. */
export function heldPack(
  graph: Graph,
  nodes: Places,
  seals: Seals,
  authority: Signer,
): Uint8Array | Promise<Uint8Array> {
  if (graph.table.withheld.size === 0) return packHistory(graph, nodes, seals);
  return partialPack(graph, nodes, seals, graph.table.withheld, authority);
}

/** `nodes` are closed under seals, or all that the reader lacks; `withheld` says which go as headers. */
export async function partialPack(
  graph: Graph,
  nodes: Places,
  seals: Seals,
  withheld: Headers,
  authority: Signer,
): Promise<Uint8Array> {
  const places: number[] = [];
  for (let i = 0; i < nodes.length; i++) if (withheld.has(nodes.at(i))) places.push(nodes.at(i));
  if (places.length === 0) return packHistory(graph, nodes, seals);
  const signature = await authority.sign(headersMessage(graph.table, places));
  const attestation = { authority: fromHex(authority.publicKey), signature };
  return packHistory(graph, nodes, seals, { places: withheld, attestation });
}
