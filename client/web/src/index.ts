/** A room in a page, in ten lines: open it, read it, edit it, watch it. */
import { Room, type OpenOptions } from './room.js';
import type { RoomName, ShapeOf } from './types.js';

/**
 * Opens a room: from this device at once, if it was here before, and from the server. Reads answer nothing, and writes throw,
 * until `room.ready`.
 */
export function openRoom<const Name extends RoomName>(name: Name, options: OpenOptions): Room<ShapeOf<Name>> {
  return new Room(name, options);
}

export { type Expand, type MarkOptions, type RichText, type Span, richText } from '@weft/core/bindings';
export { generateKeys } from '@weft/core/keys';
export { createUndo } from './undo.js';
export type { Undo, UndoEvent, UndoOptions } from '@weft/core/client';
export { type LinkOptions, type PeerLinks, linkPeers } from './direct/peers.js';
export { memory } from './storage/memory.js';
export { SchemaError } from './schema.js';
export type { BlobProgress, BlobSource, ConcurrentValue, GetOptions, HeldEdit, PutOptions } from '@weft/core/client';
export type { OpenOptions, Room, RoomStatus } from './room.js';
export type { Other, Presence } from './presence.js';
export type { ValueSchemas } from './schema.js';
export type { Change as RecordsChange, Records, Storage } from './storage/records.js';
export type { AnyRoom, RoomName, RoomShape, Rooms, ShapeOf, StandardSchema } from './types.js';
