/**
 * Connections of each address and key, and rooms of theirs, at all processes of a cluster, for the bounds on them. Each process counts its own and tells the
 * others within the turn in which a count changed; a connection that comes costs nothing more here than in a process alone.
 *
 * A bound is passed by no more than what came in while that word was on its way. Where a process cannot be heard its word
 * is the last one, or what is counted here if that is more: taken to be pressed as hard as this one, until it is gone.
 *
 * The number of all connections is not among them: it is a bound on the memory of one process.
 */
export type Count = readonly [name: string, count: number];

export interface CountsParts {
  /** Adds to what the host has counted. */
  readonly heed: (name: string, by: number) => void;
  /** Tells every other process how many there are here of each name. */
  readonly tell: (counts: readonly Count[]) => void;
}

interface Others {
  isHeard: boolean;
  readonly told: Map<string, number>;
  /** What of it the host has been given. */
  readonly given: Map<string, number>;
}

export class Counts {
  readonly #parts: CountsParts;
  readonly #own = new Map<string, number>();
  readonly #others = new Map<string, Others>();
  readonly #changed = new Set<string>();

  constructor(parts: CountsParts) {
    this.#parts = parts;
  }

  /** A connection counts here from now on, or does not any more. */
  counted(name: string, by: 1 | -1): void {
    if (!/^(address|key)(-rooms|-begun)? /.test(name)) return;
    set(this.#own, name, (this.#own.get(name) ?? 0) + by);
    for (const others of this.#others.values()) if (!others.isHeard) this.#give(others, name);
    if (this.#changed.size === 0) setImmediate(() => this.#tell());
    this.#changed.add(name);
  }

  /** All that is counted here, for a process that has heard nothing yet. */
  get all(): readonly Count[] {
    return [...this.#own];
  }

  /** A process of the cluster, heard or not. What it tells first is all that it counts. */
  heard(process: string, isHeard: boolean): void {
    const others = this.#of(process);
    if (others.isHeard === isHeard) return;
    others.isHeard = isHeard;
    for (const name of new Set([...others.told.keys(), ...this.#own.keys()])) this.#give(others, name);
  }

  /** What a process tells: of these names, or of all that it counts. */
  told(process: string, counts: readonly Count[], isAll: boolean): void {
    const others = this.#of(process);
    const before = isAll ? [...others.told.keys()] : [];
    if (isAll) others.told.clear();
    for (const [name, count] of counts) set(others.told, name, count);
    for (const name of new Set([...before, ...counts.map(([name]) => name)])) this.#give(others, name);
  }

  /** A process has left: its connections are gone. */
  gone(process: string): void {
    const others = this.#others.get(process);
    if (!others) return;
    for (const [name, count] of others.given) this.#parts.heed(name, -count);
    this.#others.delete(process);
  }

  #of(process: string): Others {
    const others = this.#others.get(process) ?? { isHeard: true, told: new Map(), given: new Map() };
    this.#others.set(process, others);
    return others;
  }

  #give({ isHeard, told, given }: Others, name: string): void {
    const last = told.get(name) ?? 0;
    const count = isHeard ? last : Math.max(last, this.#own.get(name) ?? 0);
    const by = count - (given.get(name) ?? 0);
    if (by === 0) return;
    set(given, name, count);
    this.#parts.heed(name, by);
  }

  #tell(): void {
    const changed = [...this.#changed].map((name): Count => [name, this.#own.get(name) ?? 0]);
    this.#changed.clear();
    this.#parts.tell(changed);
  }
}

function set(counts: Map<string, number>, name: string, count: number): void {
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
