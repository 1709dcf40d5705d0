/**
 * A peer's connection to a room, or one after the other: keeps a replica in step with the server's. [CL]
 *
 * Local writes are visible at once and go out by themselves, or with `push`. Without a connection the replica stays readable
 * and writable; what no server has confirmed goes out on the next one.
 */
import type { Credential } from '../access/token.js';
import type { Clock } from '../ports/clock.js';
import { Rejection } from '../rejection.js';
import type { RefusedNode } from '../room/admission/judgement.js';
import { POLICY_CODE, RESTART_CODE, TOKEN_EXPIRED_CODE } from '../wire/close-codes.js';
import { DEPTH, type Frame, isWithin } from '../wire/frame.js';
import { CONNECTED_AGAIN, comeBackMs } from '../wire/restart-reason.js';
import { checkListener } from './changes/listener.js';
import type { DirectParts } from './direct/word.js';
import type { BlobLink, BlobSource, GetOptions, PutOptions } from './blobs/blob-link.js';
import type { Connection } from './connection/connection.js';
import { Heartbeat, type HeartbeatOptions } from './connection/heartbeat.js';
import type { PeerOptions } from './connection/joining.js';
import { Listeners } from './connection/listeners.js';
import { checkAddress, offline } from './connection/trouble.js';
import { Others, type Peer } from './connection/others.js';
import type { IsAnswer } from './connection/requests.js';
import { Pushing } from './connection/pushing.js';
import type { Network, RetryOptions, Retrying } from './connection/retrying.js';
import { type Comparison, Visit } from './connection/visit.js';
import type { Closing, WebSocketLike } from './connection/web-socket.js';
import type { Replica } from './replica/replica.js';

/** On its way into the room; in it; out of it until the next attempt; out of it for good. */
export type ClientState = 'connecting' | 'joined' | 'waiting' | 'ended';

/** Why a state was entered, and what follows. */
export interface StateDetail {
  readonly error?: Error;
  /** When the next attempt is made, by the clock; absent where none follows, or while there is no network. */
  readonly willRetryAt?: number | undefined;
}

interface RoomOptions extends Omit<PeerOptions, 'clock'> {
  /** Goes on with this copy of the room: only what it lacks is sent. */
  readonly replica?: Replica | undefined;
  /** Patterns over keys; everything when absent. */
  readonly subscribe?: readonly string[];
  /** Whether what is written goes out by itself, soon after. */
  readonly autoPush?: boolean;
  readonly clock?: Clock;
}

export interface ConnectOptions extends RoomOptions {
  /** Just made: its `open` event has not happened yet. */
  readonly socket: WebSocketLike;
  /** What gives this peer rights in the room, or lets it into a locked one; a text is for the server's authentication hook. */
  readonly token?: Credential;
}

export interface KeepOptions extends RoomOptions {
  /** Makes a socket for each attempt. */
  readonly open: () => WebSocketLike;
  /** The token of `connectRoom`, or what gets a new one for each attempt, for this peer's public key. */
  readonly token?: Credential | ((publicKey: string) => Credential | Promise<Credential>) | undefined;
  readonly retry?: RetryOptions | undefined;
  /** Asks a silent server whether it is there; absent, only an answer that is awaited tells. */
  readonly heartbeat?: HeartbeatOptions;
  /** What a browser says when absent. */
  readonly network?: Network;
  /** What `client.seen` said when the replica was saved, or before: of what is known by its header alone no more is asked then. */
  readonly seen?: string | undefined;
}

export interface ClientParts extends Omit<KeepOptions, 'retry' | 'network' | 'clock'> {
  readonly clock: Clock;
  /** Absent: the first connection is the only one. */
  readonly retrying?: Retrying;
  /** Its `peerId` was made for it, and nobody else has it. */
  readonly isNamedHere?: boolean;
}

/** A connection on which nothing was wrong for so long. */
const STEADY_MS = 5000;
/** After which nodes that came before what they stand on are offered again. */
const EARLY_MS = 1000;

/** The part of a token's time after which another one is asked for, and the least time for which that is worth it. */
const RENEWED_AFTER = 0.8;
const LEAST_LEFT_MS = 1000;
/** Timers of platforms know no longer ones. */
const MOST_WAIT_MS = 2 ** 31 - 1;

/** A server's name of what it has shown, in hex; what a client says itself is a list. */
const IS_NAME = /^\w+$/;

const late = () => import('./late.js');

