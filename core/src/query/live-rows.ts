/** Rows of a query as the room is: one for all who watch them, brought up to the room when somebody asks. [PJ11] */
import type { Globs } from '../access/glob.js';
import { Mutex } from '../concurrency/mutex.js';
import type { Room } from '../room/room.js';
import type { Query } from './descriptor.js';
import { lookUpTo } from './fold.js';
import { type Row, Rows } from './rows.js';

/** Rows that somebody may see, in their order; the same array as long as none of them has changed. */
export interface PresentRows {
  readonly seq: number;
  readonly rows: readonly Row[];
}

/** Ways to see a part of the rows that are remembered. */
const VIEWS = 16;

export class LiveRows {
  readonly #room: Room;
  readonly #query: Query;
  readonly #rows: Rows;
  readonly #mutex = new Mutex();
  #seq = 0;
  #sorted: readonly Row[] = [];
  readonly #views = new Map<string, readonly Row[]>();

  constructor(room: Room, query: Query) {
    this.#room = room;
    this.#query = query;
    this.#rows = new Rows(query);
  }

  /** The log position that they are of. */
  get seq(): number {
    return this.#seq;
  }

  /** Throws a `Rejection` where they are too many. */
  present(readable: Globs | undefined): Promise<PresentRows> {
    return this.#mutex.run(async () => {
      if (this.#seq < this.#room.seq) await this.#follow();
      return { seq: this.#seq, rows: this.#visibleTo(readable) };
    });
  }

  async #follow(): Promise<void> {
    const { written } = this.#room;
    const [from, end] = [this.#seq, this.#room.seq];
    if (!written.hasWritten(from, (key) => this.#query.mayTouch(key))) {
      this.#seq = end;
      return;
    }
    this.#seq = await lookUpTo(this.#room, this.#rows, from);
    this.#sorted = this.#rows.sorted();
    this.#views.clear();
  }

  #visibleTo(readable: Globs | undefined): readonly Row[] {
    const name = readable ? readable.patterns.join('\n') : '**';
    const known = this.#views.get(name);
    if (known) return known;
    const seen = readable ? this.#sorted.filter(({ key }) => readable.matches(key)) : this.#sorted;
    const rows = seen.slice(0, this.#query.limit);
    const [oldest] = this.#views.keys();
    if (this.#views.size >= VIEWS && oldest !== undefined) this.#views.delete(oldest);
    this.#views.set(name, rows);
    return rows;
  }
}
