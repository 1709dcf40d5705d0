/**
 * Conflicts as data: what somebody wrote without having seen what won over it. [CF1]
 *
 * Only writes that did not know each other count; overwriting what one has seen is no conflict. The newest are kept.
 */
import type { ByteReader } from '../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../codec/bytes/byte-writer.js';
import type { Graph } from '../graph/graph.js';
import type { NodeId } from '../graph/node.js';

export interface Conflict {
  readonly kind: 'overwrite' | 'move';
  /** The key of the register, or of the list. */
  readonly key: string;
  readonly winner: NodeId;
  readonly loser: NodeId;
}

/** A conflict in the numbers of a graph. */
interface Entry {
  readonly kind: Conflict['kind'];
  readonly key: number;
  readonly winner: number;
  readonly loser: number;
}

const KEPT = 1024;

export class Conflicts {
  readonly #graph: Graph;
  #entries: Entry[] = [];
  #counted = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  clear(): void {
    this.#entries = [];
  }

  /** How many there have been. */
  get counted(): number {
    return this.#counted;
  }

  /** Oldest first. */
  get all(): readonly Conflict[] {
    return this.#newest(KEPT);
  }

  /** Conflicts that came when so many had been counted. */
  after(counted: number): readonly Conflict[] {
    return this.#newest(Math.min(this.#counted - counted, KEPT));
  }

  #newest(count: number): readonly Conflict[] {
    return this.#entries
      .slice(this.#entries.length - Math.min(count, this.#entries.length))
      .map(({ kind, key, winner, loser }) => ({
        kind,
        key: this.#graph.table.keys.names[key]!,
        winner: this.#graph.idOf(winner),
        loser: this.#graph.idOf(loser),
      }));
  }

  /** Nodes that lost to a node for a key, oldest first. */
  losersTo(key: number, winner: number): number[] {
    const won = this.#entries.slice(-KEPT).filter((entry) => entry.key === key && entry.winner === winner);
    return won.map(({ loser }) => loser);
  }

  /** Nodes that have won or lost a register. */
  contenders(key: number): number[] {
    const met = this.#entries.slice(-KEPT).filter((entry) => entry.key === key && entry.kind === 'overwrite');
    return [...new Set(met.flatMap(({ winner, loser }) => [winner, loser]))];
  }

  save(out: ByteWriter): void {
    const kept = this.#entries.slice(-KEPT);
    out.varint(kept.length);
    for (const { kind, key, winner, loser } of kept) {
      out.byte(kind === 'move' ? 1 : 0);
      for (const number of [key, winner, loser]) out.varint(number);
    }
  }

  load(input: ByteReader): void {
    for (let left = input.count(4, KEPT); left > 0; left--) {
      this.add(input.byte() === 1 ? 'move' : 'overwrite', input.varint(), input.varint(), input.varint());
    }
  }

  add(kind: Conflict['kind'], key: number, winner: number, loser: number): void {
    this.#counted++;
    this.#entries.push({ kind, key, winner, loser });
    if (this.#entries.length > 2 * KEPT) this.#entries = this.#entries.slice(-KEPT);
  }
}