export class RoomClient {
  readonly #parts: ClientParts;
  #patterns: readonly string[] | undefined;
  readonly #others = new Others();
  readonly #changes = new Listeners<void>();
  readonly #states = new Listeners<readonly [ClientState, StateDetail]>();
  #lastError: Error | undefined;
  readonly #unlistenOffline: (() => void) | undefined;
  readonly #refusals = new Listeners<readonly RefusedNode[]>();
  readonly #notices = new Listeners<Frame>();
  readonly #shows = new Listeners<unknown>();
  #state: ClientState = 'connecting';
  #visit: Visit | undefined;
  #replica: Replica | undefined;
  #pushing: Pushing | undefined;
  #frameBytes = 0;
  /** What of the room the replica was last brought in step with. */
  #seen: string | undefined;
  #joinedAt = Infinity;
  #shown: { readonly value: unknown } | undefined;
  #credential: Credential | undefined;
  #isShowing = false;
  #cancelAgain: () => void = () => undefined;
  #cancelRenewal: () => void = () => undefined;
  #heartbeat: Heartbeat | undefined;
  #settleJoined!: { resolve(): void; reject(error: Error): void };
  #settleClosed!: (closing: Closing) => void;

  /** Resolves when the room's history is merged for the first time; rejects when it will not be. */
  readonly joined: Promise<void>;
  /** Resolves when the connection has ended and no other will follow. */
  readonly closed: Promise<Closing>;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#patterns = parts.subscribe;
    this.#seen = parts.seen;
    this.joined = new Promise((resolve, reject) => (this.#settleJoined = { resolve, reject }));
    this.joined.catch(() => undefined); // nobody need wait for it
    this.closed = new Promise((resolve) => (this.#settleClosed = resolve));
    if (parts.replica) this.#begin(parts.replica);
    this.#unlistenOffline = parts.retrying?.network.onOffline?.(() => this.#offline());
    void this.#connect();
  }

  get state(): ClientState {
    return this.#state;
  }

  /** When the server was heard last on the present connection, in Unix milliseconds. */
  get heardAt(): number | undefined {
    return this.#visit?.connection.heardAt;
  }

  /**
   * What of the room its copy has been shown, for the client that goes on with it one day. Absent until it has joined, and where a server
   * does not say what a text as token has shown.
   */
  get seen(): string | undefined {
    return this.#seen;
  }

  get replica(): Replica {
    if (!this.#replica) throw new Error('not joined');
    return this.#replica;
  }

  /**
   * Sends what was written. Resolves when all that is durable, on a later connection if need be. When there will be none,
   * it rejects and nothing is given up: the replica offers it again. Rejects too when the server refused any of it: that
   * has disappeared from the replica, and what was written on top of it was written anew and is durable.
   */
  push(): Promise<void> {
    return this.#pushing?.push() ?? Promise.reject(new Error('not joined'));
  }

  /** Called soon after nodes of others were merged, or own ones given up. */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  /** Called with nodes that the server refused for good: they have disappeared from the replica. */
  onRefused(listener: (nodes: readonly RefusedNode[]) => void): () => void {
    return this.#refusals.add(listener);
  }

  /** Called with each state and, of one that something has led to, with why and when another attempt follows. */
  onState(listener: (state: ClientState, detail: StateDetail) => void): () => void {
    checkListener(listener);
    return this.#states.add(([state, detail]) => listener(state, detail));
  }

  /** Why the last connection failed or ended; undefined once the room is joined again. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /** How many own nodes no server has confirmed yet. */
  get unconfirmed(): number {
    return this.#replica?.exchange.unconfirmed ?? 0;
  }

  /** Whether this peer is in the room, and all that it wrote is durable there. */
  get synced(): boolean {
    return this.#state === 'joined' && this.unconfirmed === 0;
  }

  /** Chooses which keys are sent, now and on later connections. What was not seen before follows. */
  async subscribe(patterns?: readonly string[]): Promise<void> {
    this.#patterns = patterns;
    this.#seen = undefined; // until all of it has come
    if (this.#state === 'joined') await this.request({ type: 'subscribe', patterns });
  }

  /** The others in the room; nobody without a connection. */
  get peers(): readonly Peer[] {
    return this.#others.peers;
  }

  onPeers(listener: (peers: readonly Peer[]) => void): () => void {
    return this.#others.onPeers.add(listener);
  }

  /** What the others show, by their `peerId`. */
  get presence(): ReadonlyMap<string, unknown> {
    return this.#others.shown;
  }

  onPresence(listener: (presence: ReadonlyMap<string, unknown>) => void): () => void {
    return this.#others.onShown.add(listener);
  }

  /** Shows the others something of the moment, on every connection until something else is shown. */
  present(value: unknown): void {
    checkShown(value);
    this.#shown = { value };
    this.#shows.tell(value);
    if (this.#isShowing) return;
    this.#isShowing = true;
    queueMicrotask(() => {
      this.#isShowing = false;
      this.#show();
    });
  }

  /** What `linkPeers` is made of. */
  directParts(): DirectParts {
    const { keys, crypto } = this.#parts;
    return {
      keys,
      crypto,
      credential: this.#credential,
      shown: this.#shown,
      onShow: (listener) => this.#shows.add(listener),
      hear: (frame) => void this.#others.take(frame),
    };
  }

  /**
   * Sends any command that is answered; resolves with the first frame of the answer, rejects with the server's refusal. `isAnswer`
   * knows an answer that everybody is sent.
   */
  async request(frame: Frame, isAnswer?: IsAnswer): Promise<Frame> {
    return this.#connection.ask(frame, isAnswer);
  }

  /** Sends a command that is not answered, such as a WebRTC signal. Throws without a connection. */
  send(frame: Frame): void {
    this.#connection.send(frame);
  }

  /** Called with every frame that nobody has asked for, but nodes, peers and what they show. */
  onNotice(listener: (frame: Frame) => void): () => void {
    return this.#notices.add(listener);
  }

  /**
   * Stores a file beside the room's nodes; resolves with its hash, for `replica.setBlob`, once it is durable and the room has
   * it, on a later connection if need be. A file that is large is not held in memory, and goes on where it broke off, where the server
   * gives out links.
   */
  async putBlob(source: BlobSource, options?: PutOptions): Promise<string> {
    return (await late()).putBlob(this.#blobLink, source, options);
  }

  /** Undefined when the room does not have it. */
  async getBlob(hash: string, options?: GetOptions): Promise<Uint8Array | undefined> {
    return (await late()).getBlob(this.#blobLink, hash, options);
  }

  /** Reads a blob piece by piece: a reader that has come to the end without an error has read what the hash says. */
  async readBlob(hash: string, options?: GetOptions): Promise<ReadableStream<Uint8Array> | undefined> {
    return (await late()).readBlob(this.#blobLink, hash, options);
  }

  close(): void {
    const visit = this.#visit;
    this.#end({ code: 1000, reason: 'bye' }, new Rejection('disconnected', 'closed here'));
    visit?.connection.close(1000, 'bye');
  }

  #begin(replica: Replica): void {
    this.#replica = replica;
    replica.keepOneKind();
    this.#pushing = new Pushing({
      replica,
      autoPush: this.#parts.autoPush ?? false,
      refused: (nodes) => {
        this.#refusals.tell(nodes);
        this.#changes.tell();
      },
      early: (again) => {
        this.#cancelAgain();
        this.#cancelAgain = this.#parts.clock.after(EARLY_MS, again);
      },
      broken: (error) => this.#visit?.fail(error),
    });
  }

  async #connect(): Promise<void> {
    this.#enter('connecting');
    const { token, open, keys } = this.#parts;
    let own: Credential | undefined;
    try {
      own = typeof token === 'function' ? await token(keys.publicKey) : token;
    } catch (error) {
      return this.#lost({ code: 1006, reason: 'no token' }, asError(error), true);
    }
    if (this.#state !== 'connecting') return;
    try {
      const socket = open();
      checkAddress(socket);
      this.#visitWith(own, socket);
    } catch (error) {
      this.#end({ code: 1006, reason: 'no socket' }, asError(error)); // for a wrong address, for example
    }
  }

  #visitWith(token: Credential | undefined, socket: WebSocketLike): void {
    this.#credential = token;
    const subscribe = this.#patterns;
    // What a text stands for is known to the server alone: it has a name for what it shows.
    let view = typeof token === 'string' ? undefined : JSON.stringify([subscribe, token?.caps]);
    this.#visit = new Visit({
      options: this.#parts,
      socket,
      token,
      subscribe,
      replica: this.#replica,
      standing: () => {
        const isAsSeen = this.#replica?.withheld === 0 || (view !== undefined && this.#seen === view);
        const named = view === undefined && !isAsSeen && IS_NAME.test(this.#seen ?? '') ? this.#seen : undefined;
        return { isAsSeen, view: named };
      },
      welcomed: ({ peers, limits, retry_spread_ms: spreadMs, view: shown }) => {
        view ??= shown;
        this.#frameBytes = limits.frame_bytes;
        if (this.#parts.retrying) this.#parts.retrying.spreadMs = spreadMs;
        this.#others.meet(peers);
      },
      opened: (opened) => this.#begin(opened),
      joined: (found) => this.#joined(view, found),
      merged: () => this.#changes.tell(),
      received: (frame) => this.#others.take(frame) || this.#notices.tell(frame),
      ended: (closing, error, isRefused) => this.#lost(closing, error, isRefused),
    });
  }

  #joined(view: string | undefined, found: Comparison): void {
    this.#seen = view;
    this.#joinedAt = this.#parts.clock.now();
    this.#lastError = undefined;
    this.#enter('joined');
    if (this.#visit) this.#pushing?.begin(this.#visit.connection, this.#frameBytes, found);
    this.#listen();
    this.#renewLater();
    this.#show();
    this.#settleJoined.resolve();
  }

  /**
   * Shows another token before the one that holds has expired, so that the connection goes on. Where that fails, or a clock is wrong, the
   * server ends it when the token has expired, and this peer comes again with another one. Asks for a key that was proved. [AU9]
   */
  #renewLater(): void {
    const { token: make, clock, audience } = this.#parts;
    const [held, visit] = [this.#credential, this.#visit];
    if (typeof make !== 'function' || typeof held !== 'object' || audience === undefined) return;
    const leftMs = held.expiry * 1000 - clock.now();
    if (leftMs < LEAST_LEFT_MS) return;
    const renew = async (): Promise<void> => {
      const token = await make(this.#parts.keys.publicKey);
      // Other rights show another part of the room: that is asked for as a whole.
      if (visit !== this.#visit || typeof token !== 'object' || String(token.caps) !== String(held.caps)) return;
      await this.request({ type: 'refresh-token', token });
      this.#credential = token;
      this.#renewLater();
    };
    const waitMs = Math.min(leftMs * RENEWED_AFTER, MOST_WAIT_MS);
    this.#cancelRenewal = clock.after(waitMs, () => void renew().catch(() => undefined));
  }

  #listen(): void {
    const { clock, heartbeat, retrying } = this.#parts;
    if (!heartbeat || !retrying || !this.#visit || this.#visit.connection.isEnded) return;
    this.#heartbeat = new Heartbeat(clock, retrying.network, this.#visit.connection, heartbeat);
  }

  #show(): void {
    if (this.#shown && this.#state === 'joined')
      this.#visit?.connection.send({ type: 'presence', data: this.#shown.value });
  }

  /** Throws without one. */
  get #connection(): Connection {
    if (this.#visit && this.#state === 'joined') return this.#visit.connection;
    throw new Rejection('disconnected', 'there is no connection');
  }

  get #blobLink(): BlobLink {
    return {
      clock: this.#parts.clock,
      client: this,
      frameBytes: () => this.#frameBytes,
    };
  }

  /** The network has gone: the socket would notice it much later. Browsers let nobody close with a code of the protocol but 1000. */
  #offline(): void {
    this.#visit?.connection.close(1000, 'offline', offline());
  }

  #lost(closing: Closing, error: Error, isRefused: boolean): void {
    this.#visit = undefined;
    this.#heartbeat?.stop();
    this.#cancelAgain();
    this.#cancelRenewal();
    this.#pushing?.pause();
    this.#others.meet([]);
    if (this.#state === 'ended') return;
    const { retrying, clock } = this.#parts;
    const refused = isRefused && error instanceof Rejection ? error.reason : undefined;
    if (!retrying || this.#isFinal(closing, refused)) return this.#end(closing, error);
    if (clock.now() - this.#joinedAt >= STEADY_MS) retrying.reset();
    this.#joinedAt = Infinity;
    const ms = closing.code === RESTART_CODE ? comeBackMs(closing.reason) : undefined;
    const willRetryAt = retrying.wait(() => void this.#connect(), ms);
    this.#lastError = error;
    this.#enter('waiting', { error, willRetryAt });
  }

  /** Whether another attempt would end like this one. [CL5] */
  #isFinal({ code, reason }: Closing, refused: string | undefined): boolean {
    if (refused === 'genesis-mismatch') return true;
    // A hello that came too late was not refused for what it says. Who has connected again under a name that nobody else has was overtaken by himself.
    if (code === POLICY_CODE)
      return refused !== 'expected-hello' && !(this.#parts.isNamedHere && reason === CONNECTED_AGAIN);
    return code === TOKEN_EXPIRED_CODE && typeof this.#parts.token !== 'function';
  }

  #end(closing: Closing, error: Error): void {
    if (this.#state === 'ended') return;
    this.#lastError = error;
    this.#enter('ended', { error });
    this.#heartbeat?.stop();
    this.#cancelAgain();
    this.#unlistenOffline?.();
    this.#parts.retrying?.stop();
    this.#pushing?.end(error);
    this.#settleJoined.reject(error);
    this.#settleClosed(closing);
  }

  #enter(state: ClientState, detail: StateDetail = {}): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#states.tell([state, detail]);
  }
}

/** Refuses what cannot be shown: it would be lost on its way. */
function checkShown(value: unknown): void {
  try {
    if (isWithin(value, DEPTH)) return;
  } catch {
    // Deeper than the stack, as what contains itself is.
  }
  throw new Rejection(
    'invalid-value',
    `what is shown must be plain data, at most ${DEPTH} deep, that does not contain itself`,
  );
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
