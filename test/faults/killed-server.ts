/**
 * A real server over a real folder, killed at any moment while peers write, upload and administrate, and started again:
 * whatever it had answered is there, what it holds is a beginning of what each author sent, and nothing else.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type KeyPair,
  type Replica,
  decodePack,
  fromBase64,
  generateKeys,
  keysFromSeed,
  signProof,
  signToken,
  toBase64,
  toHex,
} from '@weft/core';
import { expect } from 'vitest';
import { Random } from '../convergence/random.js';
import { tempFolder } from '../support/temp-folder.js';
import { type Frame, Peer } from './peer.js';
import { type ServedProcess, type transports, serveProcess } from './serving.js';
import { merge, replicaOf } from './writer.js';

const AUTHORS = 3;
const ROOM = 'room';

interface Author {
  readonly keys: KeyPair;
  replica: Replica | undefined;
  /** Ids of all nodes that were ever sent, in the order of the author's chain. */
  readonly sent: Set<string>;
}

/** Setting of an administrator: the value that was answered, and one that was perhaps sent since. */
interface Setting {
  answered: string | undefined;
  asked: string | undefined;
}

class KilledServer {
  readonly #transport: (typeof transports)[number];
  readonly #folder: string;
  readonly #random: Random;
  readonly #authors: readonly Author[];
  readonly #admin = generateKeys();
  /** Ids that a peer was told of as durable: in an ack, or in what was relayed. */
  readonly #durable = new Set<string>();
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #lock: Setting = { answered: undefined, asked: undefined };
  readonly #policy: Setting = { answered: undefined, asked: undefined };
  #settings = 0;

