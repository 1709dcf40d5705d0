/**
 * One peer of one room, over any transport: frames in, frames out. [HS, D7]
 *
 * Frames of a peer run one after another, in order. Nothing that the transport calls here throws: a refusal
 * becomes an `error` frame, a bug closes this connection with 1011 and is reported in full to the operator.
 */
import { toBase64 } from '../codec/bytes.js';
import type { Command, Effect } from '../commands/define.js';
import type { CommandTable } from '../commands/table.js';
import { type RoomId, isReserved } from '../graph/room-id.js';
import { type PeerIdentity, anonymous, describePeer } from '../host/peer.js';
import type { Rooms } from '../host/rooms.js';
import type { Member, Tenancy } from '../host/tenancy.js';
import type { MetricName } from '../ports/telemetry.js';
import { Disconnect, Rejection } from '../rejection.js';
import type { Commit, CommitPart } from '../room/commit.js';
import { CLOSE } from '../wire/close-codes.js';
import { type Frame, SharedFrame, parseFrame } from '../wire/frame.js';
import { RequestId } from '../wire/scalars.js';
import { Outbox, type PeerSocket } from './outbox.js';

export interface SessionParts {
  readonly rooms: Rooms;
  readonly table: CommandTable;
  readonly roomId: RoomId;
  readonly socket: PeerSocket;
  readonly sessionId: string;
}

type State =
  | { readonly name: 'awaiting-hello' }
  | { readonly name: 'joined'; readonly tenancy: Tenancy; readonly leave: () => void }
  | { readonly name: 'closed' };

