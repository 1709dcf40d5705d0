/**
 * Session of one peer in one room, over any transport: frames in, frames out. [HS, D7]
 *
 * Frames of a peer run one after another, in order. Nothing that the transport calls here throws: a refusal
 * becomes an `error` frame, a bug closes this connection with 1011 and is reported in full to the operator, as is a store that is away,
 * which closes it with 1012.
 */
import { checkAgain } from '../access/authenticate.js';
import { Globs } from '../access/glob.js';
import { NO_RIGHTS, type Rights } from '../access/rights.js';
import { TokenExpired } from '../access/token-expired.js';
import type { CommandTable } from '../contract/command-table.js';
import type { Command, HandlerContext } from '../contract/command.js';
import type { Followed, Joining } from '../contract/effect.js';
import { type RoomId, isReserved } from '../codec/bytes/room-id.js';
import { closingFor } from '../host/closing.js';
import type { Farewell, Guest } from '../host/guests.js';
import type { Visit } from '../host/visited-rooms.js';
import type { Clock } from '../ports/clock.js';
import { stopwatch } from '../ports/telemetry.js';
import { traced } from '../ports/tracing.js';
import { ReconcileAttempts } from '../reconcile/attempts.js';
import { Disconnect, Rejection } from '../rejection.js';
import type { Commit } from '../room/writing/commit.js';
import { type PeerIdentity, anonymous, describePeer, personOf } from '../tenancy/peer.js';
import type { Lease, Member, Tenancy } from '../tenancy/tenancy.js';
import { CLOSE } from '../wire/close-codes.js';
import { type Encoded, type Frame, SharedFrame, parseFrame } from '../wire/frame.js';
import * as notices from '../wire/notices.js';
import { readPush } from '../wire/push-frame.js';
import { CONNECTED_AGAIN, restartReason } from '../wire/restart-reason.js';
import { checkRights, payloadOf } from './checks.js';
import { contextOf } from './context.js';
import { Credentials, type Holder } from './credentials.js';
import { type Performer, perform } from './effects.js';
import { Inbox } from './inbox.js';
import { Order } from './order.js';
import { Outbox } from './outbox.js';
import type { SessionParts } from './parts.js';
import { closingBehind, errorFrame, rejectedFrame } from './refusals.js';
import { MOST_ASKED, Relay } from './relay.js';
import { echoOf, expectedHello } from './replies.js';
import { record, tell, tellClosing } from './reports.js';
import { Stay } from './stay.js';

interface Joined {
  readonly name: 'joined';
  readonly tenancy: Tenancy;
  readonly relay: Relay;
  readonly leave: () => void;
  /** Context of its commands, made with the first frame for all that follow until its rights change. */
  context?: HandlerContext;
  readonly reconciling: ReconcileAttempts;
}

type State =
  | { readonly name: 'awaiting-hello' }
  | Joined
  /** It has joined, was sent so much of the log of the room with that genesis, and the room is not in memory. */
  | {
      readonly name: 'asleep';
      readonly sent: number;
      readonly genesis: string;
      readonly followed: ReadonlyMap<string, Followed>;
    }
  | { readonly name: 'closed' };

/** Does something when what comes before it is over: at once where there is nothing. */
const afterThat = <T>(
  before: Promise<void> | undefined,
  then: () => Promise<T> | undefined,
): Promise<T | undefined> | undefined => (before ? before.then(then) : then());

const newAttempts = ({ room }: Tenancy, clock: Clock): ReconcileAttempts =>
  new ReconcileAttempts(() => room.nodes.ids, clock);

