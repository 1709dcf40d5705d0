/** Parts of lists that grow with the record: those that have some words, and of them the newest. */
import { z } from 'zod';
import { inTurns } from '../../record/ledger/in-turns.js';

export const NARROW_FIELDS = {
  words: z.string().min(1).max(200).optional().describe('Only those with all of these words.'),
  newest: z.number().int().min(1).max(1000).optional().describe('Only so many, the newest.'),
};

interface Narrow {
  readonly words?: string | undefined;
  readonly newest?: number | undefined;
}

/** Items, oldest first as they come, whose text has all words in any order and case. */
export async function narrowed<Item>(
  items: readonly Item[],
  { words, newest }: Narrow,
  textOf: (item: Item) => string,
): Promise<readonly Item[]> {
  const wanted = (words ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const has = (item: Item): boolean => {
    const text = textOf(item).toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  const found = wanted.length === 0 ? items : (await inTurns(items, (item) => (has(item) ? [item] : []))).flat();
  return newestOf(found, newest);
}

/** The last so many of a list whose oldest item comes first; all where nobody says how many. */
export function newestOf<Item>(items: readonly Item[], newest: number | undefined): Item[] {
  return items.slice(newest === undefined ? 0 : -newest);
}
