/** Partial pack: for somebody who gets some nodes whole and of the others their headers. [HD] */
import { type Speaker, giveWord } from '../../access/word.js';
import type { Headers } from '../../codec/nodes/headers.js';
import { type PackHeaders, writePack } from '../../codec/packs/pack.js';
import { copyBlank } from '../../codec/nodes/blank.js';
import { NodeCopy } from '../../codec/nodes/node-copy.js';
import { NodeTable } from '../../codec/nodes/node-table.js';
import { allOf, rangeOf } from '../../codec/nodes/places.js';
import type { Places } from '../../codec/packs/pack-writer.js';
import { headersMessage } from '../../graph/attested-headers.js';
import type { Graph } from '../../graph/graph.js';
import { type Seals, lastSeals, packHistory } from '../../graph/seals.js';

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
  const attestation = await giveWord(headersMessage(graph.table, places, withheld), speaker);
  return pack({ places: withheld, attestation });
}

/** What is given up of some nodes. */
export interface GivenUp {
  /** All but their headers. */
  readonly nodes: ReadonlySet<number>;
  /** What they say under these keys, by number. */
  readonly blanked: ReadonlyMap<number, ReadonlySet<number>>;
}

/** Nodes [from, to), whose runs are closed, as they are without what is given up of them. */
export async function packWithout(
  { nodes, blanked }: GivenUp,
  graph: Graph,
  [from, to]: readonly [from: number, to: number],
  seals: Seals,
  speaker: Speaker,
  lender: Lender,
): Promise<Uint8Array> {
  const places = rangeOf(from, to);
  const make = (): NodeTable => {
    const table = new NodeTable(to - from);
    const copy = new NodeCopy(graph.table, table);
    for (let node = from; node < to; node++) {
      const counter = graph.table.counter.get(node);
      const keys = blanked.get(node);
      if (nodes.has(node)) copy.copyHeader(node, counter);
      else if (keys) copyBlank(copy, node, counter, keys);
      else copy.copy(node, counter);
    }
    return table;
  };
  const table = await lender.lend(places, make, nodes);
  const { withheld } = table;
  const attestation = await giveWord(headersMessage(table, [...withheld.keys()], withheld), speaker);
  const kept = [...lastSeals(graph, places, seals)].sort(([a], [b]) => a - b);
  return writePack(
    table,
    allOf(table.size),
    kept.map(([node, seal]) => ({ index: node - from, signature: seal })),
    { places: withheld, attestation },
  );
}
