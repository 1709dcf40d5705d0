/** Elements of a text as runs: consecutive counters of one chain. What an edit remembers of what it inserted or deleted. */

export interface Element {
  readonly chain: number;
  readonly counter: number;
}

/** `count` elements from `counter` on. */
export interface Run extends Element {
  readonly count: number;
}

/** Deleted elements, and what they held: one code unit for each. */
export interface Cut extends Run {
  readonly text: string;
}

/** Elements in the place of which others were inserted, one for one, from `to` on. */
export interface Moved extends Run {
  readonly to: Element;
}

/** Adds a run behind others, as part of the last one where it goes on with that. */
export function append(runs: Run[], run: Run): void {
  const last = runs.at(-1);
  if (last && goesOn(last, run)) runs[runs.length - 1] = { ...last, count: last.count + run.count };
  else runs.push(run);
}

/** What was deleted at one place, as one list. */
export function joined(cuts: readonly Cut[], more: readonly Cut[]): Cut[] {
  const [last, first] = [cuts.at(-1), more[0]];
  if (!last || !first || !goesOn(last, first)) return [...cuts, ...more];
  const both = { ...last, count: last.count + first.count, text: last.text + first.text };
  return [...cuts.slice(0, -1), both, ...more.slice(1)];
}

function goesOn(last: Run, run: Run): boolean {
  return last.chain === run.chain && last.counter + last.count === run.counter;
}

export function lastOf({ chain, counter, count }: Run): Element {
  return { chain, counter: counter + count - 1 };
}

export function isSame(a: Element | undefined, b: Element | undefined): boolean {
  return a !== undefined && b !== undefined && a.chain === b.chain && a.counter === b.counter;
}

/** Finds among runs, none of which overlap, those with elements of a run. */
export class RunIndex<T extends Run> {
  readonly #byChain = new Map<number, T[]>();

  constructor(runs: Iterable<T>) {
    for (const run of runs) {
      const known = this.#byChain.get(run.chain);
      if (known) known.push(run);
      else this.#byChain.set(run.chain, [run]);
    }
    for (const known of this.#byChain.values()) known.sort((a, b) => a.counter - b.counter);
  }

  /** Parts of a run that indexed runs have too, by ascending counter, each with its indexed run. */
  *within({ chain, counter, count }: Run): Generator<{ readonly held: T; readonly common: Run }> {
    const runs = this.#byChain.get(chain) ?? [];
    let low = 0;
    for (let high = runs.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (runs[middle]!.counter + runs[middle]!.count <= counter) low = middle + 1;
      else high = middle;
    }
    for (; low < runs.length && runs[low]!.counter < counter + count; low++) {
      const held = runs[low]!;
      const from = Math.max(counter, held.counter);
      const to = Math.min(counter + count, held.counter + held.count);
      yield { held, common: { chain, counter: from, count: to - from } };
    }
  }
}

/** Parts of runs whose elements are not among others. */
export function without<T extends Run>(
  runs: readonly T[],
  others: RunIndex<Run>,
  part: (run: T, from: number, count: number) => T,
): T[] {
  const left: T[] = [];
  for (const run of runs) {
    let at = run.counter;
    const keep = (to: number): void => void (to > at && left.push(part(run, at, to - at)));
    for (const { common } of others.within(run)) {
      keep(common.counter);
      at = common.counter + common.count;
    }
    keep(run.counter + run.count);
  }
  return left;
}

/** Runs with new elements put for those that they stand for. */
export function follow(runs: readonly Run[], moved: RunIndex<Moved>): Run[] {
  const followed: Run[] = [];
  for (const { chain, counter, count } of runs) {
    let at = counter;
    for (const { held, common } of moved.within({ chain, counter, count })) {
      if (common.counter > at) append(followed, { chain, counter: at, count: common.counter - at });
      const offset = common.counter - held.counter;
      append(followed, { chain: held.to.chain, counter: held.to.counter + offset, count: common.count });
      at = common.counter + common.count;
    }
    if (at < counter + count) append(followed, { chain, counter: at, count: counter + count - at });
  }
  return followed;
}
