/**
 * Nodes of one peer that came too early: no seal covers them yet, or what they stand on has not come. [AD7]
 *
 * They wait in memory, applied for nobody, until a later pack of the peer brings the seal, or the graph what is missing.
 * Each peer has a parking of its own, and when it is full the peer's oldest nodes are given up: nobody can crowd out
 * anybody else's, and whoever finds one missing sends it again.
 */
import { IntColumn } from '../codec/columns.js';
import { IdIndex, equalIds } from '../codec/id-index.js';
import { NodeCopy } from '../codec/node-copy.js';
import { NONE, NodeTable, OWN } from '../codec/node-table.js';
import { idsOfMessage, isMessage, openMessage, openPack } from '../codec/pack.js';
import { DIGEST_WORDS, digestHex } from '../codec/sha256/words.js';
import type { Graph } from '../graph/graph.js';
import { type NodeId, weightOf } from '../graph/node.js';
import type { Crypto } from '../ports/crypto.js';
import type { Judgement, RefusedNode, Verdict } from './admission.js';
import { type CheckedPack, type CheckedSeal, checkSeals } from './seals.js';
import { Turns } from './turns.js';

/** How much may come while something is being judged: what was judged is taken from under all of it. */
const BUSY_NODES = 1024;

/** What an empty parking may keep of what it has seen. */
const KEPT_KEYS = 256;
const KEPT_NODES = 2048;
const KEPT_OUTSIDE = 4096;

/** The nodes of a message, by id, and its seals, whose indices count from `from`. */
interface Sealed {
  readonly ids: Int32Array;
  readonly from: number;
  readonly checked: Promise<CheckedPack>;
}

/** What is known of nodes to be judged: by which ids somebody asks for their verdict, and the bytes that hold just these. */
export interface Received {
  /** Absent: all of them. */
  readonly ids?: Int32Array;
  readonly bytes?: Uint8Array;
}

export type Judge = (pack: CheckedPack, received: Received) => Verdict | Promise<Verdict>;

export const PARKED = { nodes: 8192, weight: 8 * 1024 * 1024 };

export class Parking {
  /** What waits must not change while it is judged. */
  readonly turns = new Turns();
  #table = new NodeTable();
  #seals: CheckedSeal[] = [];
  /** Whose word the headers here have: others do not wait. */
  #attestedBy: string | undefined;
  /** Ids of nodes outside that parked ones stand on. */
  #awaited = new IntColumn();
  #awaitedIndex = new IdIndex(this.#awaited);

  /**
   * Takes a pack or message as it comes: its seals are checked at once, beside those of others; it is judged in its turn.
   * A message without a seal waits, and nothing is judged.
   */
  async receive(bytes: Uint8Array, crypto: Crypto, judge: Judge): Promise<Verdict> {
    if (!isMessage(bytes)) {
      const checking = checkSeals(openPack(bytes), crypto);
      return this.turns.run(async () => judge(await checking, { bytes }));
    }
    if (!this.#hasRoom) await this.turns.run(() => Promise.resolve());
    const sealed = this.#park(bytes, crypto);
    if (!sealed) return new Unsealed(bytes);
    return this.turns.run(async () => {
      const { ids } = sealed;
      const waiting = await this.#with(sealed);
      return judge(waiting, ids.length === waiting.table.ids.length ? { ids, bytes } : { ids });
    });
  }

  /** Whether a message may be read here while what waits is being judged. */
  get #hasRoom(): boolean {
    const { size, content } = this.#table;
    return this.turns.areFree || (size < BUSY_NODES && content.length < PARKED.weight);
  }

