/** Identity of a writer: a room and an author, the 64 bytes that every node of a chain begins with. */
import { concatBytes, toHex } from '../bytes/bytes.js';
import { Midstate } from '../sha256/midstate.js';

const ROOM_BYTES = 32;
const AUTHOR_BYTES = 32;

export class Identity {
  readonly room: Uint8Array;
  readonly author: Uint8Array;
  /** In hex, which is what the graph and its users call them. */
  readonly roomName: string;
  readonly authorName: string;
  #midstate: Midstate | undefined;

  constructor(room: Uint8Array, author: Uint8Array) {
    this.room = room;
    this.author = author;
    this.roomName = toHex(room);
    this.authorName = toHex(author);
  }

  /** The state of the hash after these bytes. */
  get midstate(): Midstate {
    this.#midstate ??= Midstate.of(concatBytes([this.room, this.author]));
    return this.#midstate;
  }
}

/** Identities by number, in order of first use. */
export class Identities {
  readonly list: Identity[] = [];
  readonly #numbers = new Map<string, number>();
  /** The last to be found by these first bytes of the author: to look one up should not cost two texts in hex. */
  readonly #recent = new Map<number, number>();

  /** The number of the identity that stands in 64 bytes. */
  numberAt(bytes: Uint8Array, at: number): number {
    const author = at + ROOM_BYTES;
    const front = bytes[author]! | (bytes[author + 1]! << 8) | (bytes[author + 2]! << 16) | (bytes[author + 3]! << 24);
    const recent = this.#recent.get(front);
    if (recent !== undefined && isIdentityAt(bytes, at, this.list[recent]!)) return recent;
    const number = this.number(new Identity(bytes.slice(at, author), bytes.slice(author, author + AUTHOR_BYTES)));
    this.#recent.set(front, number);
    return number;
  }

  number(identity: Identity): number {
    const name = identity.roomName + identity.authorName;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.list.length);
    this.list.push(identity);
    return this.list.length - 1;
  }
}

/** Whether an identity stands at a place. */
export function isIdentityAt(bytes: Uint8Array, at: number, { room, author }: Identity): boolean {
  for (let i = 0; i < ROOM_BYTES; i++) if (bytes[at + i] !== room[i]) return false;
  for (let i = 0; i < AUTHOR_BYTES; i++) if (bytes[at + ROOM_BYTES + i] !== author[i]) return false;
  return true;
}
