/** What batteries are made of: cases that throw when a store breaks its word, and need no test framework. */
import type { Store } from '../../ports/store.js';

/** Opens a store on the same place each time it is called within one case; a fresh place for each case. */
export type OpenStore = () => Promise<Store>;

export interface BatteryCase {
  readonly name: string;
  /** Whether what was written must outlive `close`: memory stores run only the cases without. */
  readonly durable: boolean;
  run(open: OpenStore): Promise<void>;
}

export async function using(open: OpenStore, use: (store: Store) => Promise<void>): Promise<void> {
  const store = await open();
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export function same(found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`expected ${String(expected)}, found ${String(found)}`);
}
