import { backup } from './backup.js';
import type { AnyOperation } from './define.js';
import { gc } from './gc.js';

const table: readonly AnyOperation[] = [backup, gc];

export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  table.map((operation) => [operation.name, operation] as const),
);
