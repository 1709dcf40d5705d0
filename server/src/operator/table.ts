import { archiveDescribe, archiveExport, archiveImport, archiveValidate } from './archives.js';
import { backup } from './backup.js';
import { check } from './check.js';
import { cold } from './cold.js';
import type { AnyOperation } from './define.js';
import { gc } from './gc.js';
import { replay } from './replay.js';
import { roomList } from './rooms.js';
import { roomWatch } from './watch.js';
import { operatorWords } from './words/table.js';

const table: readonly AnyOperation[] = [
  ...[backup, check, cold, gc],
  ...[archiveDescribe, archiveExport, archiveImport, archiveValidate, replay],
  ...[roomList, roomWatch],
  ...operatorWords,
];

export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  table.map((operation) => [operation.name, operation] as const),
);
