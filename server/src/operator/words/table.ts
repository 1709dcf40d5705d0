/** All words, in the order in which help shows them. */
import { authorityStatus } from './rights/authority-status.js';
import { roomArchive, roomRestore } from './keeping/archives.js';
import { roomBlobs } from './keeping/blobs.js';
import { roomCompact } from './keeping/compact.js';
import { roomDelete } from './keeping/delete.js';
import { roomErase } from './keeping/erase.js';
import { roomFork } from './topology/fork.js';
import { roomGraph } from './reading/graph.js';
import { roomInspect } from './reading/inspect.js';
import { roomKeys } from './reading/keys.js';
import { roomLineage } from './reading/lineage.js';
import { roomLock } from './rights/lock.js';
import { roomMay } from './rights/may.js';
import { roomPeers } from './reading/peers.js';
import { roomPolicy } from './rights/policy.js';
import { roomPromote } from './topology/promote.js';
import { roomPrune } from './keeping/prune.js';
import { roomQuarantine } from './keeping/quarantine.js';
import { roomResume } from './keeping/resume.js';
import { roomRevoke } from './rights/revoke.js';
import { roomRevokeKeys } from './rights/revoke-keys.js';
import { sessionRecheck } from './rights/session-recheck.js';
import { sessionRevoke } from './rights/session-revoke.js';
import { roomText } from './reading/text.js';
import { roomTick } from './topology/tick.js';
import { roomToken } from './rights/token.js';
import { roomUnlock } from './rights/unlock.js';
import { webhookAdd } from './webhooks/webhook-add.js';
import { webhookList } from './webhooks/webhook-list.js';
import { webhookRemove } from './webhooks/webhook-remove.js';
import { roomWhy } from './reading/why.js';
import type { Word } from './word.js';

export const operatorWords: readonly Word[] = [
  ...[roomInspect, roomPeers, roomKeys, roomWhy, roomText, roomGraph, roomLineage],
  ...[roomLock, roomUnlock, roomToken, roomRevoke, roomRevokeKeys, roomPolicy, roomMay],
  ...[roomFork, roomPromote, roomTick, roomCompact, roomPrune, roomErase, roomBlobs],
  ...[roomArchive, roomRestore, roomQuarantine, roomResume, roomDelete],
  ...[sessionRevoke, sessionRecheck, webhookAdd, webhookList, webhookRemove, authorityStatus],
];
