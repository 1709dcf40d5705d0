/** Who writes where: a room and an author, the 64 bytes that every node of a chain begins with. */
import { concatBytes, toHex } from './bytes.js';
import { Midstate } from './sha256/midstate.js';

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

  number(identity: Identity): number {
    const name = identity.roomName + identity.authorName;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.list.length);
    this.list.push(identity);
    return this.list.length - 1;
  }
}
