/**
 * Retention: up to where a room's history is due to be given up without anybody asking. [PN5]
 *
 * By size, all of it, once values take so much and a quarter of that was overwritten: each time costs everybody in the room a
 * connection, so it has to be worth it. By age, what was overwritten for so long. When something was written is known from the
 * nodes of this host alone: theirs is the one clock in the log that no author sets. Where it has written none for a while, it
 * notes the time.
 */
import type { Past } from '../reading/past.js';
import { prunedIn } from '../state/given-up.js';
import type { RoomState } from '../state/room-state.js';
import type { Writer } from '../writing/writer.js';
import { bytesOf, lostBefore } from './lost-nodes.js';

/** Fact: what time it was. */
const TIME_KEY = '\0time';
/** History goes in so many steps within the time for which it is kept, and as often the time is noted. */
const STEPS = 8;
/** Share of all values that must have been overwritten. */
const WORTH = 1 / 4;
/** Share by which values must have grown before they are looked through again. */
const GROWTH = 1 / 16;

/** When history goes; 0: for no such reason. */
interface HistoryBounds {
  readonly historyBytes: number;
  readonly historyMs: number;
}

/** How far a chain of this host has been looked through. */
interface Walked {
  next: number;
  /** The last of its nodes that is old enough. */
  old: number;
}

export class Retention {
  readonly #state: RoomState;
  readonly #past: Past;
  readonly #writer: Pick<Writer, 'transact'>;
  readonly #walked = new Map<number, Walked>();
  /** Size of the values, and the position, at which too little was found. */
  #vainBytes = 0;
  #vainSeq = 0;

  constructor({ state, past, writer }: { state: RoomState; past: Past; writer: Pick<Writer, 'transact'> }) {
    this.#state = state;
    this.#past = past;
    this.#writer = writer;
  }

  /** Log position before which what was overwritten is to be given up now; undefined while nothing is. */
  async due(bounds: HistoryBounds, now: number): Promise<number | undefined> {
    return this.#dueBySize(bounds.historyBytes) ?? (await this.#dueByAge(bounds.historyMs, now));
  }

  /** Notes what time it is, if others have written since this host did so last and that was long ago. */
  async noteTime({ historyMs }: HistoryBounds, now: number): Promise<void> {
    const last = this.#lastOwn();
    if (historyMs === 0 || last.node === this.#state.seq - 1 || now - last.wallMs < historyMs / STEPS) return;
    await this.#writer.transact(() => ({ writes: [{ key: TIME_KEY, value: now }], result: undefined }));
  }

  #dueBySize(most: number): number | undefined {
    const { graph, seq } = this.#state;
    const size = graph.table.content.length + graph.table.dormantBytes;
    if (most === 0 || size < most || size < this.#vainBytes * (1 + GROWTH)) return undefined;
    if (bytesOf(graph, lostBefore(graph, seq, this.#past.present)) >= size * WORTH) return seq;
    this.#vainBytes = size;
    return undefined;
  }

  async #dueByAge(ms: number, now: number): Promise<number | undefined> {
    if (ms === 0) return undefined;
    const { graph, values } = this.#state;
    const pruned = prunedIn(values.registers);
    const before = this.#writtenBy(now - ms);
    if (before <= Math.max(pruned?.seq ?? 0, this.#vainSeq)) return undefined;
    if (pruned && now - pruned.at < ms / STEPS) return undefined;
    if (lostBefore(graph, before, await this.#past.at(before)).size > 0) return before;
    this.#vainSeq = before;
    return undefined;
  }

  /**
   * Log position of which this host knows that all before it was written by then. A clock that was set back for a while
   * says nothing: what stands behind a later time is not taken to be earlier.
   */
  #writtenBy(time: number): number {
    const { table } = this.#state.graph;
    let first = this.#state.seq;
    let old = 0;
    for (const { number, nodes } of this.#ownChains()) {
      const walked = this.#walked.get(number) ?? { next: 0, old: 0 };
      this.#walked.set(number, walked);
      for (; walked.next < nodes.length; walked.next++) {
        const node = nodes.get(walked.next);
        if (node >= this.#state.seq) break;
        const wallMs = table.walls.get(node);
        if (wallMs === undefined) continue;
        if (wallMs > time) {
          first = Math.min(first, node);
          break;
        }
        walked.old = node;
      }
      old = Math.max(old, walked.old);
    }
    return Math.min(old, first);
  }

  #lastOwn(): { readonly node: number; readonly wallMs: number } {
    const { table } = this.#state.graph;
    let [node, wallMs] = [-1, 0];
    for (const { nodes } of this.#ownChains()) {
      node = Math.max(node, nodes.get(nodes.length - 1));
      for (let i = nodes.length - 1, known: number | undefined; i >= 0 && known === undefined; i--) {
        known = table.walls.get(nodes.get(i));
        wallMs = Math.max(wallMs, known ?? 0);
      }
    }
    return { node, wallMs };
  }

  *#ownChains() {
    const { graph, speakers } = this.#state;
    speakers.follow();
    for (const [number, { identity, nodes }] of graph.chains.entries()) {
      if (speakers.voiceNow(graph.table.identities.list[identity]!.authorName).speaks) yield { number, nodes };
    }
  }
}
