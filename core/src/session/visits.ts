/** Visits of other rooms than the one that a peer is in, as far as its rights hold there too. */
import { ROOM_CREATE } from '../access/entry.js';
import { type Rights, SERVER } from '../access/rights.js';
import type { Command } from '../contract/command.js';
import { type RoomId, isReserved } from '../codec/bytes/room-id.js';
import type { Rooms } from '../host/rooms.js';
import { Rejection, forbidden } from '../rejection.js';
import type { Lease } from '../tenancy/tenancy.js';

/** Command for which a room is visited: whoever may not be there lacks its capability there. */
export type Asked = Pick<Command, 'type' | 'requires'>;

/** Rights that the server's admin key has given hold in all rooms; those of a room's key where the same key locks. */
export async function visit(
  rooms: Rooms,
  { issuer, proven, capabilities }: Rights,
  id: string,
  command: Asked,
): Promise<Lease> {
  if (isReserved(id as RoomId)) throw new Rejection('room-reserved', 'auth: room locked');
  const lease = await rooms.lease(id);
  if (lease.tenancy.room.seq === 0 && !rooms.parts.entry.mayCreate(id, { capabilities })) {
    lease.release();
    throw forbidden(command.type, ROOM_CREATE, id);
  }
  if (proven && issuer !== undefined && (issuer === SERVER || issuer === lease.tenancy.room.facts.lock)) return lease;
  lease.release();
  throw forbidden(command.type, command.requires ?? 'room.admin', id);
}

/** Rejects as `visit` does, without opening the room: it may be gone, or shut. */
export async function mayVisit(rooms: Rooms, rights: Rights, id: string, command: Asked): Promise<void> {
  const { issuer, proven } = rights;
  if (!proven || issuer !== SERVER || isReserved(id as RoomId)) (await visit(rooms, rights, id, command)).release();
}
