import { archiveDescribe, archiveExport, archiveImport, archiveValidate } from './archives.js';
import { backup } from './backup.js';
import { check } from './check.js';
import type { AnyOperation } from './define.js';
import { gc } from './gc.js';
import { replay } from './replay.js';
import { roomCompact, roomInspect, roomList, roomQuarantine, roomResume } from './rooms.js';
import { roomWatch } from './watch.js';

const table: readonly AnyOperation[] = [
  ...[backup, check, gc],
  ...[archiveDescribe, archiveExport, archiveImport, archiveValidate, replay],
  ...[roomCompact, roomInspect, roomList, roomQuarantine, roomResume, roomWatch],
];

export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  table.map((operation) => [operation.name, operation] as const),
);
