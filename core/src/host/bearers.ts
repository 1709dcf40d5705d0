/**
 * Bearers: those whom a gateway lets in that speaks another protocol than Weft's. They hold no key, so the token alone says
 * who they are: only one that was made for that, with the capability `bearer`, is taken. [AU10]
 */
import { type Gate, authenticate, checkAgain } from '../access/authenticate.js';
import { Policy } from '../access/policy.js';
import { BEARER, type Rights } from '../access/rights.js';
import { isReserved } from '../graph/room-id.js';
import { Disconnect, Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';
import { CLOSE } from '../wire/close-codes.js';
import type { Guest, Rooms } from './rooms.js';

export interface Bearer {
  readonly room: Room;
  /** Key that the token names; undefined for who came without one. */
  readonly pubkey: string | undefined;
  mayRead(key: string): boolean;
  mayWrite(key: string): boolean;
  /** Throws when it has to go: its token has expired or was revoked, the room was locked or shut. */
  check(): void;
  /** Gives the room back. */
  leave(): void;
}

/** What a gateway does for one whom the host sends away. */
export interface Dismissed {
  /** Told once, with the code and the reason to close with. */
  readonly dismissed: (code: number, reason: string) => void;
  /** What waits to be sent to it. */
  readonly waitingBytes: () => number;
}

/** Rejects where a peer with this token would not be let in. */
export async function enterAsBearer(rooms: Rooms, roomId: string, token: unknown, gateway: Dismissed): Promise<Bearer> {
  const { tenancy, release } = await rooms.lease(roomId);
  const { room } = tenancy;
  try {
    if (isReserved(room.id)) throw new Rejection('room-reserved', 'auth: room locked');
    const pubkey = keyIn(token);
    const rights = await authenticate({ pubkey, token, proof: undefined }, gateOf(rooms, room, pubkey));
    if (token !== undefined && !rights.capabilities.has(BEARER))
      throw new Rejection('auth', `auth: the token needs the capability ${BEARER}: who holds it needs no key`);
    if (room.seq === 0 && !rooms.parts.entry.mayCreate(room.id, rights))
      throw new Rejection('auth', 'auth: there is no such room, and this peer may not begin it');
    const check = (): void => checkBearer(rooms, room, rights, pubkey);
    check();
    const guest = guestOf(room, gateway);
    rooms.guests.add(guest);
    const leave = (): void => {
      if (rooms.guests.delete(guest)) release();
    };
    return { room, pubkey, check, leave, ...placesOf(room, rights, pubkey) };
  } catch (error) {
    release();
    throw error;
  }
}

function keyIn(token: unknown): string | undefined {
  const key: unknown =
    typeof token === 'object' && token !== null && 'peer_pubkey' in token ? token.peer_pubkey : undefined;
  return typeof key === 'string' ? key.toLowerCase() : undefined;
}

function gateOf(rooms: Rooms, { id, facts }: Room, vouched: string | undefined): Gate {
  const { clock, crypto, entry } = rooms.parts;
  const { adminKey, startedAt, usedProofs } = rooms;
  return {
    room: id,
    require: entry.require,
    lock: facts.lock,
    adminKey,
    audiences: [],
    vouched,
    now: clock.now(),
    startedAt,
    usedProofs,
    crypto,
    revokedBefore: (peer) => facts.revokedBefore(peer),
  };
}

function checkBearer(rooms: Rooms, { id, facts }: Room, rights: Rights, pubkey: string | undefined): void {
  rooms.quarantine.check(id);
  if (rights.expiry !== undefined && rooms.parts.clock.now() >= rights.expiry * 1000)
    throw new Disconnect(CLOSE.tokenExpired.code, 'auth: token has expired');
  const revokedBefore = pubkey === undefined ? 0 : facts.revokedBefore(pubkey);
  checkAgain(rights, pubkey, { lock: facts.lock, revokedBefore });
}

function placesOf(
  { facts }: Room,
  { read, write }: Rights,
  pubkey: string | undefined,
): Pick<Bearer, 'mayRead' | 'mayWrite'> {
  return {
    mayRead: (key) => read?.matches(key) ?? true,
    mayWrite(key) {
      const { policy } = facts;
      if (write && !write.matches(key)) return false;
      return policy === undefined || new Policy(policy).allows(pubkey ?? '', key);
    },
  };
}

function guestOf({ id }: Room, { dismissed, waitingBytes }: Dismissed): Guest {
  return {
    roomId: id,
    end: () => dismissed(CLOSE.goingAway.code, 'the host is closed'),
    comeAgain: (reason) => dismissed(CLOSE.restart.code, reason),
    get waitingBytes() {
      return waitingBytes();
    },
    retire: (reason) => Promise.resolve(dismissed(CLOSE.restart.code, reason)),
    settled: () => Promise.resolve(),
  };
}
