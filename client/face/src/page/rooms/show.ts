/** Sizes, keys and authors as people read them. */
import { visible } from '../parts/text.js';

export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB'] as const;
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  const shown = count / 1000 ** step;
  return `${step === 0 ? shown : shown.toFixed(shown < 10 ? 1 : 0)} ${units[step]}`;
}

/** A key as people tell it from others. */
export function shortKey(key: string): string {
  return visible(key.length > 16 ? `${key.slice(0, 12)}…` : key);
}

/** Number of colours for authors, as the style sheet has them. */
const COLOURS = 8;

/** Colours that authors of the room have been given: of as many as there are colours, no two have one. */
const given = new Map<string, number>();

/** Place among the colours: the same author has the same in every view of a room. */
export function colourOf(author: string): number {
  const known = given.get(author);
  if (known !== undefined) return known;
  const wanted = Number.parseInt(author.slice(0, 6), 16) % COLOURS || 0;
  if (given.size === COLOURS) return wanted;
  const taken = new Set(given.values());
  let colour = wanted;
  while (taken.has(colour)) colour = (colour + 1) % COLOURS;
  given.set(author, colour);
  return colour;
}

/** Takes all colours back, for another room. */
export function freshColours(): void {
  given.clear();
}
