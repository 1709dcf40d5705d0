/** Partial pack: for somebody who gets some nodes whole and of the others their headers. [HD] */
import { type Speaker, giveWord } from '../../access/word.js';
import type { Headers } from '../../codec/nodes/headers.js';
import type { PackHeaders } from '../../codec/packs/pack.js';
import type { Places } from '../../codec/packs/pack-writer.js';
import { headersMessage } from '../../graph/attested-headers.js';
import type { Graph } from '../../graph/graph.js';
import { type Seals, packHistory } from '../../graph/seals.js';

/** Who has values at hand that lie in the log alone; without one, there are none among the nodes. */
export interface Lender {
  lend<T>(nodes: Places, make: () => T, left?: Headers): Promise<T>;
}

/** All that is held of these nodes: whole, but for those of which only headers are left. */
export function heldPack(
  graph: Graph,
  nodes: Places,
  seals: Seals,
  speaker: Speaker,
  lender?: Lender,
): Uint8Array | Promise<Uint8Array> {
  const { withheld } = graph.table;
  if (withheld.size > 0) return partialPack(graph, nodes, seals, withheld, speaker, lender);
  const pack = (): Uint8Array => packHistory(graph, nodes, seals);
  return lender ? lender.lend(nodes, pack) : pack();
}

/** `nodes` are closed under seals, or all that the reader lacks; `withheld` says which go as headers. */
export async function partialPack(
  graph: Graph,
  nodes: Places,
  seals: Seals,
  withheld: Headers,
  speaker: Speaker,
  lender?: Lender,
): Promise<Uint8Array> {
  const places: number[] = [];
  for (let i = 0; i < nodes.length; i++) if (withheld.has(nodes.at(i))) places.push(nodes.at(i));
  const pack = (headers?: PackHeaders): Promise<Uint8Array> | Uint8Array => {
    const make = (): Uint8Array => packHistory(graph, nodes, seals, headers);
    return lender ? lender.lend(nodes, make, withheld) : make();
  };
  if (places.length === 0) return pack();
  const attestation = await giveWord(headersMessage(graph.table, places), speaker);
  return pack({ places: withheld, attestation });
}
