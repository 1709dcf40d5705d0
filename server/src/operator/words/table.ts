/** All words, in the order in which help shows them. */
import { roomBlobs } from './blobs.js';
import { roomCompact } from './compact.js';
import { roomDelete } from './delete.js';
import { roomFork } from './fork.js';
import { roomInspect } from './inspect.js';
import { roomLock } from './lock.js';
import { roomPolicy } from './policy.js';
import { roomPromote } from './promote.js';
import { roomQuarantine } from './quarantine.js';
import { roomResume } from './resume.js';
import { roomRevoke } from './revoke.js';
import { sessionRecheck } from './session-recheck.js';
import { sessionRevoke } from './session-revoke.js';
import { roomTick } from './tick.js';
import { roomToken } from './token.js';
import { roomUnlock } from './unlock.js';
import { webhookAdd } from './webhook-add.js';
import { webhookList } from './webhook-list.js';
import { webhookRemove } from './webhook-remove.js';
import type { Word } from './word.js';

export const operatorWords: readonly Word[] = [
  ...[roomInspect, roomLock, roomUnlock, roomToken, roomRevoke, roomPolicy],
  ...[roomFork, roomPromote, roomTick, roomCompact, roomBlobs, roomQuarantine, roomResume, roomDelete],
  ...[sessionRevoke, sessionRecheck, webhookAdd, webhookList, webhookRemove],
];
