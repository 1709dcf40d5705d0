/**
 * Host session: a member of a room who is in this process, by a connection whose other end is the embedding API. [HC4]
 *
 * It is a session like any other, with its rights, limits and place among the members; only its key needs no proof, because
 * whoever embeds the host answers for it. What it hears goes to the host's event sink.
 */
import type { OpenedSession } from '../contract/host-command.js';
import type { PublicKey } from '../graph/node.js';
import { Rejection } from '../rejection.js';
import { type Encoded, type Frame, parseFrame } from '../wire/frame.js';
import type { PeerSocket } from './outbox.js';
import type { Session } from './session.js';

export interface HostSessionParts {
  readonly pubkey: PublicKey;
  /** Logical peer of the session: with a second hello it goes on as the same. */
  readonly peerId: string;
  /** Makes a session whose key needs no proof. */
  readonly connect: (socket: PeerSocket) => Session;
  /** Told of what comes unasked. */
  readonly heard: (frame: Frame) => void;
  /** The host has ended it. */
  readonly ended: (code: number, reason: string) => void;
}

export class HostSession implements OpenedSession {
  readonly #parts: HostSessionParts;
  #connection: HostConnection | undefined;
  #hasLeft = false;

  constructor(parts: HostSessionParts) {
    this.#parts = parts;
  }

  get pubkey(): PublicKey {
    return this.#parts.pubkey;
  }

  /** Enters the room, or goes on in it with other rights and capabilities. When it is refused, nothing has changed. */
  async hello(fields: object): Promise<Frame> {
    const { pubkey, peerId, connect, heard, ended } = this.#parts;
    const connection: HostConnection = new HostConnection(connect, {
      heard,
      // From here on it is this one that counts; the one before is about to be told that it has connected again.
      welcomed: () => (this.#connection = connection),
      ended: (code, reason) => {
        if (this.#connection === connection) ended(code, reason);
      },
    });
    const [welcome] = await connection.ask({ ...fields, type: 'hello', pubkey, peer_id: peerId, peer_type: 'host' });
    if (this.#hasLeft) connection.leave(); // meanwhile
    return welcome!;
  }

  /** What a frame is answered with. Rejects with the refusal, if it is one. */
  async ask(frame: Frame): Promise<readonly Frame[]> {
    if (!this.#connection) throw new Rejection('expected-hello', 'the session has not entered the room');
    return this.#connection.ask(frame);
  }

  leave(): void {
    this.#hasLeft = true;
    this.#connection?.leave();
  }
}

interface HostConnectionParts extends Pick<HostSessionParts, 'heard' | 'ended'> {
  readonly welcomed: () => void;
}

class HostConnection implements PeerSocket {
  readonly #parts: HostConnectionParts;
  readonly #session: Session;
  /** Answers so far, by `req_id`. */
  readonly #answers = new Map<unknown, Frame[]>();
  #asked = 0;
  #end: string | undefined;

  constructor(connect: HostSessionParts['connect'], parts: HostConnectionParts) {
    this.#parts = parts;
    this.#session = connect(this);
  }

  send(encoded: Encoded): boolean {
    const frame = parseFrame(encoded);
    if (!frame) throw new Error('the session was sent something that is no frame');
    if (frame.type === 'welcome') this.#parts.welcomed();
    const answers = this.#answers.get(frame['req_id']);
    if (answers) answers.push(frame);
    else this.#parts.heard(frame);
    return true;
  }

  close(code: number, reason: string): void {
    this.#end = reason;
    this.#parts.ended(code, reason);
  }

  async ask(frame: Frame): Promise<readonly Frame[]> {
    const req_id = ++this.#asked;
    const answers: Frame[] = [];
    this.#answers.set(req_id, answers);
    this.#session.receive(JSON.stringify({ ...frame, req_id }));
    await this.#session.settled();
    this.#answers.delete(req_id);
    const error = answers.find(({ type }) => type === 'error');
    if (error) throw new Rejection(String(error['code']), String(error['msg']));
    if (this.#end !== undefined) throw new Rejection('session-not-found', `the session has ended: ${this.#end}`);
    return answers;
  }

  leave(): void {
    this.#session.closed();
  }
}
