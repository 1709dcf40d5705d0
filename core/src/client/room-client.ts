/**
 * Joins a room over any WebSocket and keeps a replica in step with it.
 *
 * Local writes are visible at once and go out with `push`, which resolves when they are durable. When the
 * socket closes the replica stays readable and writable.
 */
import { z } from 'zod';
import type { KeyPair } from '../access/keys.js';
import { type Proof, freshNonce, makeProof } from '../access/proof.js';
import type { Token } from '../access/token.js';
import { fromBase64, fromHex, toBase64 } from '../codec/bytes.js';
import type { Crypto } from '../ports/crypto.js';
import { Rejection } from '../rejection.js';
import type { RefusedNode } from '../room/admission.js';
import { type Frame, parseFrame } from '../wire/frame.js';
import { PROTOCOLS } from '../wire/protocol.js';
import { Replica } from './replica.js';
import { Requests } from './requests.js';
import type { Closing, WebSocketLike } from './web-socket.js';

export interface ConnectOptions {
  /** Just made: its `open` event has not happened yet. */
  readonly socket: WebSocketLike;
  readonly keys: KeyPair;
  /** Logical peer, stable across reconnects; the public key when absent. */
  readonly peerId?: string;
  readonly peerType?: string;
  /** What gives this peer rights in the room, or lets it into a locked one. */
  readonly token?: Token;
  /** The server as this peer dials it, `host:port`: with it, the peer proves that it holds its key. */
  readonly audience?: string;
  /** The room's id, which the proof is for. */
  readonly room?: string;
  /** Patterns over keys; everything when absent. */
  readonly subscribe?: readonly string[];
  readonly crypto: Crypto;
}

/** Nodes that a server has refused; reasons that this version does not know are for good. */
const Refused = z.array(z.object({ id: z.string(), reason: z.string() }).transform((node) => node as RefusedNode));

function refusal(refused: readonly RefusedNode[]): Rejection {
  return new Rejection('push-refused', 'the server refused nodes; see data for each reason', { data: refused });
}

export class RoomClient {
  readonly #options: ConnectOptions;
  readonly #requests = new Requests();
  readonly #listeners = new Set<() => void>();
  readonly #joined: Promise<Replica>;
  #settleJoin: { resolve(replica: Replica): void; reject(error: Error): void } | undefined;
  #replica: Replica | undefined;
  #merging: Promise<void> = Promise.resolve();
  #pushing: Promise<void> = Promise.resolve();

  /** Resolves when the socket has closed, for whatever reason. */
  readonly closed: Promise<Closing>;

  private constructor(options: ConnectOptions) {
    this.#options = options;
    this.#joined = new Promise((resolve, reject) => (this.#settleJoin = { resolve, reject }));
    const { socket } = options;
    socket.addEventListener('open', () => void this.#sayHello());
    socket.addEventListener('message', ({ data }) => this.#receive(data));
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => {
        this.#fail(new Rejection('disconnected', `the connection closed (${code} ${reason})`));
        resolve({ code, reason });
      });
    });
  }

  /** Resolves when the room's history is merged; rejects with the server's refusal. */
  static async connect(options: ConnectOptions): Promise<RoomClient> {
    const client = new RoomClient(options);
    client.#replica = await client.#joined;
    return client;
  }

  get replica(): Replica {
    if (!this.#replica) throw new Error('not joined');
    return this.#replica;
  }

  /**
   * Seals and sends what was written, one push after the other. Resolves when it is durable. When the connection is lost
   * first, nothing is given up: the replica offers it again. Rejects when the server refused any of it: that has
   * disappeared from the replica, and what was written on top of it was written anew and is durable.
   */
  push(): Promise<void> {
    const pushed = this.#pushing.then(() => this.#push());
    this.#pushing = pushed.catch(() => undefined);
    return pushed;
  }

  async #push(): Promise<void> {
    const given: RefusedNode[] = [];
    for (let pack = await this.replica.seal(); pack; pack = await this.replica.seal()) {
      const ack = await this.#ask({ type: 'pack', nodes: toBase64(pack) });
      const refused = Refused.parse(ack['rejected']);
      const lost = this.replica.confirm(pack, refused);
      given.push(...lost);
      if (refused.length === 0) break;
      if (lost.length === 0) throw refusal(refused); // it may still be taken: what it stands on is not there yet
      this.#tell();
    }
    if (given.length > 0) throw refusal(given);
  }

  /** Called soon after nodes of others were merged, or own ones given up. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#options.socket.close(1000, 'bye');
  }

  async #sayHello(): Promise<void> {
    const { keys, peerId, peerType, token, subscribe } = this.#options;
    const names = {
      ...(token === undefined ? {} : { token }),
      ...(subscribe === undefined ? {} : { subscribe }),
      ...(peerId === undefined ? {} : { peer_id: peerId }),
      ...(peerType === undefined ? {} : { peer_type: peerType }),
    };
    try {
      const proof = await this.#prove();
      await this.#ask({ type: 'hello', pubkey: keys.publicKey, protocol: PROTOCOLS, ...names, ...proof });
    } catch (error) {
      if (error instanceof Error) this.#fail(error);
    }
  }

  async #prove(): Promise<{ proof?: Proof }> {
    const { keys, crypto, audience, room } = this.#options;
    if (audience === undefined || room === undefined) return {};
    const claims = { room, aud: audience.toLowerCase(), ts: Date.now(), nonce: freshNonce() };
    return { proof: await makeProof(claims, crypto.signer(fromHex(keys.seed))) };
  }

  #ask(frame: Frame): Promise<Frame> {
    return this.#requests.ask(frame, (text) => this.#options.socket.send(text));
  }

  #receive(data: unknown): void {
    const frame = typeof data === 'string' ? parseFrame(data) : undefined;
    if (frame?.type === 'welcome' || frame?.type === 'pack') {
      // One after the other: a pack stands on those before it.
      this.#merging = this.#merging.then(() => this.#merge(frame)).catch((error: unknown) => this.#broken(error));
    }
    if (!frame) return;
    this.#requests.answer(frame);
    if (frame.type === 'error') this.#settleJoin?.reject(new Rejection(String(frame['code']), String(frame['msg'])));
  }

  async #merge(frame: Frame): Promise<void> {
    if (frame.type === 'welcome') {
      const genesis = fromBase64(String(frame['genesis']));
      this.#replica = await Replica.open({ ...this.#options, genesis });
      return;
    }
    const { refused } = await this.replica.receive(fromBase64(String(frame['nodes'])));
    if (refused[0])
      throw new Rejection('out-of-step', `the server sent a node without its past (${refused[0].reason})`);
    if (frame['final'] === true) this.#settleJoin?.resolve(this.replica);
    this.#tell();
  }

  /** A bug of a listener is its own: it surfaces, and what it is told of has happened all the same. */
  #tell(): void {
    for (const listener of [...this.#listeners]) queueMicrotask(listener);
  }

  /** What the server sent cannot be merged: going on would diverge silently. */
  #broken(error: unknown): void {
    this.#fail(error instanceof Error ? error : new Error(String(error)));
    this.#options.socket.close(1000, 'cannot merge');
  }

  #fail(error: Error): void {
    this.#settleJoin?.reject(error);
    this.#requests.end(error);
  }
}
