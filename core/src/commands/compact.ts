/** Making a room cheap to keep. Rules CP1 to CP4. */
import { z } from 'zod';
import { command } from '../contract/command.js';
import { hostCommand } from '../contract/host-command.js';
import { forbidden } from '../rejection.js';
import { Bytes, Count, Hex } from '../wire/scalars.js';

/** Bytes of a snapshot in one frame. */
const PART_BYTES = 512 * 1024;

const Ack = z.object({
  snapshot_hash: Hex,
  canonical_seq: Count.describe('Nodes that the snapshot stands for.'),
  bytes_before: Count.describe("Size of the room's log before."),
  bytes_after: Count.describe("Size of the room's log after."),
});

export const compactRoom = command({
  type: 'compact-room',
  summary:
    'Compact the room: all peers who may read everything are sent a snapshot, at most once a minute; no answer changes by it.',
  in: z.object({}),
  out: {
    'snapshot-pack': z.object({
      pack_b64: Bytes.describe('The snapshot, or this part of it.'),
      snapshot_hash: Hex.describe('SHA-256 of the whole snapshot.'),
      frontier: z.array(Hex).describe('The heads that it goes up to.'),
      part: Count.describe('Number of this part, from 1.'),
      parts: Count.describe('How many there are.'),
    }),
    'compact-ack': Ack,
  },
  refuses: ['reject.control_plane_forbidden', 'compact-failed', 'rate-limit'],
}).run(async ({ tenancy, rights, frame, reply }) => {
  const { room } = tenancy;
  if (room.facts.lock !== undefined && !rights.capabilities.has('room.admin'))
    throw forbidden('compact-room', 'room.admin');
  const { snapshot, hash, frontier, seq, bytesBefore, bytesAfter, isNews } = await room.compact();
  const ack = { snapshot_hash: hash, canonical_seq: seq, bytes_before: bytesBefore, bytes_after: bytesAfter };
  if (!isNews) return [reply('compact-ack', ack)];
  const parts = Math.ceil(snapshot.length / PART_BYTES);
  const frames = Array.from({ length: parts }, (_, i) =>
    frame('snapshot-pack', {
      pack_b64: snapshot.subarray(i * PART_BYTES, (i + 1) * PART_BYTES),
      snapshot_hash: hash,
      frontier: [...frontier],
      part: i + 1,
      parts,
    }),
  );
  // Whoever may not read everything may not have it all at once either.
  return [{ kind: 'stream', frames, hears: ({ read }) => read === undefined, reply: frame('compact-ack', ack) }];
});

export const hostCompactRoom = hostCommand({
  variant: 'CompactRoom',
  event: 'RoomCompacted',
  summary: compactRoom.summary,
  in: z.object({}),
  out: Ack,
}).run(async ({ ask }) => Ack.parse((await ask(compactRoom, {}))[0]));
