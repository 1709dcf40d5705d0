/**
 * Credentials of a session: what its peer has shown of itself, judged at its hello, with each further token, and again when the
 * authentication hook is to be asked once more; and the end of what was granted. [AU4] [AU9] [AU11]
 */
import { type Claims, type Gate, authenticate, hooked, renew } from '../access/authenticate.js';
import { HOOK, type Rights } from '../access/rights.js';
import { TokenExpired } from '../access/token-expired.js';
import { ComeBack, Rejection } from '../rejection.js';
import type { PeerIdentity } from '../tenancy/peer.js';
import type { Tenancy } from '../tenancy/tenancy.js';
import { Expiry } from './expiry.js';
import type { SessionParts } from './parts.js';
import type { Stay } from './stay.js';

/** The session, as far as it concerns what its peer may do. */
export interface Holder {
  readonly identity: PeerIdentity;
  readonly rights: Rights;
  isClosed(): boolean;
  /** Other rights from here on. */
  take(rights: Rights): void;
  /** Its right to be here is lost. */
  dismissBy(rejection: Rejection): void;
  /** Its token does not hold any more. */
  expire(expired: TokenExpired): void;
  fault(error: unknown): void;
}

export class Credentials {
  readonly #parts: SessionParts;
  readonly #stay: Stay;
  readonly #holder: Holder;
  /** What it has shown of itself, for when the hook is asked again. */
  #shown: Omit<Claims, 'proof'> | undefined;
  // Most tokens have no end, and most servers no hook.
  #expiry: Expiry | undefined;
  #cancelRecheck: (() => void) | undefined;

  constructor(parts: SessionParts, stay: Stay, holder: Holder) {
    this.#parts = parts;
    this.#stay = stay;
    this.#holder = holder;
  }

  /** Rights by what a hello shows. */
  async authenticate(claims: Claims, tenancy: Tenancy): Promise<Rights> {
    const rights = await authenticate(claims, this.#gateOf(tenancy));
    const { callers } = this.#parts.rooms;
    if (rights.proven && claims.pubkey !== undefined && !this.#parts.vouched) callers.check(claims.pubkey);
    if (rights.issuer === HOOK) this.#shown = claims;
    return rights;
  }

  /** Rights by another token of a peer that has proved its key. */
  async renew(token: unknown, tenancy: Tenancy): Promise<Rights> {
    const { pubkey, subject, proven, peerId, peerType } = this.#holder.identity;
    if (!proven) throw new Rejection('auth', 'auth: missing proof');
    const claims = { pubkey, subject, token, peerId, peerType };
    const rights = await renew(claims, this.#gateOf(tenancy));
    this.#shown = rights.issuer === HOOK ? claims : undefined;
    return rights;
  }

  /** Asks the hook again: what it grants now holds from here on, and who is denied has to go. Where it cannot say, what it said holds. [AU11] */
  async recheck(): Promise<void> {
    const [askHook, shown] = [this.#hookOf(), this.#shown];
    if (!askHook || !shown || this.#holder.rights.issuer !== HOOK) return;
    const { proven } = this.#holder.identity;
    try {
      const rights = await hooked(shown, { proven, isRecheck: true }, askHook);
      // A token that was shown meanwhile has been judged by itself.
      if (this.#shown === shown) this.#holder.take(rights);
    } catch (error) {
      if (error instanceof TokenExpired) this.#holder.expire(error);
      else if (error instanceof ComeBack) this.#recheckLater(this.#holder.rights);
      else if (error instanceof Rejection) this.#holder.dismissBy(error);
      else this.#holder.fault(error);
    }
  }

  /** Waits for the end of rights that have just come into force, and for when the hook is to be asked again about them. */
  watch(rights: Rights): void {
    const { expiry } = rights;
    if (expiry === undefined) this.#expiry?.cancel();
    else {
      this.#expiry ??= new Expiry(this.#parts.rooms.parts.clock, () => this.#holder.expire(new TokenExpired()));
      this.#expiry.at(expiry);
    }
    this.#recheckLater(rights);
  }

  close(): void {
    this.#cancelRecheck?.();
    this.#expiry?.cancel();
  }

  #recheckLater({ recheckAfter }: Rights): void {
    this.#cancelRecheck?.();
    if (recheckAfter === undefined || this.#holder.isClosed()) return;
    this.#cancelRecheck = this.#parts.rooms.parts.clock.after(recheckAfter * 1000, () => {
      this.recheck().catch((error: unknown) => this.#holder.fault(error));
    });
  }

  /** The hook, with what it hears of this connection; undefined where it is not asked. */
  #hookOf(): Gate['askHook'] {
    const { rooms, roomId: room, request, vouched } = this.#parts;
    const hook = vouched === undefined ? rooms.parts.entry.hook : undefined;
    return (
      hook &&
      (async (hello) => {
        const ask = () => hook.ask({ address: undefined, headers: {}, ...request, room }, hello);
        const grant = await this.#stay.outside(ask);
        if (grant) rooms.revokedSubjects.check(grant);
        return grant;
      })
    );
  }

  /** What a hello, or a token, is judged by. */
  #gateOf({ room }: Tenancy): Gate {
    const { rooms, audiences, roomId, vouched } = this.#parts;
    const { clock, crypto, entry } = rooms.parts;
    const { adminKey, startedAt, usedProofs } = rooms;
    return {
      room: roomId,
      require: vouched === undefined ? entry.require : 'open',
      lock: room.facts.lock,
      adminKey,
      audiences,
      vouched,
      now: clock.now(),
      startedAt,
      usedProofs,
      crypto,
      askHook: this.#hookOf(),
      revokedBefore: (peer) => room.facts.revokedBefore(peer),
    };
  }
}
