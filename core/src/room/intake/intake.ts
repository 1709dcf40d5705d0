/**
 * Intake of a room: a parking for each session, so that nobody's nodes make anybody else's go. What a session has sent too
 * early waits there until it has come, or the session has gone. [AD7]
 */
import type { KeyChecks } from '../admission/key-rules.js';
import { keyChecks } from '../admission/known-keys.js';
import type { Globs } from '../../access/glob.js';
import { openTyped } from '../../codec/packs/typed-message.js';
import type { Graph } from '../../graph/graph.js';
import type { Crypto } from '../../ports/crypto.js';
import { Spans, type Tracing } from '../../ports/tracing.js';
import type { CheckedPack } from '../admission/checked-pack.js';
import type { Judgement, Verdict } from '../admission/judgement.js';
import type { Commit, CommitOrigin } from '../writing/commit.js';
import type { Pusher, Writer } from '../writing/writer.js';
import type { Allowance } from './parked.js';
import { type Admitting, Parking, type SendersSpans } from './parking.js';

export interface IntakeParts {
  readonly crypto: Crypto;
  readonly writer: Writer;
  /** The room's, which the writer's commits extend. */
  readonly graph: Graph;
  /** Bound on what all parkings hold together. */
  readonly shared: Allowance | undefined;
  readonly tracing?: Tracing | undefined;
  readonly onFault: (error: unknown) => void;
}

export class Intake {
  readonly #parts: IntakeParts;
  readonly #bySession = new Map<string, Parking>();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    parts.writer.onCommit((commit) => this.#wake(commit));
  }

  /** Takes what can be taken, see `Room.admit`; answers at once where that only waits. Without a session nothing waits afterwards; `mayWrite` is the same for all that one pushes. */
  receive(pack: Uint8Array, origin: CommitOrigin, mayWrite: Globs | undefined): Verdict | Promise<Verdict> {
    return this.#parkingOf(origin, mayWrite).receive(pack, Spans.here(this.#parts.tracing));
  }

  /** Whether nobody's nodes wait. */
  get isEmpty(): boolean {
    for (const parking of this.#bySession.values()) if (!parking.isEmpty) return false;
    return true;
  }

  /** Gives up what a session has sent too early. */
  forget(session: string): void {
    this.#bySession.get(session)?.close();
    this.#bySession.delete(session);
  }

  /** Gives up what waits, of all sessions: the room is put away. */
  forgetAll(): void {
    for (const session of this.#bySession.keys()) this.forget(session);
  }

  #parkingOf(origin: CommitOrigin, mayWrite: Globs | undefined): Parking {
    const { crypto, writer, shared } = this.#parts;
    const { session } = origin;
    const known = session === undefined ? undefined : this.#bySession.get(session);
    if (known) return known;
    const pushed = new Pushed(writer, { origin, mayWrite });
    if (session === undefined) return new Parking(crypto, pushed, undefined, openTyped);
    const parking = new Parking(crypto, pushed, shared, openTyped);
    this.#bySession.set(session, parking);
    return parking;
  }

  /** Judges again what has waited for a node of a commit. */
  #wake({ from }: Commit): void {
    const { graph, onFault } = this.#parts;
    for (const parking of this.#bySession.values())
      if (parking.isAwaited(graph, from)) parking.judgeAgain().catch(onFault);
  }
}

/** Nodes of one peer, on their way to the writer. */
class Pushed implements Admitting {
  readonly #writer: Writer;
  readonly #pusher: Pusher;

  constructor(writer: Writer, pusher: Pusher) {
    this.#writer = writer;
    this.#pusher = pusher;
  }

  keyChecks(): KeyChecks {
    return keyChecks;
  }

  admit(pack: CheckedPack, bytes?: Uint8Array, asked: SendersSpans = []): Promise<Judgement> {
    return this.#writer.admit(pack, this.#pusher, bytes, Spans.of(asked));
  }
}
