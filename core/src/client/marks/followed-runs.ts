/**
 * Followed runs: what the marks of a text say, kept as the text is edited. While nobody marks anything, what is said of a character
 * stays; so an edit moves ranges and runs, and only of what was typed it is worked out what is said.
 */
import type { TextDelta } from '../../crdt/delta.js';
import {
  type MarkRun,
  type Marking,
  type Range,
  firstBehind,
  piecesOf,
  rangesOf,
  runsOfRanges,
  saysTooMuch,
  visiblePositions,
} from '../../crdt/mark-runs.js';
import type { Text } from '../../crdt/text.js';

/** Places of one delta that are followed one by one; beyond that all is worked out anew. */
const MOST_PLACES = 16;

/** Units that went and units that came at a position of the text as it was, and of the text as it is. */
interface Place {
  readonly was: number;
  readonly is: number;
  readonly gone: number;
  readonly typed: number;
}

type Movable<T extends { readonly from: number; readonly to: number }> = Omit<T, 'from' | 'to'> & {
  from: number;
  to: number;
};

export class FollowedRuns {
  readonly #text: Text;
  #ranges: Movable<Range>[] = [];
  #runs: Movable<MarkRun>[] = [];

  constructor(text: Text) {
    this.#text = text;
    this.refresh();
  }

  get runs(): readonly MarkRun[] {
    return this.#runs;
  }

  /** Works everything out anew. */
  refresh(): void {
    const { marks, sequence } = this.#text;
    this.#ranges = marks ? rangesOf(visiblePositions(sequence), marks.all()) : [];
    this.#runs = marks && !saysTooMuch(this.#ranges) ? runsOfRanges(marks, this.#ranges) : [];
  }

  /** Follows an edit of the text by somebody who marked nothing; false, and nothing is followed, where that takes more. */
  follow(delta: TextDelta): boolean {
    if (!this.#text.marks) return true;
    const places = placesOf(delta);
    // A text that says too much may say less with what went.
    if (places.length > MOST_PLACES || (this.#runs.length === 0 && this.#ranges.length > 0)) return false;
    if (!this.#moveRanges(places)) return false;
    for (const place of places) this.#moveRuns(place);
    return true;
  }

  /** False where a range holds something now that has held nothing: what is said may have become too much. */
  #moveRanges(places: readonly Place[]): boolean {
    const position = visiblePositions(this.#text.sequence);
    for (const range of this.#ranges) {
      const wasEmpty = range.from >= range.to;
      const { mark } = range;
      range.from = moved(range.from, places) ?? position(mark.from, true);
      range.to = moved(range.to, places) ?? position(mark.to, false);
      if (wasEmpty && range.from < range.to) return false;
    }
    return true;
  }

  #moveRuns({ is: at, gone, typed }: Place): void {
    const runs = this.#runs;
    const first = firstBehind(runs, at);
    const before = runs[first];
    const said = typed > 0 ? this.#saidOf(at, at + typed) : [];
    // What was typed within a run parts it.
    if (before && before.from < at && before.to > at + gone && typed > 0) {
      runs.splice(first, 0, { ...before, to: at });
      before.from = at + gone;
    }
    const after = at + gone;
    const shift = typed - gone;
    let behind = first;
    for (let i = first; i < runs.length; i++) {
      const run = runs[i]!;
      run.from = run.from < at ? run.from : Math.max(run.from, after) + shift;
      run.to = run.to <= at ? run.to : run.to <= after ? at : run.to + shift;
      if (run.from < at) behind = i + 1;
    }
    runs.splice(behind, 0, ...said);
    if (gone > 0) this.#runs = runs.filter((run) => run.from < run.to);
    this.#joinNear(at, said.length);
  }

  #saidOf(from: number, to: number): Movable<MarkRun>[] {
    const ranges = this.#ranges.filter((range) => range.from < to && range.to > from);
    return piecesOf(runsOfRanges(this.#text.marks!, ranges), from, to)
      .filter(({ marks }) => marks.size > 0)
      .map((run) => ({ ...run }));
  }

  /** Joins neighbours that the same writes speak of. */
  #joinNear(at: number, count: number): void {
    const runs = this.#runs;
    const near = firstBehind(runs, at - 1);
    for (let i = Math.min(near + count + 1, runs.length - 1); i > near; i--) {
      const [one, two] = [runs[i - 1]!, runs[i]!];
      if (one.to !== two.from || !isSame(one.marks, two.marks)) continue;
      one.to = two.to;
      runs.splice(i, 1);
    }
  }
}

function isSame(a: Marking, b: Marking): boolean {
  if (a.size !== b.size) return false;
  for (const [name, { mark }] of a) if (b.get(name)?.mark !== mark) return false;
  return true;
}

function placesOf(delta: TextDelta): Place[] {
  const places: Place[] = [];
  let [was, is] = [0, 0];
  for (const step of delta) {
    if ('retain' in step) {
      was += step.retain;
      is += step.retain;
      continue;
    }
    const last = places.at(-1);
    const isNext = last && last.was + last.gone === was && last.is + last.typed === is;
    const place = isNext ? places.pop()! : { was, is, gone: 0, typed: 0 };
    const [gone, typed] = 'insert' in step ? [0, step.insert.length] : [step.delete, 0];
    places.push({ ...place, gone: place.gone + gone, typed: place.typed + typed });
    was += gone;
    is += typed;
  }
  return places;
}

/** Where an end of a range is now; undefined where something was typed beside it, which may be on either side. */
function moved(position: number, places: readonly Place[]): number | undefined {
  let shift = 0;
  for (const { was, gone, typed } of places) {
    if (position < was) break;
    if (position <= was + gone) {
      if (typed > 0) return undefined;
      return was + shift;
    }
    shift += typed - gone;
  }
  return position + shift;
}
