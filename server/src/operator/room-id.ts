/** Schemas for the room that an operator names. */
import { type RoomId, type Store, isReserved, parseRoomId } from '@weft/core';
import * as z from 'zod';
import { NotThere } from './define.js';

const ALLOWED = '1 to 128 of the characters A-Z a-z 0-9 . _ ~ -';

/** Id of any room, those of the host too. */
export const AnyRoom = roomWhere(() => true);

/** Id of a room that peers can enter. */
export const Room = roomWhere((id) => !isReserved(id));

export async function mustExist(room: RoomId, { log }: Store): Promise<void> {
  if ((await log.head(room)) > 0) return;
  throw new NotThere(`there is no room ${room}; weft room list shows those there are`);
}

function roomWhere(isMeant: (id: RoomId) => boolean) {
  return z.string().transform((text, context): RoomId => {
    const id = parseRoomId(text);
    if (id && isMeant(id)) return id;
    const why = id ? 'belongs to the host' : `is not a room id; one is ${ALLOWED}`;
    context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} ${why}` });
    return z.NEVER;
  });
}
