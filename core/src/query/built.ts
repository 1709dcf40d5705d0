/** Projections whose rows are at hand. They are a cache: a projection whose rows are not is folded again. */
import type { Globs } from '../access/glob.js';
import { Pauses } from '../concurrency/pauses.js';
import { digestOf } from './digest.js';
import type { Checkpoint } from './fold.js';
import type { Row, Rows } from './rows.js';

/** What somebody may see of a projection. */
export interface Visible {
  readonly rows: readonly Row[];
  readonly digest: string;
}

/** Ways to see a part of one projection that are remembered. */
const VIEWS = 16;
/** Characters that all built projections of a room may take; a row takes some even when it has none. */
const KEPT = 96 * 1024 * 1024;
const ROW = 256;

export class Built {
  readonly spec: string;
  readonly version: string;
  readonly checkpoint: Checkpoint;
  /** The rows to go on from. */
  readonly rows: Rows;
  /** All rows in their order, those beyond the limit too. */
  readonly #sorted: readonly Row[];
  readonly #all: Visible;
  /** Visible rows by patterns, the ones asked for last at the end. */
  readonly #views = new Map<string, Promise<Visible>>();

  private constructor(
    parts: Pick<Built, 'spec' | 'version' | 'checkpoint' | 'rows'>,
    sorted: readonly Row[],
    all: Visible,
  ) {
    this.spec = parts.spec;
    this.version = parts.version;
    this.checkpoint = parts.checkpoint;
    this.rows = parts.rows;
    this.#sorted = sorted;
    this.#all = all;
  }

  static async of(spec: string, version: string, checkpoint: Checkpoint, rows: Rows): Promise<Built> {
    const sorted = rows.sorted();
    return new Built({ spec, version, checkpoint, rows }, sorted, await shown(sorted, rows));
  }

  get size(): number {
    return this.rows.units + this.#sorted.length * ROW;
  }

  /** Rows of keys that may be read. Neither digest nor limit tell anything of the others. */
  async visibleTo(readable: Globs | undefined): Promise<Visible> {
    if (!readable) return this.#all;
    const name = readable.patterns.join('\n');
    const view = this.#views.get(name) ?? this.#part(readable);
    this.#views.delete(name);
    this.#views.set(name, view);
    const [oldest] = this.#views.keys();
    if (this.#views.size > VIEWS && oldest !== undefined) this.#views.delete(oldest);
    return view;
  }

  async #part(readable: Globs): Promise<Visible> {
    const pauses = new Pauses();
    const rows: Row[] = [];
    for (const row of this.#sorted) {
      if (readable.matches(row.key)) rows.push(row);
      if (pauses.due(readable.patterns.length)) await pauses.take();
    }
    return shown(rows, this.rows);
  }
}

async function shown(sorted: readonly Row[], { query }: Rows): Promise<Visible> {
  const rows = sorted.slice(0, query.limit);
  return { rows, digest: await digestOf(rows) };
}

/** Cache of built projections: when they are too many, those go that were not asked for longest. */
export class BuiltCache {
  readonly #built = new Map<string, Built>();
  #size = 0;

  get(id: string): Built | undefined {
    const built = this.#built.get(id);
    if (!built) return undefined;
    this.#built.delete(id);
    this.#built.set(id, built);
    return built;
  }

  put(id: string, built: Built): void {
    this.#drop(id);
    this.#built.set(id, built);
    this.#size += built.size;
    for (const oldest of [...this.#built.keys()]) if (oldest !== id && this.#size > KEPT) this.#drop(oldest);
  }

  #drop(id: string): void {
    this.#size -= this.#built.get(id)?.size ?? 0;
    this.#built.delete(id);
  }
}