  /** Reads a message; when seals came with it, they are being checked. Without one its nodes wait. */
  #park(message: Uint8Array, crypto: Crypto): Sealed | undefined {
    const table = this.#table;
    const from = table.size;
    const seals = openMessage(message, table);
    if (seals.length > 0) {
      const ids = table.ids.values.slice(from * DIGEST_WORDS, table.ids.length);
      return { ids, from, checked: checkSeals({ table, seals }, crypto) };
    }
    if (this.turns.areFree) this.#trim();
    return undefined;
  }

  /** Everything that waits, with the seals of a message. What was judged in between is not here any more. */
  async #with({ ids, from, checked }: Sealed): Promise<CheckedPack> {
    const { seals } = await checked;
    return this.waiting(
      seals.flatMap((seal) => {
        const index = this.#find(ids, (seal.index - from) * DIGEST_WORDS, seal.index);
        return index < 0 ? [] : [{ ...seal, index }];
      }),
    );
  }

  /** Where a node is now; most often where it was. */
  #find(ids: Int32Array, at: number, before: number): number {
    const table = this.#table;
    if (before < table.size && equalIds(table.ids.values, before * DIGEST_WORDS, ids, at)) return before;
    return table.index.find(ids, at);
  }

  /** Everything that waits, with seals of it that have just been checked. */
  waiting(seals: readonly CheckedSeal[] = []): CheckedPack {
    const all = [...this.#seals, ...seals].sort((a, b) => a.index - b.index);
    // What stands behind the last seal stays unsealed.
    const end = Math.max(all.at(-1)?.index ?? -1, ...this.#table.withheld.keys());
    return { table: this.#table, size: end + 1, seals: all, attestedBy: this.#attestedBy };
  }

  /** Whether one of the graph's nodes from `from` on is waited for. */
  isAwaited(graph: Graph, from: number): boolean {
    if (this.#awaited.length === 0) return false;
    for (let node = from; node < graph.size; node++)
      if (this.#awaitedIndex.find(graph.table.ids.values, node * DIGEST_WORDS) >= 0) return true;
    return false;
  }

  /** After a judgement of what waits here, or of a pack: keeps what is still too early. */
  keep(judgement: Judgement): void {
    const isOwn = judgement.table === this.#table;
    if (isOwn && judgement.takenFirst !== undefined) return this.#drop(judgement.takenFirst);
    const { table, seals, places, attestedBy } = judgement.early;
    if (isOwn) this.#clear();
    if (places.length === 0) return;
    this.#attestedBy = attestedBy ?? this.#attestedBy;
    this.#copy(table, places, seals);
    this.#trim();
    this.#sort();
    this.#await();
  }

  /** Puts nodes behind what they stand on, so that all of them are taken at once when the first ones may be. */
  #sort(): void {
    const table = this.#table;
    const seals = this.#seals;
    if (isInCausalOrder(table)) return;
    this.#clear();
    this.#copy(table, inCausalOrder(table), seals);
  }

  /** Gives up the oldest nodes when there are too many. */
  #trim(): void {
    const table = this.#table;
    if (table.size <= PARKED.nodes && table.content.length <= PARKED.weight) return;
    const kept: number[] = [];
    let weight = 0;
    for (
      let place = table.size - 1;
      place >= 0 && kept.length < PARKED.nodes / 2 && weight < PARKED.weight / 2;
      place--
    ) {
      weight += weightOf(table, place);
      kept.push(place);
    }
    const seals = this.#seals;
    this.#clear();
    this.#copy(table, kept.reverse(), seals);
  }

  #copy(table: NodeTable, places: readonly number[], seals: readonly CheckedSeal[]): void {
    const copy = new NodeCopy(table, this.#table);
    const copied = new Map(places.map((place) => [place, copy.copy(place, 0)]));
    for (const seal of seals) {
      const index = copied.get(seal.index);
      if (index !== undefined && seal.valid) this.#seals.push({ ...seal, index });
    }
  }

  /** The first nodes were taken with all seals that there were. A new table each time would cost more than a message. */
  #drop(nodes: number): void {
    const table = this.#table;
    this.#seals.length = 0;
    this.#awaited.truncate(0);
    this.#awaitedIndex.truncate(0);
    const isLarge = table.keys.names.length > KEPT_KEYS || table.outside.length > KEPT_OUTSIDE || nodes > KEPT_NODES;
    if (isLarge && nodes === table.size) this.#clear();
    else table.dropFirst(nodes);
  }

  #clear(): void {
    this.#table = new NodeTable();
    this.#seals = [];
    this.#awaited = new IntColumn();
    this.#awaitedIndex = new IdIndex(this.#awaited);
  }

  #await(): void {
    const table = this.#table;
    for (let place = 0; place < table.size; place++) {
      this.#awaitOne(table.prev.values[place]!);
      for (let i = table.firstParent(place); i < table.parentsEnd.values[place]!; i++)
        this.#awaitOne(table.parents.values[i]!);
    }
  }

  #awaitOne(ref: number): void {
    if (ref === NONE || ref >= OWN) return;
    const at = this.#table.idAt(ref);
    for (let i = 0; i < DIGEST_WORDS; i++) this.#awaited.push(this.#table.outside.values[at + i]!);
  }
}

/** A node refers to what was there before it by its place: only an id outside can be that of a later one. */
function isInCausalOrder(table: NodeTable): boolean {
  for (let at = 0; at < table.outside.length; at += DIGEST_WORDS)
    if (table.index.find(table.outside.values, at) >= 0) return false;
  return true;
}

/** All places, each behind those that it stands on. */
function inCausalOrder(table: NodeTable): number[] {
  const order: number[] = [];
  const done = new Uint8Array(table.size);
  for (let place = 0; place < table.size; place++) {
    const open = [place];
    while (open.length > 0) {
      const next = open[open.length - 1]!;
      const before = done[next] === 1 ? [] : ancestorsIn(table, next).filter((ancestor) => done[ancestor] === 0);
      open.push(...before);
      if (before.length > 0) continue;
      open.pop();
      if (done[next] === 0) order.push(next);
      done[next] = 1;
    }
  }
  return order;
}

/** Places of the nodes of this table that a node stands on. */
function ancestorsIn(table: NodeTable, place: number): number[] {
  const refs = [...table.parents.values.subarray(table.firstParent(place), table.parentsEnd.values[place])];
  refs.push(table.prev.values[place]!);
  return refs
    .filter((ref) => ref !== NONE)
    .map((ref) => (ref >= 0 ? ref : table.index.find(table.outside.values, table.idAt(ref))))
    .filter((ancestor) => ancestor >= 0);
}

/** What became of a message without a seal: its nodes wait. Who they are is worked out when somebody asks. */
export class Unsealed implements Verdict {
  readonly accepted = 0;
  readonly duplicates = 0;
  readonly #message: Uint8Array;

  constructor(message: Uint8Array) {
    this.#message = message;
  }

  get refused(): readonly RefusedNode[] {
    const { values, length } = idsOfMessage(this.#message);
    const refused: RefusedNode[] = [];
    for (let at = 0; at < length; at += DIGEST_WORDS)
      refused.push({ id: digestHex(values, at) as NodeId, reason: 'unsealed' });
    return refused;
  }
}
