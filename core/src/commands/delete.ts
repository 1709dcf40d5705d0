/** Deleting a room. Rules DE1 to DE3. */
import { z } from 'zod';
import { command } from '../contract/command.js';
import type { Deleted as Done } from '../contract/context.js';
import { hostCommand } from '../contract/host-command.js';
import { Rejection } from '../rejection.js';
import { Bytes, Count, Hex } from '../wire/scalars.js';

const Confirmed = z.object({
  confirm: z.unknown().optional().describe('Id of the room, once more: nothing brings it back.'),
});

const UnixMs = z.number().int().nonnegative();
const Deleted = z.object({
  genesis: Hex.describe('Id of the genesis of the room that is gone.'),
  canonical_seq: Count.describe('Nodes that it had.'),
  deleted_at: UnixMs.describe('Unix milliseconds.'),
  until: UnixMs.optional().describe('When there may be a room of that name again; absent: never.'),
  tombstone: Bytes.describe('What is left of it, signed by its authority: see DE2.'),
  blobs_deleted: Count.describe('Blobs that no other room has.'),
  bytes_deleted: Count.describe('Size of the deleted blobs together.'),
});

export const deleteRoom = command({
  type: 'room.delete',
  summary: 'Delete the room, with all its history and its blobs. Everybody who is in it is sent away.',
  requires: 'room.delete',
  in: Confirmed,
  out: { 'room.deleted': Deleted },
  refuses: ['reject.control_plane_forbidden', 'invalid-payload', 'reject.room_not_found', 'room-held'],
}).run(async ({ tenancy, identity, deleteRoom: carryOut, reply }, { confirm }) => {
  if (confirm !== tenancy.room.id)
    throw new Rejection('invalid-payload', 'room.delete: confirm must be the id of the room');
  return [reply('room.deleted', bodyOf(await carryOut(identity.pubkey)))];
});

export const hostDeleteRoom = hostCommand({
  variant: 'DeleteRoom',
  event: 'RoomDeleted',
  summary: deleteRoom.summary,
  in: Confirmed,
  out: Deleted,
}).run(async ({ ask }, confirmed) => Deleted.parse((await ask(deleteRoom, confirmed))[0]));

function bodyOf({ genesis, seq, at, until, tombstone, released }: Done): z.output<typeof Deleted> {
  return {
    genesis,
    canonical_seq: seq,
    deleted_at: at,
    ...(until === 0 ? {} : { until }),
    tombstone,
    blobs_deleted: released.blobs,
    bytes_deleted: released.bytes,
  };
}
