import { backup } from './backup.js';
import type { Operation } from './define.js';

const table = [backup];

export const operations: ReadonlyMap<string, Operation> = new Map(
  table.map((operation): [string, Operation] => [operation.name, operation as Operation]),
);
