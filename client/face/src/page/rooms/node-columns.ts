/** The graph of a room in typed columns, read a page at a time: who wrote each node, what it stands on, what is special about it. */
import { say } from './client.js';

const PAGE = 20_000;

export class GraphData {
  readonly room: string;
  /** Public keys; nodes name them by place. */
  readonly authors: string[] = [];
  readonly ids: string[] = [];
  /** Nodes that are here. */
  size = 0;
  /** Nodes that the room had when it was last asked. */
  nodes = 0;
  lane = new Uint16Array(0);
  sealed = new Uint8Array(0);
  /** End of each node's parents in `parents`. */
  ends = new Int32Array(0);
  parents = new Int32Array(0);
  /** Positions of nodes that fork their author's line. */
  forked: ReadonlySet<number> = new Set();
  #forkIds: ReadonlySet<string> = new Set();
  readonly #places = new Map<string, number>();

  constructor(room: string) {
    this.room = room;
  }

  /** Reads what is not here yet. `told` hears of each page; ends early when it answers false. */
  async read(told: () => boolean): Promise<void> {
    do {
      const page = await say('room-graph', { room: this.room, from: this.size, most: PAGE });
      this.#add(page);
      if (!told() || page.author.length === 0) return;
    } while (this.size < this.nodes);
  }

  #add(page: Awaited<ReturnType<typeof say<'room-graph'>>>): void {
    const { authors, author, parents, sealed, ids, forks, nodes } = page;
    const lanes = authors.map((key) => this.#place(key));
    const end = this.size + author.length;
    const known = this.ends[this.size - 1] ?? 0;
    const more = parents.reduce((sum, { length }) => sum + length, 0);
    this.lane = grown(this.lane, new Uint16Array(end));
    this.sealed = grown(this.sealed, new Uint8Array(end));
    this.ends = grown(this.ends, new Int32Array(end));
    this.parents = grown(this.parents, new Int32Array(known + more));
    let at = known;
    for (const [place, stands] of parents.entries()) {
      for (const parent of stands) this.parents[at++] = parent;
      this.ends[this.size + place] = at;
      this.lane[this.size + place] = lanes[author[place] ?? 0] ?? 0;
    }
    for (const seq of sealed) this.sealed[seq] = 1;
    this.ids.push(...ids);
    this.size = end;
    this.nodes = nodes;
    this.#forkIds = new Set(forks.flatMap((fork) => fork.nodes));
    if (this.#forkIds.size > 0)
      this.forked = new Set(this.ids.flatMap((id, seq) => (this.#forkIds.has(id) ? [seq] : [])));
  }

  #place(key: string): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.authors.length);
    return this.authors.push(key) - 1;
  }

  /** Positions that a node stands on. */
  parentsOf(seq: number): readonly number[] {
    return [...this.parents.subarray(this.ends[seq - 1] ?? 0, this.ends[seq] ?? 0)];
  }
}

function grown<T extends Uint8Array | Uint16Array | Int32Array>(before: T, after: T): T {
  after.set(before);
  return after;
}