  private constructor(transport: (typeof transports)[number], folder: string, random: Random) {
    this.#transport = transport;
    this.#folder = folder;
    this.#random = random;
    this.#authors = Array.from({ length: AUTHORS }, () => {
      return { keys: generateKeys(), replica: undefined, sent: new Set<string>() };
    });
  }

  static async open(transport: (typeof transports)[number], random: Random): Promise<KilledServer> {
    return new KilledServer(transport, join(await tempFolder(), 'data'), random);
  }

  /** Counts of what was answered so far. */
  get answered(): { readonly nodes: number; readonly blobs: number; readonly settings: number } {
    return { nodes: this.#durable.size, blobs: this.#blobs.size, settings: this.#settings };
  }

  /** Whether something of each kind was answered. */
  get #isProof(): boolean {
    return Object.values(this.answered).every((count) => count > 0);
  }

  /**
   * Starts the server on what the last one left, holds it against what was answered, and kills it under load: soon, but the last
   * time not before something of each kind was answered.
   */
  async round(isLast: boolean): Promise<void> {
    const served = await this.check();
    const working = [
      ...this.#authors.map((author) => this.#write(served, author)),
      this.#upload(served),
      this.#administrate(served),
    ];
    // A peer's work ends with its connection.
    const ended = Promise.allSettled(working);
    await new Promise((resolve) => setTimeout(resolve, 100 + this.#random.below(600)));
    while (isLast && !this.#isProof) await new Promise((resolve) => setTimeout(resolve, 10));
    await served.weft.kill('SIGKILL');
    for (const result of await ended)
      expect(String(result.status === 'rejected' && result.reason)).toMatch(/closed with|ECONNRE|socket hang up/);
  }

  async check(): Promise<ServedProcess> {
    const served = await serveProcess('--store', this.#folder, '--transport', this.#transport);
    const peer = await Peer.dial(served.url, ROOM);
    const { welcome, packs } = await peer.join(await this.#hello(served, generateKeys()));
    const reader = await replicaOf(welcome);
    for (const frame of packs) await merge(reader, frame);
    this.#checkNodes(welcome, packs);
    // Before the first durable node a room has none, where a reader has its genesis.
    if (welcome['canonical_seq'] !== 0) expect(reader.stateHash).toBe(welcome['canonical_hash']);
    this.#checkSetting(this.#lock, fieldOf(reader.get('\0lock'), 'key'));
    this.#checkSetting(this.#policy, fieldOf(reader.get('\0policy'), 'rules', 0, 'path_glob'));
    await this.#checkLock(served);
    await this.#checkBlobs(peer);
    peer.socket.terminate();
    return served;
  }

  #checkNodes(welcome: Frame, packs: readonly Frame[]): void {
    const nodes = packs.flatMap(nodesOf);
    const ids = new Set(nodes.map(({ id }) => id));
    expect(ids.size).toBe(nodes.length);
    expect(welcome['canonical_seq']).toBe(nodes.length);
    expect([...this.#durable].filter((id) => !ids.has(id))).toEqual([]);
    const mine = new Set([...this.#authors.map(({ keys }) => keys.publicKey), welcome['server_pubkey']]);
    expect(nodes.filter(({ author }) => !mine.has(author))).toEqual([]);
    for (const { keys, sent } of this.#authors) {
      const held = nodes.filter(({ author }) => author === keys.publicKey).map(({ id }) => id);
      expect(held).toEqual([...sent].slice(0, held.length));
    }
  }

  /** Check of a setting: the value that was answered last, or one that was asked for after it. */
  #checkSetting(setting: Setting, found: string | undefined): void {
    expect([setting.answered, setting.asked]).toContain(found);
    setting.answered = setting.asked = found;
  }

  async #checkLock(served: ServedProcess): Promise<void> {
    const stranger = await Peer.dial(served.url, ROOM);
    stranger.send({ type: 'hello' });
    expect((await stranger.next()).type).toBe(this.#lock.answered === undefined ? 'welcome' : 'error');
    stranger.socket.terminate();
  }

  async #checkBlobs(peer: Peer): Promise<void> {
    for (const [hash, bytes] of this.#blobs) {
      peer.send({ type: 'blob-request', hashes: [hash] });
      expect(await peer.nextOf('blob-pack')).toMatchObject({ blobs: [{ hash, data: toBase64(bytes) }] });
    }
  }

  async #hello({ audience }: ServedProcess, keys: KeyPair): Promise<object> {
    const admin = keysFromSeed((await readFile(join(this.#folder, 'admin.key'), 'utf8')).trim());
    const claims = { room: ROOM, peer: keys.publicKey, expiry: Math.floor(Date.now() / 1000) + 3600 };
    const token = await signToken({ ...claims, caps: ['room.admin', 'policy.admin'] }, admin.seed);
    return { pubkey: keys.publicKey, token, proof: await signProof({ room: ROOM, aud: audience }, keys) };
  }

  async #write(served: ServedProcess, author: Author): Promise<never> {
    const peer = await Peer.dial(served.url, ROOM);
    const known = author.replica?.frontier ?? [];
    const { welcome, packs } = await peer.join({ ...(await this.#hello(served, author.keys)), known });
    const replica = (author.replica ??= await replicaOf(welcome, author.keys));
    for (const frame of packs) await this.#hear(replica, frame);
    for (;;) {
      this.#edit(replica);
      const pack = await replica.seal();
      if (!pack) throw new Error('there is nothing to seal');
      const ids = decodePack(pack).nodes.map(({ id }) => toHex(id));
      for (const id of ids) author.sent.add(id);
      peer.send({ type: 'pack', nodes: toBase64(pack) });
      let frame = await peer.next();
      for (; frame.type !== 'pack-ack'; frame = await peer.next())
        if (frame.type === 'pack') await this.#hear(replica, frame);
      expect(frame).toMatchObject({ accepted_count: ids.length, rejected_count: 0 });
      replica.confirm();
      for (const id of ids) this.#durable.add(id);
    }
  }

  async #hear(replica: Replica, frame: Frame): Promise<void> {
    await merge(replica, frame);
    for (const { id } of nodesOf(frame)) this.#durable.add(id);
  }

  #edit(replica: Replica): void {
    const random = this.#random;
    // Soon overwritten, and enough of it that it leaves the server's memory.
    if (random.below(2) === 0) replica.set(`large${random.below(2)}`, `${random.below(1000)} `.repeat(20_000));
    for (let i = random.below(20); i >= 0; i--) {
      const [text, list, kind] = [replica.text('text'), replica.list('list'), random.below(10)];
      if (kind < 3) replica.set(`k${random.below(50)}`, random.below(1000));
      else if (kind < 7 || text.length === 0) text.insert(random.below(text.length + 1), `${kind} words `);
      else if (kind < 9) text.delete(random.below(text.length), 1);
      else if (list.length < 20) list.insert(random.below(list.length + 1), kind);
      else list.delete(random.below(list.length));
    }
  }

  async #upload(served: ServedProcess): Promise<never> {
    const keys = generateKeys();
    const peer = await Peer.enter(served.url, ROOM, await this.#hello(served, keys));
    for (;;) {
      const bytes = Uint8Array.from({ length: 1 + this.#random.below(5000) }, () => this.#random.below(256));
      const hash = createHash('sha256').update(bytes).digest('hex');
      peer.send({ type: 'blob-upload', blobs: [{ hash, data_b64: toBase64(bytes) }] });
      expect(await peer.nextOf('blob-available')).toMatchObject({ hashes: [hash] });
      this.#blobs.set(hash, bytes);
    }
  }

  async #administrate(served: ServedProcess): Promise<never> {
    const peer = await Peer.enter(served.url, ROOM, await this.#hello(served, this.#admin));
    const ask = async (setting: Setting, value: string | undefined, frame: object, answer: string): Promise<void> => {
      setting.asked = value;
      peer.send(frame);
      await peer.nextOf(answer);
      setting.answered = value;
      this.#settings++;
    };
    for (;;) {
      const path = `elsewhere/${this.#random.below(2 ** 32)}`;
      const rules = [{ path_glob: path, can_write: [] }];
      await ask(this.#policy, path, { type: 'set-policy', default: 'allow', rules }, 'policy-set');
      const key = generateKeys().publicKey;
      const isLocked = this.#lock.answered !== undefined;
      if (isLocked && this.#random.chance(50))
        await ask(this.#lock, undefined, { type: 'unlock-room' }, 'room-unlocked');
      else {
        const type = isLocked ? 'rotate-room-key' : 'set-room-key';
        await ask(this.#lock, key, { type, pubkey: key }, 'room-locked');
      }
    }
  }
}

/** Fails with the seed that leads there; what is still being decided when the kill comes differs all the same. */
export async function survivesKills(transport: (typeof transports)[number], kills: number): Promise<void> {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const server = await KilledServer.open(transport, new Random(seed));
  try {
    for (let kill = 0; kill < kills; kill++) await server.round(kill === kills - 1);
    const { weft } = await server.check();
    expect(await weft.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function nodesOf({ nodes }: Frame): { readonly id: string; readonly author: string }[] {
  return decodePack(fromBase64(String(nodes))).nodes.map(({ id, author }) => ({
    id: toHex(id),
    author: toHex(author),
  }));
}

/** Value at a path of names, in a value of any shape. */
function fieldOf(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  let found = value;
  for (const name of path) found = (found as Record<string | number, unknown> | undefined)?.[name];
  return found as string | undefined;
}
