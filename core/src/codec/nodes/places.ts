/** Places of a table, ascending: which of its nodes are meant. */
import type { Places } from '../packs/pack-writer.js';

export function allOf(size: number): Places {
  return rangeOf(0, size);
}

export function rangeOf(from: number, to: number): Places {
  return {
    length: to - from,
    at: (index) => from + index,
    indexOf: (place) => (place >= from && place < to ? place - from : -1),
  };
}

export function listOf(places: readonly number[]): Places {
  const indices = new Map(places.map((place, index) => [place, index]));
  return {
    length: places.length,
    at: (index) => places[index] ?? -1,
    indexOf: (place) => indices.get(place) ?? -1,
  };
}
