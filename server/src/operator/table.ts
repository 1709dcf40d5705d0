import { backup } from './backup.js';
import { check } from './check.js';
import type { AnyOperation } from './define.js';
import { gc } from './gc.js';
import { roomCompact, roomInspect, roomList, roomQuarantine, roomResume, roomWatch } from './rooms.js';

const table: readonly AnyOperation[] = [
  ...[backup, check, gc],
  ...[roomCompact, roomInspect, roomList, roomQuarantine, roomResume, roomWatch],
];

export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  table.map((operation) => [operation.name, operation] as const),
);
