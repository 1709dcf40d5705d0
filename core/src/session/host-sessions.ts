/** Host sessions: those that were opened through the embedding API, by room and number. */
import type { OpenedSessions } from '../contract/host-command.js';
import type { PublicKey } from '../graph/node.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { Rejection } from '../rejection.js';
import type { Frame } from '../wire/frame.js';
import { HostSession } from './host-session.js';
import type { PeerSocket } from './outbox.js';
import type { Session } from './session.js';

export interface HostSessionsParts {
  /** Makes a session of that name in a room. */
  readonly connect: (at: { roomId: RoomId; sessionId: string; vouched: PublicKey }, socket: PeerSocket) => Session;
  readonly heard: (roomId: RoomId, sessionId: number, frame: Frame) => void;
  readonly ended: (roomId: RoomId, sessionId: number, code: number, reason: string) => void;
}

export class HostSessions implements OpenedSessions {
  readonly #parts: HostSessionsParts;
  readonly #open = new Map<string, HostSession>();

  constructor(parts: HostSessionsParts) {
    this.#parts = parts;
  }

  open(roomId: RoomId, sessionId: number, pubkey: PublicKey): HostSession {
    const name = nameOf(roomId, sessionId);
    if (this.#open.has(name)) throw new Rejection('session-already-open', `session ${sessionId} is open already`);
    const { connect, heard, ended } = this.#parts;
    const session = new HostSession({
      pubkey,
      peerId: `${pubkey}/${sessionId}`,
      connect: (socket) => connect({ roomId, sessionId: String(sessionId), vouched: pubkey }, socket),
      heard: (frame) => heard(roomId, sessionId, frame),
      ended: (code, reason) => {
        this.#open.delete(name);
        ended(roomId, sessionId, code, reason);
      },
    });
    this.#open.set(name, session);
    return session;
  }

  of(roomId: RoomId, sessionId: number): HostSession {
    const session = this.#open.get(nameOf(roomId, sessionId));
    if (!session) throw new Rejection('session-not-found', `no session ${sessionId} is open in this room`);
    return session;
  }

  close(roomId: RoomId, sessionId: number): void {
    this.of(roomId, sessionId).leave();
    this.#open.delete(nameOf(roomId, sessionId));
  }
}

const nameOf = (roomId: RoomId, sessionId: number): string => `${roomId}/${sessionId}`;
