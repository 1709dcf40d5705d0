/** Names of archives: `file://<path>`, `object://<bucket>/<key>`, or `room://<room>` for a room of this server. [AR1] */
import { type RoomId, isReserved, parseRoomId } from '../codec/bytes/room-id.js';
import { refused } from './refusal.js';

export interface RoomRef {
  readonly scheme: 'room';
  readonly room: RoomId;
}

export type ArchiveRef =
  | RoomRef
  /** `name` means what the store of that scheme makes of it. */
  | { readonly scheme: string; readonly name: string };

const MOST_CHARACTERS = 2048;
const URI = /^([a-z][a-z0-9+.-]*):\/\/(.+)$/;

export function parseRef(ref: unknown): ArchiveRef {
  if (typeof ref !== 'string' || ref === '') throw refused('manifest_invalid', 'archive_ref is missing');
  if (ref.length > MOST_CHARACTERS) throw refused('manifest_invalid', 'archive_ref is too long');
  const [, scheme, name] = URI.exec(ref) ?? [];
  if (scheme === undefined || name === undefined)
    throw refused('unsupported_format', 'archive_ref is no URI of the form <scheme>://<name>');
  if (scheme !== 'room') return { scheme, name };
  return { scheme, room: readRoom(name, 'archive_ref') };
}

/** Rooms of the host itself are none. */
export function readRoom(name: unknown, field: string): RoomId {
  const room = typeof name === 'string' ? parseRoomId(name) : undefined;
  if (room && !isReserved(room)) return room;
  throw refused('manifest_invalid', `${field} names no room`);
}

export function isRoomRef(ref: ArchiveRef): ref is RoomRef {
  return 'room' in ref;
}
