/** Opens rooms over a store, each once, and keeps them while the host runs. */
import { type RoomId, parseRoomId } from '../graph/room-id.js';
import type { BlobUrls } from '../ports/blob-urls.js';
import type { Clock } from '../ports/clock.js';
import type { Crypto, Signer } from '../ports/crypto.js';
import type { Store } from '../ports/store.js';
import type { Telemetry } from '../ports/telemetry.js';
import { Disconnect, Rejection } from '../rejection.js';
import { Room } from '../room/room.js';
import { CLOSE } from '../wire/close-codes.js';
import type { Limits } from '../wire/limits.js';
import { UsedProofs } from '../access/used-proofs.js';
import type { Negotiable } from '../wire/negotiable.js';
import { Tenancy, type TickResult } from './tenancy.js';

export interface HostParts {
  readonly store: Store;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly limits: Limits;
  /** Public key whose tokens hold in every room. */
  readonly adminKey?: string | undefined;
  readonly blobUrls: BlobUrls | undefined;
  /** Told of bugs that must not stop the host. */
  readonly onFault: (error: unknown) => void;
}

export class Rooms {
  readonly parts: HostParts;
  readonly #open = new Map<RoomId, Promise<Tenancy>>();
  #signer: Promise<Signer> | undefined;
  #closed = false;
  /** What connections may use. */
  readonly offered: ReadonlySet<Negotiable> = new Set([
    'supports_binary',
    'supports_targeted_relay',
    'supports_direct_blob_io',
  ]);
  readonly usedProofs = new UsedProofs();
  readonly startedAt: number;

  readonly #tickResult: TickResult;

  constructor(parts: HostParts, tickResult: TickResult) {
    this.parts = parts;
    this.#tickResult = tickResult;
    this.startedAt = parts.clock.now();
  }

  /** The authority's signer; opens the store on first use. */
  signer(): Promise<Signer> {
    this.#signer ??= this.#openStore();
    return this.#signer;
  }

  tenancy(roomId: string): Promise<Tenancy> {
    const id = parseRoomId(roomId);
    if (!id) return Promise.reject(new Rejection('invalid-command', `${JSON.stringify(roomId)} is not a room id`));
    if (this.#closed) return Promise.reject(new Disconnect(CLOSE.goingAway.code, 'the host is closed'));
    const known = this.#open.get(id);
    if (known) return known;
    const opening = this.#openRoom(id);
    this.#open.set(id, opening);
    // A room that could not be opened is tried again by whoever comes next.
    opening.then(
      () => this.parts.telemetry.record('rooms', 1),
      () => this.#open.delete(id),
    );
    return opening;
  }

  /** Takes no new work, lets waiting writes finish, then closes the store. */
  async close(): Promise<void> {
    this.#closed = true;
    const rooms = await Promise.allSettled(this.#open.values());
    await Promise.all(rooms.map((room) => room.status === 'fulfilled' && room.value.room.settled()));
    await this.parts.store.close();
  }

  async #openStore(): Promise<Signer> {
    const { store, crypto } = this.parts;
    await store.open();
    return crypto.signer(await store.authoritySeed());
  }

  async #openRoom(id: RoomId): Promise<Tenancy> {
    const { store, ...parts } = this.parts;
    const signer = await this.signer();
    const room = await Room.open({ ...parts, id, log: store.log, signer });
    return new Tenancy(room, parts, this.#tickResult);
  }
}
