import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createFront } from '../../doors/front.js';
import type { Front } from '../../doors/front.js';
import { createGuard } from '../../doors/entry/guard.js';
import { TokenBook } from '../../doors/entry/token-book.js';
import type { OperationParts } from '../../operations/kernel/context.js';
import { operationTable } from '../../operations/table.js';
import { type TestLedger, openTestLedger } from '../record/test-ledger.js';
import { testTokens } from '../test-studio.js';
import { testShared } from '../record/test-shared.js';

/** All doors without a socket, for tests that ask very much of them. */
export async function openTestFront(
  whenDone?: (close: () => Promise<void>) => void,
  others: Partial<OperationParts> = {},
): Promise<TestLedger & { front: Front; shared: OperationParts; book: TokenBook }> {
  const opened = await openTestLedger(undefined, {}, whenDone);
  const folder = await mkdtemp(join(tmpdir(), 'weft-front-'));
  (whenDone ?? onTestFinished)(() => rm(folder, { recursive: true, force: true }));
  const shared = await testShared({ ...opened, folder }, others);
  return { ...opened, shared, ...frontOver(shared) };
}

/** All doors over what the calls of a test share. */
export function frontOver(shared: OperationParts): { front: Front; book: TokenBook } {
  const book = new TokenBook(testTokens, shared.records.tokens, shared.now);
  const guard = createGuard(book, []);
  const front = createFront({ table: operationTable, shared, guard, limit: { perSecond: 1e9, burst: 1e9 } });
  return { front, book };
}
