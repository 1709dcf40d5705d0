/** One open room and those who are in it. */
import type { Rights } from '../access/rights.js';
import type { Commit } from '../room/commit.js';
import type { Room } from '../room/room.js';
import type { SharedFrame } from '../wire/frame.js';
import type { PeerIdentity } from './peer.js';
import type { Presence } from './presence.js';

export interface Member {
  readonly identity: PeerIdentity;
  readonly rights: Rights;
  deliver(frame: SharedFrame): void;
  committed(commit: Commit): void;
  /** Ends the connection; `error` is what the peer is told before. */
  expel(code: number, error: { readonly msg: string; readonly code: string }): void;
  /** Another connection goes on as this peer: answers what was waiting to be sent, and nobody hears that it left. */
  supersede(): readonly SharedFrame[];
}

export class Tenancy {
  readonly room: Room;
  readonly presence: Presence;
  readonly #members = new Map<string, Member>();

  constructor(room: Room, presence: Presence) {
    this.room = room;
    this.presence = presence;
    room.onCommit((commit) => {
      for (const member of this.#members.values()) member.committed(commit);
    });
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  get members(): readonly Member[] {
    return [...this.#members.values()];
  }

  get identities(): readonly PeerIdentity[] {
    return this.members.map((member) => member.identity);
  }

  /** Answers what takes the member out again. */
  join(member: Member): () => void {
    const { sessionId } = member.identity;
    this.#members.set(sessionId, member);
    return () => {
      this.#members.delete(sessionId);
      this.presence.forget(sessionId);
    };
  }

  /** To everybody, or to those whom `to` names. */
  broadcast(frame: SharedFrame, to: (peer: PeerIdentity) => boolean = () => true): void {
    for (const member of this.members) if (to(member.identity)) member.deliver(frame);
  }
}
