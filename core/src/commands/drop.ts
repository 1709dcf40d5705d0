/** Giving up history: what was overwritten, and what nobody shall know any more. Rules PN1 to PN4, VE1 to VE3. */
import { z } from 'zod';
import { command } from '../contract/command.js';
import { hostCommand } from '../contract/host-command.js';
import { Rejection } from '../rejection.js';
import { Count, Hex, NodeIdHex } from '../wire/scalars.js';

const Before = z.object({
  before: Count.optional().describe('Log position; what there is now when absent.'),
});
const Pruned = z.object({
  canonical_seq: Count.describe('The position.'),
  canonical_hash: Hex.describe('State hash there.'),
  nodes: Count.describe('Nodes of which only headers are left.'),
  bytes_before: Count.describe("Size of the room's log before."),
  bytes_after: Count.describe("Size of the room's log after."),
});

export const pruneHistory = command({
  type: 'history.prune',
  summary: 'Give up all values of registers that were overwritten before a position of the log. Everybody comes again.',
  requires: 'room.admin',
  in: Before,
  out: { 'history.pruned': Pruned },
  refuses: ['reject.control_plane_forbidden', 'invalid-payload', 'room-held'],
}).run(async ({ tenancy, identity, prune, reply }, { before = tenancy.room.seq }) => {
  const least = tenancy.room.facts.pruned?.seq ?? 0;
  if (before < least || before > tenancy.room.seq)
    throw new Rejection('invalid-payload', `history.prune: before is from ${least} to ${tenancy.room.seq}`);
  const { hash, nodes, bytesBefore, bytesAfter } = await prune(before, identity.pubkey);
  const sizes = { bytes_before: bytesBefore, bytes_after: bytesAfter };
  return [reply('history.pruned', { canonical_seq: before, canonical_hash: hash, nodes, ...sizes })];
});

const Key = z.object({
  key: z.string().min(1).describe('What it holds as register, text and list.'),
  nodes: z
    .array(NodeIdHex)
    .min(1)
    .max(1000)
    .optional()
    .describe('Only what these nodes have written there; all that was ever written when absent.'),
});
const Erased = z.object({
  key: z.string(),
  nodes: Count.describe('Nodes of which only headers are left.'),
  children: z.array(z.string()).describe('Child rooms that it was erased from too.'),
  left: z.array(z.string()).describe('Child rooms that still hold it, because they could not be emptied.'),
});

export const eraseValue = command({
  type: 'value.erase',
  summary: 'Take every value that a key has ever had out of the room and its children. Everybody comes again.',
  requires: 'room.admin',
  in: Key,
  out: { 'value.erased': Erased },
  refuses: ['reject.control_plane_forbidden', 'invalid-payload', 'room-held'],
}).run(async ({ tenancy, identity, erase, reply }, { key, nodes: only }) => {
  const some = only && new Set<string>(only);
  tenancy.room.erasable(key, some);
  const { nodes, children, left } = await erase(key, identity.pubkey, some);
  return [reply('value.erased', { key, nodes, children: [...children], left: [...left] })];
});

export const hostPruneHistory = hostCommand({
  variant: 'PruneHistory',
  event: 'HistoryPruned',
  summary: pruneHistory.summary,
  in: Before,
  out: Pruned,
}).run(async ({ ask }, before) => Pruned.parse((await ask(pruneHistory, before))[0]));

export const hostEraseValue = hostCommand({
  variant: 'EraseValue',
  event: 'ValueErased',
  summary: eraseValue.summary,
  in: Key,
  out: Erased,
}).run(async ({ ask }, key) => Erased.parse((await ask(eraseValue, key))[0]));
