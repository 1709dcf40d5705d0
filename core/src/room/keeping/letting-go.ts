/**
 * Letting go: values that were overwritten leave memory, and lie in the log alone from then on. [DV1]
 *
 * What has lost a register never wins again, so nothing of the present asks for it. Who reads the past has it read from the log,
 * and views of the past that somebody holds keep what they show. Memory, and what counts against the limit of a room, is what
 * lives, with what was overwritten lately.
 *
 * Nothing is written for it, so nothing is lost with the process: what opens from the log lets go anew.
 */
import { IntColumn } from '../../codec/bytes/columns.js';
import { BLOCK } from '../../codec/bytes/packed-numbers.js';
import { letGo } from '../../codec/nodes/dormant.js';
import { hasLost } from '../../crdt/dormant-winners.js';
import { packGraph } from '../../graph/saved-graph.js';
import type { Past } from '../reading/past.js';
import type { RoomState } from '../state/room-state.js';

/** Fewer bytes are not worth a pass over all columns, nor fewer than a part of all values, which are moved, or than there are ops. */
const LEAST_BYTES = 1024 * 1024;
const LEAST_PART = 1 / 16;
/** Fewer nodes are not worth packing. */
const LEAST_PACKED = 65_536;
/** Nodes that are looked at in one piece. */
const LOOKED_AT = 500_000;

export interface LettingGoParts {
  readonly state: RoomState;
  readonly past: Past;
  /** Bytes of overwritten values that are worth it, in place of the usual ones: 0 for any, infinite for a room that keeps all. */
  readonly leastDormant?: number | undefined;
}

export class LettingGo {
  readonly #state: RoomState;
  readonly #past: Past;
  /** Bytes that are worth it; undefined for the usual ones. */
  #least: number | undefined;
  /** Ops to be let go next, and the bytes of their values. */
  #ops = new IntColumn();
  #bytes = 0;
  /** Nodes that have lost something and were not looked at since. */
  #lost = new IntColumn();
  /** Nodes of which it is not noted whether they have lost something, since they were loaded, and how many were looked at. */
  #loaded = 0;
  #seen = 0;

  constructor({ state, past, leastDormant }: LettingGoParts) {
    this.#state = state;
    this.#past = past;
    this.#least = leastDormant;
    if (this.#least === Number.POSITIVE_INFINITY) return;
    this.#loaded = state.seq;
    state.values.lost = this.#lost;
  }

  /** Lets nothing go any more. */
  end(): void {
    this.#least = Number.POSITIVE_INFINITY;
    this.#state.values.lost = undefined;
    this.#ops = new IntColumn();
  }

  /** Lets go what was overwritten before a log position, if that is worth it. Only while all nodes are settled. */
  run(before: number): void {
    if (this.#least === Number.POSITIVE_INFINITY) return;
    this.#lookAt(before);
    const hasGone = this.#letGo();
    const { graph } = this.#state;
    const worth = this.#least === undefined ? Math.max(LEAST_PACKED, graph.size * LEAST_PART) : BLOCK;
    const end = before - graph.packed >= worth ? before : graph.packed;
    // What was let go has unpacked what it has changed.
    if (hasGone || end > graph.packed) packGraph(graph, end);
  }

  /** Whether anything was worth it. */
  #letGo(): boolean {
    const { table } = this.#state.graph;
    const least = this.#least ?? Math.max(LEAST_BYTES, table.content.length * LEAST_PART, table.ops);
    if (this.#bytes === 0 || this.#bytes < least) return false;
    const ops = this.#ops.values.subarray(0, this.#ops.length);
    this.#past.keep(ops);
    letGo(table, ops);
    this.#ops = new IntColumn();
    this.#bytes = 0;
    return true;
  }

  #lookAt(before: number): void {
    const { values } = this.#state;
    for (const end = Math.min(before, this.#loaded, this.#seen + LOOKED_AT); this.#seen < end; this.#seen++)
      this.#takeFrom(this.#seen);
    const nodes = new Set(this.#lost.values.subarray(0, this.#lost.length));
    this.#lost = new IntColumn();
    values.lost = this.#lost;
    for (const node of nodes) {
      if (node >= before) this.#lost.push(node);
      else this.#takeFrom(node);
    }
  }

  #takeFrom(node: number): void {
    const { graph, values } = this.#state;
    const { table } = graph;
    // What is left of a node that was erased in part is told with its header, and signed for.
    if (table.withheld.has(node)) return;
    for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) {
      if (!hasLost(values, op)) continue;
      this.#ops.push(op);
      this.#bytes += table.contentEnd.get(op) - table.contentStart(op);
    }
  }
}
