/** Entry to a host: what it asks of every peer before it enters any room, and who may begin rooms. [AU8] */
import type { Clock } from '../ports/clock.js';
import { type AuthenticateHook, EntryHook, type EntryHookParts } from './entry-hook.js';
import { Globs } from './glob.js';
import type { Rights } from './rights.js';

/** What a peer must show: nothing in an open room, a proof of its key, or a token and that proof. */
export const REQUIREMENTS = ['open', 'key', 'token'] as const;

export type Requirement = (typeof REQUIREMENTS)[number];

/** Capability to begin a room whose id is not for everybody to begin. */
export const ROOM_CREATE = 'room.create';

export interface EntryOptions {
  /** `open` when absent. */
  readonly require?: Requirement;
  /** Patterns of room ids that whoever enters may begin; all when absent. */
  readonly createRooms?: readonly string[];
  /** Decides about peers that show no token of the server's or the room's key. */
  readonly authenticate?: AuthenticateHook;
  /** Milliseconds for which it may think; five seconds when absent. */
  readonly authenticateMs?: number;
}

/** What an entry is made with beside its options. */
export interface EntryParts extends Pick<EntryHookParts, 'onFault'> {
  readonly clock: Clock;
}

export class Entry {
  readonly require: Requirement;
  readonly hook: EntryHook | undefined;
  readonly #createRooms: Globs | undefined;

  constructor(
    { require = 'open', createRooms, authenticate, authenticateMs: timeoutMs }: EntryOptions,
    parts: EntryParts,
  ) {
    this.require = require;
    this.hook = authenticate && new EntryHook({ authenticate, timeoutMs, ...parts });
    this.#createRooms = createRooms && new Globs(createRooms);
  }

  /** Whether a peer may begin a room of this id. */
  mayCreate(room: string, { capabilities }: Pick<Rights, 'capabilities'>): boolean {
    return !this.#createRooms || this.#createRooms.matches(room) || capabilities.has(ROOM_CREATE);
  }
}
