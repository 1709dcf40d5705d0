/**
 * A room as it was when a reconciliation began: how many nodes, its heads and its root. The graph may take in more
 * meanwhile; the answers of one reconciliation fit each other all the same.
 */
import { compareIds } from '../codec/nodes/compared-ids.js';
import { concatBytes } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { DIGEST_BYTES, DIGEST_WORDS, digestBytes, readWords } from '../codec/sha256/words.js';
import { lastAtMost } from '../graph/last-at-most.js';
import type { Chain, Graph } from '../graph/graph.js';
import { beyond } from './beyond.js';
import { heldAt } from './held.js';

export class Snapshot {
  readonly graph: Graph;
  readonly size: number;
  readonly heads: readonly number[];
  #root: Uint8Array | undefined;

  constructor(graph: Graph) {
    this.graph = graph;
    this.size = graph.settled;
    this.heads = graph.settledHeads.sort((a, b) => compareIds(graph.table, a, b));
  }

  /** SHA-256 of the sorted head ids, as [HS4] has it. Equal roots are equal rooms: a head names all that it stands on. */
  get root(): Uint8Array {
    return (this.#root ??= sha256(this.headIds));
  }

  /** Ids in their order, end to end. */
  get headIds(): Uint8Array {
    return concatBytes(this.heads.map((head) => this.idOf(head)));
  }

  idOf(node: number): Uint8Array {
    return digestBytes(this.graph.table.idWords(node), this.graph.table.idAt(node));
  }

  /** The numbers of ids that lie end to end; -1 for what is not held. */
  numbersOf(ids: Uint8Array): number[] {
    const words = new Int32Array(Math.floor(ids.length / DIGEST_BYTES) * DIGEST_WORDS);
    readWords(ids, 0, words, 0, words.length);
    const numbers: number[] = [];
    for (let at = 0; at < words.length; at += DIGEST_WORDS) {
      const node = heldAt(this.graph, words, at);
      numbers.push(node < this.size ? node : -1);
    }
    return numbers;
  }

  /** What somebody lacks who holds these. */
  beyond(held: Iterable<number>): number[] {
    return beyond(this.graph, this.size, this.heads, held);
  }

  /** The chains that have begun. */
  get chains(): readonly Chain[] {
    const { chains } = this.graph;
    let count = chains.length;
    while (count > 0 && chains[count - 1]!.nodes.get(0) >= this.size) count--;
    return count === chains.length ? chains : chains.slice(0, count);
  }

  /** Nodes of a chain. */
  lengthOf({ nodes }: Chain): number {
    return nodes.get(nodes.length - 1) < this.size ? nodes.length : lastAtMost(nodes, this.size - 1) + 1;
  }

  /** The xor of the first two words of these ids. */
  shortSum(nodes: readonly number[]): readonly [number, number] {
    const { table } = this.graph;
    let [first, second] = [0, 0];
    for (const node of nodes) {
      const words = table.idWords(node);
      const at = table.idAt(node);
      first ^= words[at]!;
      second ^= words[at + 1]!;
    }
    return [first, second];
  }
}