export class Session implements Member, Guest, Holder, Performer {
  readonly #parts: SessionParts;
  // Most connections are silent most of the time: what one needs to hear and to speak is made when it does.
  #inbox: Inbox | undefined;
  #order: Order | undefined;
  #outbox: Outbox | undefined;
  #cancelHello: (() => void) | undefined;
  #leaveCallers: (() => void) | undefined;
  /** Ends its place among the connections of its key. */
  #releaseKey: (() => void) | undefined;
  /** Ends its visit of the room, as far as that counts. */
  #leaveRoom: (() => void) | undefined;
  #identity: PeerIdentity;
  #rights: Rights = NO_RIGHTS;
  /** What it has subscribed to; everything when absent. */
  #patterns: readonly string[] | undefined;
  #caps = NO_RIGHTS.capabilities;
  #state: State = { name: 'awaiting-hello' };
  /** When its last frame came, in Unix milliseconds. */
  #heardAt = 0;
  /** The others are not told that it has left. */
  #leavesSilently = false;
  /** It has been told to go, and is only answered. */
  #isRetiring = false;
  readonly #stay: Stay;
  readonly #credentials: Credentials;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#identity = anonymous(parts.sessionId);
    this.#stay = new Stay(parts);
    this.#credentials = new Credentials(parts, this.#stay, this);
    const { limits, clock } = parts.rooms.parts;
    parts.rooms.guests.add(this);
    this.#cancelHello = clock.after(limits.helloMs, () => this.refuse(expectedHello()));
    // Sessions opened by the application are not counted: how many it opens is its own choice.
    if (parts.vouched !== undefined) return;
    const tooMany = parts.rooms.callers.enter(parts.address);
    this.#leaveCallers = () => parts.rooms.callers.leave(parts.address);
    if (tooMany) queueMicrotask(() => this.refuse(tooMany)); // the transport has the connection by then
  }

  get identity(): PeerIdentity {
    return this.#identity;
  }

  get roomId(): RoomId {
    return this.#parts.roomId;
  }

  get rights(): Rights {
    return this.#rights;
  }

  get table(): CommandTable {
    return this.#parts.table;
  }

  get relay(): Relay | undefined {
    return this.#state.name === 'joined' ? this.#state.relay : undefined;
  }

  get waitingBytes(): number {
    return this.#outbox?.waitingBytes ?? 0;
  }

  get #hearing(): Inbox {
    const { limits, clock } = this.#parts.rooms.parts;
    return (this.#inbox ??= new Inbox(limits, clock, this.#parts.rooms.inbound));
  }

  get #ordering(): Order {
    return (this.#order ??= new Order((frame) => this.#handle(frame)));
  }

  get #speaking(): Outbox {
    return (this.#outbox ??= this.#newOutbox());
  }

  #newOutbox(): Outbox {
    const { socket, rooms } = this.#parts;
    const { limits, clock } = rooms.parts;
    const lost = (code: number, reason: string): void => this.#close(code, reason);
    // What is made when the socket takes it may be refused by then: the room has moved, or is another one.
    const onFault = (error: unknown): void => (error instanceof Rejection ? this.dismissBy(error) : this.fault(error));
    const outbox = new Outbox({ socket, limits, clock, lost, onFault });
    if (this.#caps.has('supports_binary')) outbox.useBinary();
    return outbox;
  }

  /** Takes one frame. What a peer has sent and is not yet processed is bounded. [LM2] */
  receive(frame: Encoded): void {
    if (this.#state.name === 'closed' || this.#isRetiring) return;
    this.#heardAt = this.#parts.rooms.parts.clock.now();
    const fault = this.#hearing.arrived(frame.length);
    if (fault) {
      this.#hearing.processed(frame.length);
      return fault === 'too much' ? this.#overrun() : this.#close(CLOSE.overload.code, 'server overload');
    }
    const order = this.#ordering;
    const push = order.isFree ? readPush(frame) : undefined;
    if (push) void this.#handle(frame, push);
    else order.take(frame);
  }

  /** The socket takes frames again. */
  drained(): void {
    this.#outbox?.drained();
  }

  /** The socket has taken something. */
  progressed(): void {
    this.#outbox?.progressed();
  }

  /** The socket is gone; `by` where the transport has ended it. [ER5] */
  closed(by?: { readonly code: number; readonly reason: string }): void {
    const state = this.#state;
    if (state.name === 'closed') return;
    if (by) tellClosing(this.#parts, by.code, by.reason);
    this.#state = { name: 'closed' };
    void this.settled().finally(() => this.#parts.rooms.guests.delete(this));
    this.#cancelHello?.();
    this.#credentials.close();
    this.#leaveCallers?.();
    this.#releaseKey?.();
    this.#leaveRoom?.();
    this.#inbox?.close();
    this.#outbox?.close();
    this.#stay.leave();
    if (state.name === 'awaiting-hello') return;
    const { rooms, roomId, sessionId } = this.#parts;
    const left = new SharedFrame(notices.peerLeft.frame(describePeer(this.#identity)));
    record(this.#parts, 'peers', -1);
    if (state.name === 'asleep') return rooms.sleepers.leave(roomId, this, left);
    state.relay.close();
    state.leave();
    state.tenancy.room.intake.forget(sessionId);
    if (!this.#leavesSilently) state.tenancy.broadcast(left);
  }

  get silentSince(): number | undefined {
    if (this.#state.name !== 'joined' || this.#isRetiring) return undefined;
    if (this.#state.reconciling.current) return undefined;
    return this.#hearing.isEmpty && this.#state.relay.isResting ? this.#heardAt : undefined;
  }

  sleep(): void {
    if (this.#state.name !== 'joined') return;
    const { relay, tenancy } = this.#state;
    this.#state = { name: 'asleep', sent: relay.sent, genesis: tenancy.room.genesis.id, followed: relay.followed };
    this.#stay.forget();
    this.#outbox = this.#order = undefined;
    if (this.#inbox?.isRested) this.#inbox = undefined; // another one would allow as much
  }

  wake(lease: Lease): void {
    const { tenancy, release } = lease;
    if (this.#state.name !== 'asleep') return release();
    this.#stay.goOn(lease); // it may have asked for the room itself
    const { sent, genesis, followed } = this.#state;
    if (tenancy.room.genesis.id !== genesis) return this.comeAgain(restartReason(0, 'the room begins anew'));
    this.#enterAs(tenancy).goOn(sent, followed);
  }

  /** The host is closed. */
  end(): void {
    this.#close(CLOSE.goingAway.code, 'the host is closed');
  }

  comeAgain(reason: string): void {
    // What one who sleeps has just asked is for the room as it is when that is back.
    if (this.#state.name === 'asleep') this.#close(CLOSE.restart.code, reason);
    else if (this.#stay.isAsked) this.retire(reason).catch((error: unknown) => this.fault(error));
  }

  dismiss(farewell: Promise<Farewell>): void {
    if (this.#state.name !== 'asleep' && !this.#stay.isAsked) return; // it has not asked for the room yet
    this.#retire(farewell).catch((error: unknown) => this.fault(error));
  }

  async retire(comeAgain: string): Promise<void> {
    await this.#retire(Promise.resolve({ comeAgain }));
  }

  async #retire(farewell: Promise<Farewell>): Promise<void> {
    this.#isRetiring = true;
    if (this.#state.name === 'joined') this.#state.relay.unfollow(); // what is given up of the room is not told any more
    await this.settled();
    const told = await farewell;
    if ('refusal' in told) {
      this.#leavesSilently = true; // as all of them have to
      this.refuse(told.refusal);
    }
    await this.#outbox?.flushed();
    if ('refusal' in told) this.#close(CLOSE.policy.code, told.refusal.message);
    else this.#close(CLOSE.restart.code, told.comeAgain);
  }

  async settled(): Promise<void> {
    await this.#order?.settled();
  }

  deliver(frame: SharedFrame): void {
    if (!this.isClosed()) this.#speaking.send(frame);
  }

  /** Streams frames. A peer that has not taken what it asked for is not sent more. */
  stream(frames: readonly SharedFrame[]): void {
    if (this.#state.name === 'joined' && this.#state.relay.waiting < MOST_ASKED) this.#state.relay.stream(frames);
  }

  committed(commit: Commit): void {
    if (this.#state.name === 'joined') this.#state.relay.committed(commit);
  }

  expel(code: number, error: { readonly msg: string; readonly code: string }): void {
    if (this.isClosed()) return;
    this.#send(notices.error.frame(error));
    this.#close(code, error.msg);
  }

  supersede(): readonly SharedFrame[] {
    this.#leavesSilently = true;
    const waiting = this.#outbox?.close() ?? [];
    this.#close(CLOSE.policy.code, CONNECTED_AGAIN);
    return waiting;
  }

  /** Begins one frame; answers until when the next may not be looked at. Pushes follow each other at once. */
  #handle(encoded: Encoded, push?: Frame): Promise<void> | undefined {
    const { length } = encoded;
    const order = this.#ordering;
    let frame = push;
    let command: Command | undefined;
    let handled: Promise<void> | undefined;
    try {
      if (!this.isClosed()) {
        this.#checkEncoding(encoded);
        frame ??= readPush(encoded) ?? parseFrame(encoded);
        command = frame && this.#parts.table.commands.get(frame.type);
        record(this.#parts, 'frames_total', 1, command?.type ?? 'unknown');
        const begin = () => this.#traced(command, length, () => this.#dispatch(frame, command, length));
        handled = afterThat(command?.pipelined ? undefined : order.pushed, begin);
      }
    } catch (error) {
      this.#failed(error, frame);
    }
    if (!handled) {
      this.#hearing.processed(length);
      return undefined;
    }
    const isPush = command?.pipelined === true;
    if (isPush) order.pushBegins();
    const over = handled
      .catch((error: unknown) => this.#failed(error, frame))
      .finally(() => {
        this.#hearing.processed(length);
        if (isPush) order.pushEnds();
      });
    return isPush ? undefined : over;
  }

  /** Runs the work of a frame, in a span of its own where there are any. */
  #traced(
    command: Command | undefined,
    bytes: number,
    task: () => Promise<void> | undefined,
  ): Promise<void> | undefined {
    const { tracing } = this.#parts.rooms.parts.telemetry;
    if (!tracing) return task();
    const type = command?.type ?? 'unknown';
    const attributes = { 'weft.room': this.#parts.roomId, 'weft.frame.type': type, 'weft.frame.bytes': bytes };
    return traced(tracing, 'weft.frame', { attributes }, async () => task());
  }

  #failed(error: unknown, frame: Frame | undefined): void {
    if (error instanceof TokenExpired) this.expire(error, frame);
    else if (error instanceof Rejection) this.refuse(error, frame);
    else if (error instanceof Disconnect) this.#close(error.code, error.message);
    else this.fault(error);
  }

  #checkEncoding(encoded: Encoded): void {
    if (typeof encoded === 'string' || this.#caps.has('supports_binary')) return;
    record(this.#parts, 'frames_total', 1, 'unknown');
    if (this.#state.name === 'awaiting-hello') throw expectedHello();
    throw new Rejection('binary-not-negotiated', 'binary frames were not negotiated');
  }

  #dispatch(frame: Frame | undefined, command: Command | undefined, bytes: number): Promise<void> | undefined {
    if (this.#state.name === 'awaiting-hello' && !command?.first) throw expectedHello();
    // What is no pack counts as one node: it is not free.
    const budget = command?.pipelined ? this.#hearing.pack(1, bytes) : this.#hearing.frame(bytes);
    return afterThat(budget, () => this.#ask(frame, command));
  }

  #ask(frame: Frame | undefined, command: Command | undefined): Promise<void> | undefined {
    if (this.isClosed()) return undefined;
    if (!frame) throw new Rejection('invalid-json', 'invalid JSON: a frame is one object with a string type');
    if (!command) throw new Rejection('unknown-type', `unknown type ${JSON.stringify(frame.type.slice(0, 64))}`);
    const waiting = this.#state.name === 'awaiting-hello';
    if (!waiting && command.first) throw new Rejection('already-joined', 'hello was already accepted');
    checkRights(command, this.#rights, this.#caps);
    const input = payloadOf(command, frame);
    this.#cancelHello?.(); // from here on it is the room that takes its time
    this.#cancelHello = undefined;
    const { telemetry } = this.#parts.rooms.parts;
    const stop = stopwatch(telemetry, waiting ? 'join_seconds' : 'command_seconds', command.type);
    const run = this.#run(command, input, frame);
    if (run) return run.then(stop);
    stop();
    return undefined;
  }

  /** Runs a command: at once in a room that is in memory, which need not be asked for. */
  #run(command: Command, input: unknown, frame: Frame): Promise<void> | undefined {
    if (isReserved(this.#parts.roomId)) throw new Rejection('room-reserved', 'auth: room locked');
    if (this.#state.name !== 'joined') return this.#runInside(command, input, frame);
    const { tenancy } = this.#state;
    const effects = command.handle(this.#contextIn(tenancy), input);
    if (!(effects instanceof Promise)) {
      for (const effect of effects) perform(effect, this, tenancy, frame);
      return undefined;
    }
    return effects
      .then((all) => {
        for (const effect of all) perform(effect, this, tenancy, frame);
      })
      .finally(() => {
        if (this.isClosed()) tenancy.room.intake.forget(this.#identity.sessionId); // what it was just pushing
      });
  }

  async #runInside(command: Command, input: unknown, frame: Frame): Promise<void> {
    if (command.first) await this.#stay.awaitTurn();
    let tenancy: Tenancy | undefined;
    try {
      tenancy = await this.#stay.enter();
      if (this.isClosed()) return;
      for (const effect of await command.handle(this.#contextIn(tenancy), input)) perform(effect, this, tenancy, frame);
    } finally {
      this.#stay.endTurn();
      if (this.isClosed()) tenancy?.room.intake.forget(this.#identity.sessionId); // what it was just pushing
    }
  }

  /** Context of this peer's commands: one for its hello, and one for as long as it is a member of the room in memory. */
  #contextIn(tenancy: Tenancy): HandlerContext {
    const state = this.#state;
    return state.name === 'joined' ? (state.context ??= this.#newContext(tenancy)) : this.#newContext(tenancy);
  }

  #newContext(tenancy: Tenancy): HandlerContext {
    const reconciling =
      this.#state.name === 'joined' ? this.#state.reconciling : newAttempts(tenancy, this.#parts.rooms.parts.clock);
    return contextOf({
      session: this.#parts,
      tenancy,
      identity: this.#identity,
      rights: this.#rights,
      caps: this.#caps,
      credentials: this.#credentials,
      reconciling,
      pace: (nodes) => this.#pace(nodes),
      expectPlace: (identity) => {
        if (this.#parts.vouched === undefined) this.#parts.rooms.visited.check(this.#visitOf(identity, tenancy));
      },
    });
  }

  /** The first node of a frame has been counted. Nothing of who has left, or had to, is let in afterwards. */
  #pace(nodes: number): Promise<void> | undefined {
    if (nodes <= 1) return undefined;
    return this.#hearing.pack(nodes - 1, 0)?.then(() => {
      if (this.isClosed()) throw new Disconnect(CLOSE.policy.code, 'the peer has gone');
    });
  }

  async recheck(): Promise<void> {
    await this.#credentials.recheck();
  }

  revoke(subject: string, before: number): boolean {
    const { subject: own, issuedAt = 0 } = this.#rights;
    if (this.isClosed() || own !== subject || issuedAt >= before) return false;
    this.dismissBy(new Rejection('auth', 'auth: token revoked'));
    return true;
  }

  take(rights: Rights): void {
    if (this.#state.name === 'joined') {
      const { tenancy } = this.#state;
      const { facts } = tenancy.room;
      const { pubkey } = this.#identity;
      checkAgain(rights, pubkey, { lock: facts.lock, revokedBefore: (peer) => facts.revokedBefore(peer) });
      this.renew(rights, tenancy);
    } else if (this.#state.name === 'asleep') {
      // One that sleeps is sent all that comes; if it may not read all any more, it begins anew.
      if (rights.read) return this.#close(CLOSE.restart.code, restartReason(0, 'the rights of this peer have changed'));
      this.#rights = rights;
      this.#credentials.watch(rights);
    }
  }

  /** Tells a member that it may not be here, for good or for now, and ends the connection. */
  dismissBy(rejection: Rejection): void {
    if (this.isClosed()) return;
    record(this.#parts, 'errors_total', 1, rejection.reason);
    this.#send(errorFrame(rejection, undefined, this.roomId));
    const { code, reason } = closingFor(rejection, this.#parts.rooms.guests.size);
    this.#close(code, reason);
  }

  /** Other rights from the next frame on; what it may see of the history by these alone is sent behind the answer. */
  renew(rights: Rights, tenancy: Tenancy): void {
    if (this.#state.name !== 'joined') return;
    this.#rights = rights;
    delete this.#state.context;
    this.#credentials.watch(rights);
    tenancy.room.intake.forget(this.#identity.sessionId); // what waits came by the rights before
    this.#state.relay.look(this.#sight(tenancy, this.#patterns));
  }

  join({ identity, rights, caps, patterns, catchUp, supersedes }: Joining, tenancy: Tenancy): void {
    if (caps.has('supports_binary')) this.#speaking.useBinary();
    this.#identity = identity;
    this.#rights = rights;
    this.#caps = caps;
    const visit = this.#visitOf(identity, tenancy);
    const inherited = supersedes?.supersede() ?? [];
    const relay = this.#enterAs(tenancy);
    if (identity.proven && !this.#parts.vouched) this.#releaseKey = this.#parts.rooms.callers.hold(identity.pubkey);
    if (!this.#parts.vouched) this.#leaveRoom = this.#parts.rooms.visited.enter(visit);
    record(this.#parts, 'peers', 1);
    tell(this.#parts, 'debug', 'a peer has joined');
    this.#credentials.watch(rights);
    this.#patterns = patterns;
    for (const frame of [...tenancy.presence.frames, ...inherited]) this.deliver(frame);
    relay.begin(catchUp, this.#sight(tenancy, patterns));
  }

  #visitOf(identity: PeerIdentity, { room, size }: Tenancy): Visit {
    const { address } = this.#parts;
    const begins = room.seq === 0 && size === 0;
    return { room: room.id, begins, address, key: personOf(identity) };
  }

  /** Among the members of a room that is in memory. */
  #enterAs(tenancy: Tenancy): Relay {
    const { sessionId, rooms } = this.#parts;
    const { clock, limits } = rooms.parts;
    const lost = (): void => this.#close(CLOSE.resync.code, 'resync required');
    const rights = (): Rights => this.#rights;
    const parts = { outbox: this.#speaking, sessionId, rights, clock, behindMs: limits.behindMs, lost };
    const relay = new Relay(parts, tenancy);
    const reconciling = newAttempts(tenancy, clock);
    this.#state = { name: 'joined', tenancy, relay, reconciling, leave: tenancy.join(this) };
    return relay;
  }

  #sight({ room }: Tenancy, patterns: readonly string[] | undefined) {
    return room.packed.sight({ subscribed: patterns && new Globs(patterns), readable: this.#rights.read });
  }

  subscribe(patterns: readonly string[] | undefined, relay: Relay, tenancy: Tenancy, request: Frame): boolean {
    this.#patterns = patterns;
    return relay.look(this.#sight(tenancy, patterns), echoOf(request));
  }

  #send(frame: Frame, request?: Frame): void {
    this.deliver(new SharedFrame({ ...frame, ...echoOf(request) }));
  }

  /** Tells the peer of a refusal, which before hello also ends the connection. */
  refuse(rejection: Rejection, request?: Frame): void {
    const state = this.#state;
    if (state.name === 'closed') return;
    record(this.#parts, 'errors_total', 1, rejection.reason);
    const about = { code: rejection.reason, request: echoOf(request).req_id };
    tell(this.#parts, 'debug', 'a frame was refused', about);
    const command = request && this.#parts.table.commands.get(request.type);
    const rejected = rejectedFrame(rejection, command, request, this.#parts.roomId);
    if (rejected) return this.#send(rejected, request);
    this.#send(errorFrame(rejection, command, this.roomId), request);
    const closing = closingBehind(rejection, command, state.name);
    if (closing) this.#close(closing.code, closing.reason);
  }

  /** The peer's token does not hold any more. */
  expire(expired: TokenExpired, request?: Frame): void {
    if (this.isClosed()) return;
    record(this.#parts, 'errors_total', 1, expired.reason);
    this.#send(notices.error.frame({ msg: expired.message, code: expired.reason }), request);
    this.#close(CLOSE.tokenExpired.code, 'token expired');
  }

  #overrun(): void {
    record(this.#parts, 'errors_total', 1, 'rate-limit');
    const error = { msg: 'more was sent than the limits in welcome allow', code: 'rate-limit' };
    this.#send(notices.error.frame(error));
    this.#close(CLOSE.rateLimit.code, 'rate limit exceeded');
  }

  fault(error: unknown): void {
    const { rooms, roomId: room, sessionId: connection } = this.#parts;
    rooms.parts.onFault(error, { room, connection });
    const { code, reason } = closingFor(error, rooms.guests.size);
    this.#close(code, reason);
  }

  #close(code: number, reason: string): void {
    if (this.isClosed()) return;
    tellClosing(this.#parts, code, reason);
    this.closed();
    this.#parts.socket.close(code, reason);
  }

  // A method, so that the compiler does not take the state for unchanged after a call.
  isClosed(): boolean {
    return this.#state.name === 'closed';
  }
}
