/**
 * Lists a page at a time. A list that is asked for without `limit` is given whole, as it always was; a cursor names the item
 * that the page before ended with, so what comes or goes meanwhile repeats nothing.
 */
import { z } from 'zod';
import { refusal } from '../reasons.js';

export const LIST_FIELDS = {
  limit: z.number().int().min(1).max(1000).optional().describe('Items on a page. Default: all of them.'),
  cursor: z.string().min(1).max(400).optional().describe('Where the page begins: what the page before gave for it.'),
};

const Item = z.record(z.string(), z.unknown());
const Items = z.array(z.unknown());

export function pageOf(
  result: unknown,
  field: string,
  { limit, cursor }: Readonly<Record<string, unknown>>,
): { readonly items: readonly unknown[]; readonly next?: string } {
  const all = Items.parse(result);
  const from = typeof cursor === 'string' ? placeBehind(all, field, cursor) : 0;
  if (typeof limit !== 'number') return { items: all.slice(from) };
  const items = all.slice(from, from + limit);
  const isWhole = from + limit >= all.length;
  return isWhole ? { items } : { items, next: Buffer.from(nameOf(items.at(-1), field)).toString('base64url') };
}

function placeBehind(all: readonly unknown[], field: string, cursor: string): number {
  const name = Buffer.from(cursor, 'base64url').toString();
  const place = all.findIndex((item) => nameOf(item, field) === name);
  if (place >= 0) return place + 1;
  throw refusal('reject.invalid_input', 'cursor: the item that it names is not in this list any more; begin again', [
    { field: 'cursor', message: 'names nothing in this list' },
  ]);
}

function nameOf(item: unknown, field: string): string {
  if (typeof item === 'string') return item;
  return String(Item.parse(item)[field]);
}
