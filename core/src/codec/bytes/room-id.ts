/** Room ids: `[A-Za-z0-9._~-]`, 1 to 128 characters, not `.` or `..`. [HS1] */
declare const roomIdBrand: unique symbol;

export type RoomId = string & { readonly [roomIdBrand]: true };

export function parseRoomId(text: string): RoomId | undefined {
  if (!/^[A-Za-z0-9._~-]{1,128}$/.test(text) || text === '.' || text === '..') return undefined;
  return text as RoomId;
}

/** Ids that begin with `~` belong to the host itself; no peer may join such a room. */
export function isReserved(room: string): boolean {
  return room.startsWith('~');
}

/** Whether a value can name a room, whether or not there is one. */
export function isRoomName(name: unknown): name is string {
  return typeof name === 'string' && parseRoomId(name) !== undefined;
}