export class Session implements Member {
  readonly #parts: SessionParts;
  readonly #outbox: Outbox;
  readonly #cancelHello: () => void;
  #identity: PeerIdentity;
  #state: State = { name: 'awaiting-hello' };
  #running: Promise<void> = Promise.resolve();
  #inboxBytes = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#identity = anonymous(parts.sessionId);
    const { limits, clock } = parts.rooms.parts;
    this.#outbox = new Outbox(parts.socket, limits, clock, (code, reason) => this.#close(code, reason));
    this.#cancelHello = clock.after(limits.helloMs, () => this.#refuse(expectedHello()));
  }

  get identity(): PeerIdentity {
    return this.#identity;
  }

  /** Takes one frame. What a peer has sent and is not yet processed is bounded. [LM2] */
  receive(frame: string | Uint8Array): void {
    if (this.#state.name === 'closed') return;
    const { limits } = this.#parts.rooms.parts;
    this.#inboxBytes += frame.length;
    if (this.#inboxBytes > limits.inboxBytes) return this.#close(CLOSE.rateLimit.code, 'rate limit exceeded');
    this.#running = this.#running.then(async () => {
      if (this.#state.name !== 'closed') await this.#handle(frame);
      this.#inboxBytes -= frame.length;
    });
  }

  /** The socket takes frames again. */
  drained(): void {
    this.#outbox.drained();
  }

  /** The socket is gone. */
  closed(): void {
    const state = this.#state;
    if (state.name === 'closed') return;
    this.#state = { name: 'closed' };
    this.#cancelHello();
    this.#outbox.clear();
    if (state.name !== 'joined') return;
    state.leave();
    state.tenancy.room.forget(this.#parts.sessionId);
    this.#record('peers', -1);
    const left = this.#parts.table.notices.peerLeft.frame(describePeer(this.#identity));
    state.tenancy.broadcast(new SharedFrame(left));
  }

  deliver(frame: SharedFrame): void {
    this.#outbox.send(frame.text);
  }

  /** Relays what others wrote. [PK8] */
  committed(commit: Commit): void {
    for (const part of commit.parts) {
      // Asked each time: delivering a part may close a peer that is behind.
      if (this.#state.name !== 'joined') return;
      if (part.origin.session === this.#parts.sessionId) continue;
      this.deliver(relayOf(part, this.#state.tenancy, this.#parts.table));
    }
  }

  async #handle(text: string | Uint8Array): Promise<void> {
    const frame = typeof text === 'string' ? parseFrame(text) : undefined;
    const command = frame && this.#parts.table.commands.get(frame.type);
    this.#record('frames_total', 1, command?.type ?? 'unknown');
    try {
      await this.#dispatch(text, frame, command);
    } catch (error) {
      if (error instanceof Rejection) this.#refuse(error, frame);
      else if (error instanceof Disconnect) this.#close(error.code, error.message);
      else this.#fault(error);
    }
  }

  async #dispatch(text: string | Uint8Array, frame: Frame | undefined, command: Command | undefined): Promise<void> {
    const waiting = this.#state.name === 'awaiting-hello';
    if (waiting && !command?.first) throw expectedHello();
    if (typeof text !== 'string') throw new Rejection('binary-not-negotiated', 'binary frames were not negotiated');
    if (!frame) throw new Rejection('invalid-json', 'invalid JSON: a frame is one object with a string type');
    if (!command) throw new Rejection('unknown-type', `unknown type ${JSON.stringify(frame.type.slice(0, 64))}`);
    if (!waiting && command.first) throw new Rejection('already-joined', 'hello was already accepted');
    const parsed = command.in.safeParse(frame);
    if (!parsed.success) {
      if (waiting) throw expectedHello();
      const [issue] = parsed.error.issues;
      throw new Rejection('invalid-payload', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
    }
    this.#cancelHello(); // from here on it is the room that takes its time
    const { rooms, roomId } = this.#parts;
    if (isReserved(roomId)) throw new Rejection('room-reserved', 'auth: room locked');
    const tenancy = await rooms.tenancy(roomId);
    const serverKey = (await rooms.signer()).publicKey;
    const context = { tenancy, serverKey, identity: this.#identity, limits: rooms.parts.limits };
    const handled = command.handle(context, parsed.data);
    // Not awaited when there is nothing to wait for: a commit in between would be in neither history nor relay.
    const effects = handled instanceof Promise ? await handled : handled;
    for (const effect of effects) this.#perform(effect, tenancy, frame);
  }

  #perform(effect: Effect, tenancy: Tenancy, request: Frame): void {
    if (this.#isClosed()) return;
    switch (effect.kind) {
      case 'reply':
        return this.#send(effect.frame, request);
      case 'broadcast':
        return tenancy.broadcast(new SharedFrame(effect.frame), this.#identity.sessionId);
      case 'stream':
        return this.#outbox.stream(encodeEach(effect.frames));
      case 'join':
        this.#identity = effect.identity;
        this.#state = { name: 'joined', tenancy, leave: tenancy.join(this) };
        return this.#record('peers', 1);
    }
  }

  #send(frame: Frame, request?: Frame): void {
    const id = RequestId.safeParse(request?.['req_id']);
    this.#outbox.send(JSON.stringify(id.success ? { ...frame, req_id: id.data } : frame));
  }

  /** Before hello a refusal also ends the connection. */
  #refuse(rejection: Rejection, request?: Frame): void {
    if (this.#isClosed()) return;
    this.#record('errors_total', 1, rejection.reason);
    const { error } = this.#parts.table.notices;
    const command = request && this.#parts.table.commands.has(request.type) ? { command: request.type } : {};
    this.#send(error.frame({ msg: rejection.message, code: rejection.reason, ...command }), request);
    if (this.#state.name === 'awaiting-hello') this.#close(CLOSE.policy.code, rejection.message);
  }

  #fault(error: unknown): void {
    this.#parts.rooms.parts.onFault(error);
    this.#close(CLOSE.overload.code, 'internal error');
  }

  #close(code: number, reason: string): void {
    if (this.#isClosed()) return;
    this.#record('closes_total', 1, String(code));
    this.closed();
    this.#parts.socket.close(code, reason);
  }

  // A method, so that the compiler does not take the state for unchanged after a call.
  #isClosed(): boolean {
    return this.#state.name === 'closed';
  }

  #record(metric: MetricName, value: number, label?: string): void {
    this.#parts.rooms.parts.telemetry.record(metric, value, label);
  }
}

function expectedHello(): Rejection {
  return new Rejection('expected-hello', 'expected hello');
}

function* encodeEach(frames: Iterable<Frame>): Generator<string> {
  for (const frame of frames) yield JSON.stringify(frame);
}

const relays = new WeakMap<CommitPart, SharedFrame>();

/** Encoded once, however many receive it. */
function relayOf(part: CommitPart, { room }: Tenancy, { notices }: CommandTable): SharedFrame {
  const known = relays.get(part);
  if (known) return known;
  const body = { from: part.origin.from, nodes: toBase64(part.pack), root: room.heads.root };
  const relay = new SharedFrame(notices.relayedPack.frame(body));
  relays.set(part, relay);
  return relay;
}
