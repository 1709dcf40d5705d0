/**
 * Replicas around one server, and a network between them that delays, reorders, drops and repeats packs.
 * Whoever is refused for a missing ancestor asks again, as a peer does after a reconnect.
 */
import {
  type Host,
  type KeyPair,
  type Replica,
  type Room,
  createHost,
  createReplica,
  decodePack,
  generateKeys,
  toHex,
} from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { portableCrypto } from '@weft/core/testing';
import type { Random } from './random.js';

interface Member {
  readonly replica: Replica;
  /** Packs that it sealed. Nothing is given up until the server has it. */
  readonly sent: Uint8Array[];
  /** Packs on their way to the member. */
  readonly inbox: Uint8Array[];
  /** Packs on their way to the server. */
  readonly outbox: Uint8Array[];
}

/** Kinds of values that members write. A seed reproduces a run only while nothing else is drawn from it. */
type Kinds = 'registers' | 'everything';

const KEYS = ['a', 'b', 'c', 'list/1', 'list/2', 'ü'];
/** Keys of documents: each is a text and a list, and one of them a register too. */
const DOCUMENTS = ['a', 'document'];

export class Network {
  readonly #random: Random;
  readonly #kinds: Kinds;
  readonly #host: Host;
  readonly #room: Room;
  readonly #members: Member[] = [];
  #writes = 0;

  private constructor(random: Random, kinds: Kinds, host: Host, room: Room) {
    this.#random = random;
    this.#kinds = kinds;
    this.#host = host;
    this.#room = room;
  }

  static async open(random: Random, kinds: Kinds): Promise<Network> {
    // Keys decide ties, so they come from the seed as well.
    const authority = Uint8Array.from({ length: 32 }, () => random.below(256));
    const host = createHost({ store: { ...memoryStore(), authoritySeed: () => Promise.resolve(authority) } });
    const room = await host.room('room');
    const network = new Network(random, kinds, host, room);
    const shared = keysFrom(random);
    const count = 3 + random.below(3);
    for (let i = 0; i < count; i++) {
      // Now and then two members are one author in two places: their chains fork.
      const keys = random.chance(25) ? shared : keysFrom(random);
      const replica = await createReplica({ genesis: room.genesis.pack, keys });
      network.#members.push({ replica, sent: [], inbox: [], outbox: [] });
    }
    room.onCommit(({ parts }) => {
      for (const { inbox } of network.#members) inbox.push(...parts.map(({ pack }) => pack));
    });
    return network;
  }

  async step(): Promise<void> {
    const member = this.#random.pick(this.#members);
    const kind = this.#random.below(100);
    if (kind < 40) this.#writesTo(member);
    else if (kind < 55) await this.#seal(member);
    else if (kind < 75) await this.#deliverToServer(member);
    else if (kind < 95) await this.#deliverToMember(member);
    else await this.#serverWrites();
  }

  #write({ replica }: Member): void {
    const key = this.#random.pick(KEYS);
    if (this.#random.chance(20)) replica.delete(key);
    else replica.set(key, this.#writes++);
  }

  #writesTo(member: Member): void {
    if (this.#kinds === 'everything' && this.#random.chance(60)) this.#edit(member);
    else this.#write(member);
  }

  #edit({ replica }: Member): void {
    const random = this.#random;
    const key = random.pick(DOCUMENTS);
    const word = `${this.#writes++} `;
    if (random.chance(50)) {
      const text = replica.text(key);
      const at = random.below(text.length + 1);
      if (random.chance(35)) text.delete(at, Math.min(text.length - at, 1 + random.below(5)));
      else if (random.chance(50)) text.insert(at, word);
      else for (const [i, unit] of [...word].entries()) text.insert(at + i, unit);
      return;
    }
    const list = replica.list(key);
    const at = random.below(list.length + 1);
    const kind = random.below(100);
    if (kind < 45 || at === list.length) list.insert(at, word);
    else if (kind < 60) list.delete(at);
    else list.move(at, random.below(list.length));
  }

  async #seal({ replica, sent, outbox }: Member): Promise<void> {
    const pack = await replica.seal();
    if (!pack) return;
    replica.confirm(); // from here on `sent` remembers it
    sent.push(pack);
    if (!this.#random.chance(20)) outbox.push(pack); // else it is lost on the way
    if (this.#random.chance(20)) outbox.push(pack);
  }

  async #deliverToServer({ outbox }: Member): Promise<void> {
    const [pack] = outbox.splice(this.#random.below(outbox.length || 1), 1);
    if (pack) await this.#room.admit(pack, { from: 'member' });
  }

  async #deliverToMember({ replica, inbox }: Member): Promise<void> {
    const [pack] = inbox.splice(this.#random.below(inbox.length || 1), 1);
    if (pack && !this.#random.chance(20)) await replica.receive(pack);
    if (pack && this.#random.chance(20)) inbox.push(pack);
  }

  async #serverWrites(): Promise<void> {
    const key = this.#random.pick(KEYS);
    await this.#room.transact(() => ({ writes: [{ key, value: `server ${this.#writes++}` }], result: undefined }));
  }

  /** Heals the network: all that was lost is sent again, in any order, until nobody learns more. */
  async settle(): Promise<void> {
    for (const member of this.#members) await this.#seal(member);
    for (let before = -1; before !== this.#room.seq;) {
      before = this.#room.seq;
      for (const member of this.#random.shuffled(this.#members)) {
        for (const pack of this.#random.shuffled(member.sent)) await this.#room.admit(pack, { from: 'member' });
        for (const pack of this.#room.packs(member.replica.frontier)) await member.replica.receive(pack);
      }
    }
    // What the last rounds brought to the server after a member was served.
    for (const { replica } of this.#members)
      for (const pack of this.#room.packs(replica.frontier)) await replica.receive(pack);
  }

  /** Readings of all: the server's and a newcomer's first, then each member's. */
  async answers(): Promise<{ readonly entries: ReturnType<typeof visible>; readonly frontier: readonly string[] }[]> {
    const newcomer = await createReplica({ genesis: this.#room.genesis.pack, keys: generateKeys() });
    for (const pack of this.#room.packs()) await newcomer.receive(pack);
    const replicas = [newcomer, ...this.#members.map(({ replica }) => replica)];
    return [
      { entries: visible(this.#room), frontier: this.#room.heads.frontier },
      ...replicas.map((replica) => ({ entries: visible(replica), frontier: replica.frontier })),
    ];
  }

  /** Nodes that members have sealed, and those in the server's log that are not its own. */
  get counts(): { readonly sealed: number; readonly held: number } {
    const ids = (packs: Iterable<Uint8Array>): Set<string> =>
      new Set([...packs].flatMap((pack) => decodePack(pack).nodes.map(({ id }) => Buffer.from(id).toString('hex'))));
    const sealed = ids(this.#members.flatMap(({ sent }) => sent));
    const held = ids(this.#room.packs());
    return { sealed: sealed.size, held: [...sealed].filter((id) => held.has(id)).length };
  }

  close(): Promise<void> {
    return this.#host.close();
  }
}

function keysFrom(random: Random): KeyPair {
  const seed = Uint8Array.from({ length: 32 }, () => random.below(256));
  return { publicKey: portableCrypto.signer(seed).publicKey, seed: toHex(seed) };
}

/** Values that a reader sees, of all kinds. */
const visible = (of: Replica | Room) => ({
  registers: [...of.entries()],
  texts: DOCUMENTS.map((key) => String(of.text(key))),
  lists: DOCUMENTS.map((key) => {
    const list = of.list(key);
    return Array.isArray(list) ? list : list.toArray();
  }),
});
