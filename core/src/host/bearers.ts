/**
 * Bearers: those whom a gateway lets in that speaks another protocol than Weft's. They hold no key, so the token alone says
 * who they are: only one that was made for that, with the capability `bearer`, is taken. [AU13]
 */
import { type Gate, authenticate, checkAgain, hooked } from '../access/authenticate.js';
import type { CompleteGrant, EntryHello, EntryRequest } from '../access/entry-hook.js';
import { Policy } from '../access/policy.js';
import { BEARER, HOOK, type Rights } from '../access/rights.js';
import { isReserved } from '../codec/bytes/room-id.js';
import { Disconnect, Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';
import { CLOSE } from '../wire/close-codes.js';
import type { Guest } from './guests.js';
import { roomNamed } from './parts.js';
import type { Rooms } from './rooms.js';

export interface Bearer {
  readonly room: Room;
  /** Who it is: whom an authentication hook has named, or the key of its token; undefined for who came without any. */
  readonly by: string | undefined;
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
  /** What an authentication hook hears of how it came. */
  readonly request?: Omit<EntryRequest, 'room'>;
}

/** Rejects where a peer with this token would not be let in. */
export async function enterAsBearer(rooms: Rooms, roomId: string, token: unknown, gateway: Dismissed): Promise<Bearer> {
  const { tenancy, release } = await rooms.enter(roomNamed(roomId));
  const { room } = tenancy;
  try {
    if (isReserved(room.id)) throw new Rejection('room-reserved', 'auth: room locked');
    const { rights, pubkey } = await judged(rooms, room, token, gateway.request);
    if (room.seq === 0 && !rooms.parts.entry.mayCreate(room.id, rights))
      throw new Rejection('auth', 'auth: there is no such room, and this peer may not begin it');
    const enteredAt = rooms.parts.clock.now();
    const check = (): void => {
      checkBearer(rooms, room, rights, pubkey);
      if (rooms.parts.clock.now() >= enteredAt + (rights.recheckAfter ?? Number.POSITIVE_INFINITY) * 1000)
        throw new Disconnect(CLOSE.restart.code, ASKED_AGAIN);
    };
    check();
    const guest = guestOf(room, rights, gateway);
    rooms.guests.add(guest);
    const leave = (): void => {
      if (rooms.guests.delete(guest)) release();
    };
    return { room, by: rights.subject ?? pubkey, check, leave, ...placesOf(room, rights, pubkey) };
  } catch (error) {
    release();
    throw error;
  }
}

interface Judged {
  readonly rights: Rights;
  /** Key of a token of ours. */
  readonly pubkey: string | undefined;
}

async function judged(rooms: Rooms, room: Room, token: unknown, request: Dismissed['request']): Promise<Judged> {
  const pubkey = keyIn(token);
  const granted = pubkey === undefined ? await grantedBy(rooms, room, token, request) : undefined;
  if (granted) return { rights: granted, pubkey };
  const rights = await authenticate({ pubkey, token, proof: undefined }, gateOf(rooms, room, pubkey));
  if (token !== undefined && !rights.capabilities.has(BEARER))
    throw new Rejection('auth', `auth: the token needs the capability ${BEARER}: who holds it needs no key`);
  return { rights, pubkey };
}

/** Rights by the word of the authentication hook: the credential that it knows says who it is, and no key need be proved. */
async function grantedBy(
  rooms: Rooms,
  { id }: Room,
  token: unknown,
  request: Dismissed['request'],
): Promise<Rights | undefined> {
  const { hook } = rooms.parts.entry;
  if (!hook) return undefined;
  let hasPassed = false;
  const ask = async (hello: EntryHello): Promise<CompleteGrant | undefined> => {
    const came = { address: undefined, headers: {}, ...request, room: id };
    const grant = await hook.ask(came, { ...hello, proven: false });
    if (grant) rooms.revokedSubjects.check(grant);
    hasPassed = grant === undefined;
    return grant;
  };
  try {
    return await hooked({ pubkey: undefined, token }, { proven: true, isRecheck: false }, ask);
  } catch (error) {
    if (hasPassed) return undefined;
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
  checkAgain(rights, pubkey, { lock: facts.lock, revokedBefore: (peer) => facts.revokedBefore(peer) });
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

/** Whom a hook has let in is asked about again by sending him away for a moment: he comes with what he has. */
const ASKED_AGAIN = 'who you are is asked again';

function guestOf({ id }: Room, rights: Rights, { dismissed, waitingBytes }: Dismissed): Guest {
  return {
    roomId: id,
    rights,
    end: () => dismissed(CLOSE.goingAway.code, 'the host is closed'),
    comeAgain: (reason) => dismissed(CLOSE.restart.code, reason),
    dismiss(farewell) {
      void farewell.then((last) =>
        'refusal' in last
          ? dismissed(CLOSE.policy.code, last.refusal.message)
          : dismissed(CLOSE.restart.code, last.comeAgain),
      );
    },
    get waitingBytes() {
      return waitingBytes();
    },
    retire: (reason) => Promise.resolve(dismissed(CLOSE.restart.code, reason)),
    settled: () => Promise.resolve(),
    recheck() {
      if (rights.issuer === HOOK) dismissed(CLOSE.restart.code, ASKED_AGAIN);
      return Promise.resolve();
    },
    revoke(subject, before) {
      const isMeant = rights.subject === subject && (rights.issuedAt ?? 0) < before;
      if (isMeant) dismissed(CLOSE.policy.code, 'auth: token revoked');
      return isMeant;
    },
  };
}
