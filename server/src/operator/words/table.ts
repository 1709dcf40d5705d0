/** All words, in the order in which help shows them. */
import { roomArchive, roomRestore } from './archives.js';
import { roomBlobs } from './blobs.js';
import { roomCompact } from './compact.js';
import { roomDelete } from './delete.js';
import { roomFork } from './fork.js';
import { roomGraph } from './graph.js';
import { roomInspect } from './inspect.js';
import { roomKeys } from './keys.js';
import { roomLineage } from './lineage.js';
import { roomLock } from './lock.js';
import { roomMay } from './may.js';
import { roomPeers } from './peers.js';
import { roomPolicy } from './policy.js';
import { roomPromote } from './promote.js';
import { roomPrune } from './prune.js';
import { roomQuarantine } from './quarantine.js';
import { roomResume } from './resume.js';
import { roomRevoke } from './revoke.js';
import { sessionRecheck } from './session-recheck.js';
import { sessionRevoke } from './session-revoke.js';
import { roomText } from './text.js';
import { roomTick } from './tick.js';
import { roomToken } from './token.js';
import { roomUnlock } from './unlock.js';
import { webhookAdd } from './webhook-add.js';
import { webhookList } from './webhook-list.js';
import { webhookRemove } from './webhook-remove.js';
import { roomWhy } from './why.js';
import type { Word } from './word.js';

export const operatorWords: readonly Word[] = [
  ...[roomInspect, roomPeers, roomKeys, roomWhy, roomText, roomGraph, roomLineage],
  ...[roomLock, roomUnlock, roomToken, roomRevoke, roomPolicy, roomMay],
  ...[roomFork, roomPromote, roomTick, roomCompact, roomPrune, roomBlobs],
  ...[roomArchive, roomRestore, roomQuarantine, roomResume, roomDelete],
  ...[sessionRevoke, sessionRecheck, webhookAdd, webhookList, webhookRemove],
];
