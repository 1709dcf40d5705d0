/**
 * Gateway for Yjs clients: `y-websocket` and whatever speaks like it joins at `/yjs/<room>`. What it sends is durable before
 * others are told, signed by the server; who it is and where it may write, a token says. Its documents are values of the
 * room: in its history, its archives and its backups.
 */
import {
  type Bearer,
  CLOSE,
  type Connection,
  type Dismissed,
  type Host,
  type HostOptions,
  type PeerSocket,
  Rejection,
  type Room,
  StoreError,
  closingFor,
} from '@weft/core';
import { Awareness } from './awareness.js';
import { UPDATES, YjsDocument, type YjsModule } from './document.js';
import { MESSAGE, Reader, SYNC, message } from './wire.js';

export interface YjsGatewayOptions {
  readonly host: Pick<Host, 'bearer'>;
  /** Messages that one connection may send in a second, on average; 200 when absent. */
  readonly messagesPerSecond?: number;
  /** Bytes of messages that one connection may have sent that are not dealt with; 64 MiB when absent. */
  readonly inboxBytes?: number;
  /** Told of what is no refusal: its client hears none of it. */
  readonly onFault?: NonNullable<HostOptions['onFault']>;
}

export interface YjsGateway {
  /** A connection to a room, with the query of its address: `token` in it is a token as JSON, or that in base64url. */
  accept(roomId: string, socket: PeerSocket, query: string, request?: Dismissed['request']): Connection;
}

const MESSAGES_PER_SECOND = 200;
/** How many seconds' worth may come at once. */
const BURST_SECONDS = 10;
const INBOX_BYTES = 64 * 1024 * 1024;
/** How often it is looked whether somebody has to go. */
const CHECK_MS = 5000;

/** Loads the package `yjs`, which whoever wants this installs beside the server. */
export async function createYjsGateway(options: YjsGatewayOptions): Promise<YjsGateway> {
  const yjs: YjsModule = await import('yjs').catch((cause: unknown) => {
    throw new Error('the gateway for Yjs clients needs the package yjs: npm install yjs@13', { cause });
  });
  const rooms = new Map<Room, Shared>();
  return {
    accept(roomId, socket, query, request) {
      const peer = new YjsPeer(rooms, yjs, socket, options);
      void peer.enter(roomId, query, request);
      return peer;
    },
  };
}

/** What the connections of one room share. */
interface Shared {
  readonly document: YjsDocument;
  readonly awareness: Awareness<YjsPeer>;
  readonly peers: Set<YjsPeer>;
}

class YjsPeer implements Connection {
  readonly #rooms: Map<Room, Shared>;
  readonly #yjs: YjsModule;
  readonly #socket: PeerSocket;
  readonly #options: YjsGatewayOptions;
  #roomId = '';
  #bearer: Bearer | undefined;
  #shared: Shared | undefined;
  /** The socket is gone, or was told to go. */
  #isClosed = false;
  /** It was told to go: nothing that it has sent counts any more. */
  #isExpelled = false;
  /** Set while its socket takes nothing: what it had by then, and whether it has missed something since. */
  #behind: { readonly stateVector: Uint8Array | undefined; hasMissed: boolean } | undefined;
  #inbox = 0;
  #budget: number;
  #refilledAt = performance.now();
  #handled: Promise<void>;
  #entered!: () => void;
  #checking: ReturnType<typeof setInterval> | undefined;

  constructor(rooms: Map<Room, Shared>, yjs: YjsModule, socket: PeerSocket, options: YjsGatewayOptions) {
    this.#rooms = rooms;
    this.#yjs = yjs;
    this.#socket = socket;
    this.#options = options;
    this.#budget = (options.messagesPerSecond ?? MESSAGES_PER_SECOND) * BURST_SECONDS;
    this.#handled = new Promise((resolve) => (this.#entered = resolve));
  }

