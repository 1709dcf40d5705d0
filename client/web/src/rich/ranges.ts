/** Ranges of a document that transactions have changed: as they were, and as they are. */
import type { Node } from 'prosemirror-model';
import { Mapping, type StepMap } from 'prosemirror-transform';

export interface ChangedRange {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

/** In order, none touching another. Steps that only mark have changed no range. */
export function rangesOf(maps: readonly StepMap[]): ChangedRange[] {
  const mapping = new Mapping(maps);
  const back = mapping.invert();
  const ranges: { from: number; to: number }[] = [];
  for (const [index, map] of maps.entries()) {
    const rest = mapping.slice(index + 1);
    map.forEach((_from, _to, from, to) => void ranges.push({ from: rest.map(from, -1), to: rest.map(to, 1) }));
  }
  ranges.sort((a, b) => a.from - b.from || a.to - b.to);
  const changed: ChangedRange[] = [];
  for (const { from, to } of ranges) {
    const range = { fromA: back.map(from, -1), toA: back.map(to, 1), fromB: from, toB: to };
    const last = changed.at(-1);
    if (last && (range.fromB <= last.toB || range.fromA <= last.toA))
      changed[changed.length - 1] = {
        fromA: Math.min(last.fromA, range.fromA),
        toA: Math.max(last.toA, range.toA),
        fromB: last.fromB,
        toB: Math.max(last.toB, range.toB),
      };
    else changed.push(range);
  }
  return changed;
}

/** The one range that lies between two documents of which nothing else is known; none where they are equal. */
export function rangeBetween(a: Node, b: Node): ChangedRange | undefined {
  const from = a.content.findDiffStart(b.content);
  const ends = a.content.findDiffEnd(b.content);
  if (from === null || !ends) return undefined;
  // What is alike may be counted for both ends.
  const more = Math.max(0, from - Math.min(ends.a, ends.b));
  return { fromA: from, toA: ends.a + more, fromB: from, toB: ends.b + more };
}
