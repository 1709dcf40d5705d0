/** One open room and those who are in it. */
import type { Commit } from '../room/commit.js';
import type { Room } from '../room/room.js';
import type { SharedFrame } from '../wire/frame.js';
import type { PeerIdentity } from './peer.js';

export interface Member {
  readonly identity: PeerIdentity;
  deliver(frame: SharedFrame): void;
  committed(commit: Commit): void;
}

export class Tenancy {
  readonly room: Room;
  readonly #members = new Map<string, Member>();

  constructor(room: Room) {
    this.room = room;
    room.onCommit((commit) => {
      for (const member of this.#members.values()) member.committed(commit);
    });
  }

  get identities(): readonly PeerIdentity[] {
    return [...this.#members.values()].map((member) => member.identity);
  }

  /** Answers what takes the member out again. */
  join(member: Member): () => void {
    const { sessionId } = member.identity;
    this.#members.set(sessionId, member);
    return () => this.#members.delete(sessionId);
  }

  broadcast(frame: SharedFrame, except?: string): void {
    for (const [sessionId, member] of this.#members) if (sessionId !== except) member.deliver(frame);
  }
}
