/**
 * Members of one room who write, and exchange packs among themselves: no server, any order, some packs never arrive.
 */
import { type PackedNode, type Replica, type Room, decodePack, toHex } from '@weft/core';
import fc from 'fast-check';
import { join, openRoom, sealed } from './support.js';

export const KEYS = ['a', 'b', 'ü'];

/** Step of one member; numbers are taken modulo what there is. */
interface Step {
  readonly who: number;
  readonly kind: number;
  readonly key: string;
  readonly at: number;
  readonly to: number;
}

export interface History {
  /** Members by the numbers of their keys; two with one number are one author in two places, whose chain forks. */
  readonly authors: readonly number[];
  readonly steps: readonly Step[];
}

/** Generator of histories, without bias: numbers choose here, and a choice that is mostly the first makes dull ones. */
export const histories = (maxSteps: number): fc.Arbitrary<History> =>
  fc.noBias(
    fc.record({
      authors: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 4 }),
      steps: fc.array(
        fc.record({
          who: fc.nat(3),
          kind: fc.nat(99),
          key: fc.constantFrom('a', 'a', ...KEYS),
          at: fc.nat(999),
          to: fc.nat(999),
        }),
        { maxLength: maxSteps, size: 'max' },
      ),
    }),
  );

export class Members {
  readonly room: Room;
  readonly all: readonly Replica[];
  /** Packs that were sent, in the order of sending. */
  readonly packs: Uint8Array[] = [];
  /** Id -> node, of every node that was ever sent. */
  readonly #nodes: Map<string, PackedNode>;
  #written = 0;

  private constructor(room: Room, all: readonly Replica[]) {
    this.room = room;
    this.all = all;
    this.#nodes = byId(decodePack(room.genesis.pack).nodes);
  }

  /** Members after a history; some packs have not reached everybody. */
  static async after({ authors, steps }: History): Promise<Members> {
    const room = await openRoom();
    const members = new Members(room, await Promise.all(authors.map((number) => join(room, number))));
    for (const step of steps) await members.#take(step);
    for (const replica of members.all) await members.#send(replica);
    return members;
  }

  /** Nodes of a replica: its heads, and everything that they stand on. What it keeps waiting is not among them. */
  heldBy(replica: Replica): PackedNode[] {
    const held = new Map<string, PackedNode>();
    const waiting: string[] = [...replica.frontier];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const node = this.#nodes.get(id);
      if (!node) throw new Error('a replica has a node that nobody sent');
      if (held.has(id)) continue;
      held.set(id, node);
      waiting.push(...[...node.parents, ...(node.prev ? [node.prev] : [])].map(toHex));
    }
    return [...held.values()];
  }

  async #take(step: Step): Promise<void> {
    const replica = this.all[step.who % this.all.length];
    if (!replica) return;
    const pack = this.packs[step.at % (this.packs.length || 1)];
    if (step.kind < 20) await this.#send(replica);
    else if (step.kind >= 45) this.#write(replica, step);
    else if (pack) await replica.receive(pack);
  }

  async #send(replica: Replica): Promise<void> {
    if ((await replica.seal()) === undefined) return;
    const pack = await sealed(replica);
    this.packs.push(pack);
    for (const [id, node] of byId(decodePack(pack).nodes)) this.#nodes.set(id, node);
  }

  #write(replica: Replica, { kind, key, at, to }: Step): void {
    const word = `w${this.#written++}`;
    if (kind < 53) replica.set(key, to % 3 === 0 ? { word, deep: [to, null, true] } : word);
    else if (kind < 56) replica.delete(key);
    else if (kind < 58) replica.setBlob(key, to.toString(16).padStart(64, 'b'));
    else if (kind < 75) editText(replica, key, kind < 69 ? (to % 4 === 0 ? `${word}😀` : word) : '', at, to);
    else editList(replica, key, kind < 86 ? word : '', at, to);
  }
}

/** Edit of a text: inserts the word, or deletes when there is none. */
function editText(replica: Replica, key: string, word: string, at: number, to: number): void {
  const text = replica.text(key);
  const start = beside(String(text), at % (text.length + 1));
  if (word !== '') return text.insert(start, word);
  text.delete(start, beside(String(text), Math.min(text.length, start + 1 + (to % 5))) - start);
}

/** A position that is not between the halves of a pair. [TX1] */
function beside(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}

/** Edit of a list: inserts the word, or moves or deletes when there is none. */
function editList(replica: Replica, key: string, word: string, at: number, to: number): void {
  const list = replica.list(key);
  if (word !== '') list.insert(at % (list.length + 1), word, ...(to % 5 === 0 ? [`${word}+`] : []));
  else if (list.length === 0) return;
  else if (to % 4 === 0) list.delete(at % list.length);
  else list.move(at % list.length, to % list.length);
}

export const byId = (nodes: readonly PackedNode[]): Map<string, PackedNode> =>
  new Map(nodes.map((node) => [toHex(node.id), node]));