  async enter(roomId: string, query: string, request: Dismissed['request']): Promise<void> {
    this.#roomId = roomId;
    try {
      const dismissed = (code: number, reason: string): void => this.#end(code, reason);
      const token = tokenIn(query);
      const gateway = { dismissed, waitingBytes: () => 0, ...(request ? { request } : {}) };
      const bearer = await this.#options.host.bearer(roomId, token, gateway);
      if (this.#isExpelled) return bearer.leave();
      this.#bearer = bearer;
      if (!bearer.mayRead(UPDATES))
        throw new Rejection('auth', `auth: the token does not let its peer read ${UPDATES}`);
      this.#begin(bearer);
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.#entered();
    }
  }

  #begin({ room }: Bearer): void {
    let shared = this.#rooms.get(room);
    if (!shared) {
      const peers = new Set<YjsPeer>();
      const came = (update: Uint8Array): void => tell(peers, message(MESSAGE.sync, SYNC.update, update));
      shared = { document: new YjsDocument(room, this.#yjs, came), awareness: new Awareness(), peers };
      this.#rooms.set(room, shared);
    }
    shared.peers.add(this);
    this.#shared = shared;
    this.#checking = setInterval(() => this.#check(), CHECK_MS).unref();
    this.send(message(MESSAGE.sync, SYNC.step1, shared.document.stateVector));
    const shown = shared.awareness.all();
    if (shown) this.send(shown);
  }

  /** Sends it away where it has to go. */
  #check(): void {
    try {
      this.#bearer?.check();
    } catch (error) {
      this.#refuse(error);
    }
  }

  receive(frame: string | Uint8Array): void {
    if (this.#isClosed) return;
    if (typeof frame === 'string') return this.#end(1003, 'Yjs clients send bytes');
    this.#inbox += frame.length;
    if (this.#inbox > (this.#options.inboxBytes ?? INBOX_BYTES) || !this.#pays())
      return this.#end(CLOSE.rateLimit.code, 'more was sent than is taken; wait a little');
    this.#handled = this.#handled.then(() => this.#handle(frame));
  }

  #pays(): boolean {
    const { messagesPerSecond = MESSAGES_PER_SECOND } = this.#options;
    const now = performance.now();
    const earned = ((now - this.#refilledAt) / 1000) * messagesPerSecond;
    this.#budget = Math.min(messagesPerSecond * BURST_SECONDS, this.#budget + earned) - 1;
    this.#refilledAt = now;
    return this.#budget >= 0;
  }

  async #handle(frame: Uint8Array): Promise<void> {
    const [shared, bearer] = [this.#shared, this.#bearer];
    if (!shared || !bearer) return;
    try {
      await this.#take(new Reader(frame), shared, bearer);
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.#inbox -= frame.length;
    }
  }

  async #take(input: Reader, { document, awareness, peers }: Shared, bearer: Bearer): Promise<void> {
    const type = input.uint();
    if (type === MESSAGE.sync) return this.#sync(input, document, bearer);
    const shown = type === MESSAGE.awareness ? awareness.take(this, input.bytes()) : undefined;
    if (shown) tell(peers, shown, this);
    const all = type === MESSAGE.queryAwareness ? awareness.all() : undefined;
    if (all) this.send(all);
  }

  async #sync(input: Reader, document: YjsDocument, bearer: Bearer): Promise<void> {
    const step = input.uint();
    const content = input.bytes();
    if (step === SYNC.step1) return this.send(message(MESSAGE.sync, SYNC.step2, document.since(content)));
    if (step !== SYNC.step2 && step !== SYNC.update) throw new RangeError(`there is no step ${step}`);
    bearer.check();
    // A reader's editor sends what was typed all the same: it stays with the reader.
    if (bearer.mayWrite(UPDATES)) await document.write(content, bearer.by, step === SYNC.step2);
  }

  send(frame: Uint8Array): void {
    if (this.#isClosed) return;
    if (this.#behind) this.#behind.hasMissed = true;
    else if (!this.#socket.send(frame))
      this.#behind = { stateVector: this.#shared?.document.stateVector, hasMissed: false };
  }

  drained(): void {
    const [behind, shared] = [this.#behind, this.#shared];
    this.#behind = undefined;
    if (!behind?.hasMissed || !behind.stateVector || !shared) return;
    const { document, awareness } = shared;
    this.send(message(MESSAGE.sync, SYNC.update, document.since(behind.stateVector)));
    const shown = awareness.all();
    if (shown) this.send(shown);
  }

  progressed(): void {
    // What waits is bounded by the socket; nothing is queued here.
  }

  closed(): void {
    this.#isClosed = true;
    // What it has sent before it went is kept.
    void this.#handled.finally(() => this.#leave());
  }

  /** A client is told why, in its own words, and closed as a peer of Weft would be. */
  #refuse(error: unknown): void {
    const peers = this.#shared?.peers.size ?? 1;
    const { code, reason } =
      error instanceof RangeError ? { code: 1007, reason: error.message } : closingFor(error, peers);
    if (code === CLOSE.overload.code || error instanceof StoreError)
      this.#options.onFault?.(error, { room: this.#roomId });
    this.send(message(MESSAGE.auth, 0, reason));
    this.#end(code, reason);
  }

  #end(code: number, reason: string): void {
    const wasClosed = this.#isClosed;
    this.#isExpelled = true;
    this.#leave();
    if (!wasClosed) this.#socket.close(code, reason);
  }

  #leave(): void {
    this.#isClosed = true;
    clearInterval(this.#checking);
    const [shared, bearer] = [this.#shared, this.#bearer];
    [this.#shared, this.#bearer] = [undefined, undefined];
    if (shared && bearer) {
      shared.peers.delete(this);
      const shown = shared.awareness.leave(this);
      if (shown) tell(shared.peers, shown);
      if (shared.peers.size === 0) {
        shared.document.end();
        this.#rooms.delete(bearer.room);
      }
    }
    bearer?.leave();
  }
}

function tell(peers: Iterable<YjsPeer>, frame: Uint8Array, but?: YjsPeer): void {
  for (const peer of peers) if (peer !== but) peer.send(frame);
}

/** Undefined where there is none; what cannot be read is no token, and is refused as such. */
function tokenIn(query: string): unknown {
  const text = new URLSearchParams(query).get('token');
  if (text === null || text === '') return undefined;
  const json = text.startsWith('{') ? text : Buffer.from(text, 'base64url').toString('utf8');
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return text;
  }
}
