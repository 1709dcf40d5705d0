/**
 * Lists a page at a time. A list that is asked for without `limit` is given whole, as it always was; a cursor names the item
 * that the page before ended with, so what comes or goes meanwhile repeats nothing.
 */
import { z } from 'zod';
import { inTurns } from '../../record/ledger/in-turns.js';
import { refusal } from '../../reasons.js';

export const LIST_FIELDS = {
  limit: z.number().int().min(1).max(1000).optional().describe('Items on a page. Default: all.'),
  cursor: z.string().min(1).max(400).optional().describe('Where it begins: what the page before gave.'),
};

const Items = z.array(z.unknown());

/** Items, and what is shown of those on the page that is asked for. Their fields name them as what is shown does. */
export class Shown<View> {
  readonly items: readonly unknown[];
  readonly show: (item: unknown) => unknown;
  /** Only for the compiler: a list of these is what the operation gives. */
  declare readonly view: View;

  private constructor(items: readonly unknown[], show: (item: unknown) => unknown) {
    this.items = items;
    this.show = show;
  }

  static of<Item, View>(items: readonly Item[], show: (item: Item) => View): Shown<View> {
    // It is shown nothing but its own items.
    return new Shown<View>(items, (item) => show(item as Item));
  }
}

export async function pageOf(
  result: unknown,
  field: string,
  { limit, cursor }: Readonly<Record<string, unknown>>,
): Promise<{ readonly items: readonly unknown[]; readonly next?: string }> {
  const { items: all, show } = result instanceof Shown ? result : { items: Items.parse(result), show: itself };
  const from = typeof cursor === 'string' ? indexAfter(all, field, cursor) : 0;
  if (typeof limit !== 'number') return { items: await inTurns(all.slice(from), show) };
  const page = all.slice(from, from + limit);
  const items = await inTurns(page, show);
  const isWhole = from + limit >= all.length;
  return isWhole ? { items } : { items, next: Buffer.from(nameOf(page.at(-1), field)).toString('base64url') };
}

function indexAfter(all: readonly unknown[], field: string, cursor: string): number {
  const name = Buffer.from(cursor, 'base64url').toString();
  const place = all.findIndex((item) => nameOf(item, field) === name);
  if (place >= 0) return place + 1;
  throw refusal('reject.invalid_input', 'cursor: the item that it names is not in this list any more; begin again', [
    { field: 'cursor', message: 'names nothing in this list' },
  ]);
}

function nameOf(item: unknown, field: string): string {
  return String(typeof item === 'object' && item !== null ? Reflect.get(item, field) : item);
}

function itself(item: unknown): unknown {
  return item;
}
