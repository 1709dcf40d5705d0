/** Projections whose rows are at hand. They are a cache: a projection whose rows are not is folded again. */
import type { Globs } from '../access/glob.js';
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
/** Of a room, all together. */
const KEPT = { projections: 64, units: 128 * 1024 * 1024 } as const;

export class Built {
  readonly spec: string;
  readonly version: string;
  readonly checkpoint: Checkpoint;
  /** To go on from. */
  readonly rows: Rows;
  readonly #all: Visible;
  /** By patterns, the one asked for last at the end. */
  readonly #views = new Map<string, Promise<Visible>>();

  private constructor(spec: string, version: string, checkpoint: Checkpoint, rows: Rows, all: Visible) {
    this.spec = spec;
    this.version = version;
    this.checkpoint = checkpoint;
    this.rows = rows;
    this.#all = all;
  }

  static async of(spec: string, version: string, checkpoint: Checkpoint, rows: Rows): Promise<Built> {
    const sorted = rows.sorted();
    return new Built(spec, version, checkpoint, rows, { rows: sorted, digest: await digestOf(sorted) });
  }

  /** Rows of keys that may be read, with a digest that tells nothing of the others. */
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
    const rows = this.#all.rows.filter(({ key }) => readable.matches(key));
    return { rows, digest: await digestOf(rows) };
  }
}

/** Of those that are too many the ones go that were not asked for longest. */
export class BuiltCache {
  readonly #built = new Map<string, Built>();
  #units = 0;

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
    this.#units += built.rows.units;
    for (const oldest of [...this.#built.keys()]) {
      if (oldest === id || (this.#built.size <= KEPT.projections && this.#units <= KEPT.units)) return;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    this.#units -= this.#built.get(id)?.rows.units ?? 0;
    this.#built.delete(id);
  }
}
