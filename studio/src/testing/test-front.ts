import { createFront } from '../doors/front.js';
import type { Front } from '../doors/front.js';
import { createGuard } from '../doors/guard.js';
import { TokenBook, newSecret } from '../doors/token-book.js';
import { WEBHOOK_DEFAULTS, WebhookSender } from '../doors/webhook-sender.js';
import type { Shared } from '../operations/context.js';
import { KeyedLane } from '../operations/keyed-lane.js';
import { operationTable } from '../operations/table.js';
import { nodeGit } from '../workspace/node-git.js';
import { type TestLedger, openTestLedger } from './test-ledger.js';
import { testTokens } from './test-studio.js';

/** All doors without a socket, for tests that ask very much of them. */
export async function openTestFront(
  whenDone?: (close: () => Promise<void>) => void,
): Promise<TestLedger & { front: Front; shared: Shared }> {
  const opened = await openTestLedger(undefined, {}, whenDone);
  const { ledger, records, log } = opened;
  const now = () => new Date().toISOString();
  let ids = 0;
  const shared: Shared = {
    ...{ ledger, records, git: nodeGit, lane: new KeyedLane(), webhooks: new WebhookSender('', WEBHOOK_DEFAULTS) },
    ...{ log: (entry) => log.push(entry), now, newId: (prefix) => `${prefix}other-${++ids}`, newSecret },
  };
  const book = new TokenBook(testTokens, records.tokens, now);
  const front = createFront(operationTable, shared, createGuard(book, []), { perSecond: 1e9, burst: 1e9 });
  return { ...opened, front, shared };
}
