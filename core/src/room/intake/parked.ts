/**
 * Parked nodes: those of one peer that wait in memory, applied for nobody. What came too early, and behind it what came
 * since. [AD7]
 *
 * They are rows of one table, judged from the first on. What a judgement leaves stands in front again, each node behind
 * what it stands on; what came meanwhile keeps its order behind it. Keeping costs one pass over what is there.
 */
import type { Vouched } from '../../access/word.js';
import { IntColumn } from '../../codec/bytes/columns.js';
import { IdIndex } from '../../codec/nodes/id-index.js';
import { NodeCopy } from '../../codec/nodes/node-copy.js';
import { NONE, NodeTable, OWN } from '../../codec/nodes/node-table.js';
import { DIGEST_WORDS } from '../../codec/sha256/words.js';
import type { Graph } from '../../graph/graph.js';
import { weightOf } from '../../graph/node.js';
import type { CheckedSeal } from '../admission/checked-pack.js';
import type { Judgement } from '../admission/judgement.js';

export const PARKED = { nodes: 8192, weight: 8 * 1024 * 1024 };

/** What the nodes of many peers may weigh together. [LM7] */
export interface Allowance {
  readonly free: number;
  /** A negative weight is given back. */
  take(weight: number): void;
}

/** Weight of nodes, and names and ids outside, that an emptied table may have had room for. */
const KEPT_WEIGHT = 512 * 1024;
const KEPT_NAMES = 512;

export class Parked {
  readonly #shared: Allowance | undefined;
  /** Weight that is taken there. */
  #taken = 0;
  #isClosed = false;
  #table = new NodeTable();
  /** How many first nodes `#weight` is the weight of. */
  #weighed = 0;
  #weight = 0;
  /** The most that there was in this table. */
  #heaviest = 0;
  /** Seals of what came too early, by ascending index. They hold. */
  #seals: CheckedSeal[] = [];
  /** Ids of nodes outside that sealed ones stand on. */
  #awaited = new IntColumn();
  #awaitedIndex = new IdIndex(this.#awaited);
  #names = 0;
  /** Whose word the headers here have: others do not wait. */
  #attestedBy: Vouched | undefined;

  constructor(shared?: Allowance) {
    this.#shared = shared;
  }

  get attestedBy(): Vouched | undefined {
    return this.#attestedBy;
  }

  get table(): NodeTable {
    return this.#table;
  }

  /** Weight of all nodes, those that are just coming in too. */
  get weight(): number {
    return this.#weigh(this.#table.size);
  }

  get seals(): readonly CheckedSeal[] {
    return this.#seals;
  }

  /** Whether one of the graph's nodes from `from` on is waited for. */
  isAwaited(graph: Graph, from: number): boolean {
    if (this.#awaited.length === 0) return false;
    for (let node = from; node < graph.size; node++)
      if (this.#awaitedIndex.find(graph.table.idWords(node), graph.table.idAt(node)) >= 0) return true;
    return false;
  }

  /**
   * After a judgement of the first nodes here: forgets those that were taken or refused for good. `waiting`: how many nodes
   * from the first on are not just coming in; answers how many that are now.
   */
  keep(judgement: Judgement, waiting: number): number {
    const { early, size, seals } = judgement;
    const kept = new Uint8Array(this.#table.size).fill(1, size);
    for (const place of early) kept[place] = 1;
    this.#seals = seals.filter(({ index, valid }) => valid && kept[index] === 1);
    this.#retain(kept);
    return this.#settle(waiting - size + early.length);
  }

  /** Takes over what came too early of another table, which was judged. Nothing is coming in meanwhile. */
  add(judgement: Judgement): number {
    this.#attestedBy = judgement.attestedBy ?? this.#attestedBy;
    this.#copy(judgement.table, judgement.early, judgement.seals);
    return this.#settle(this.#table.size);
  }

  /** Gives up the oldest of so many first nodes when they are too many; answers how many are left. */
  trim(waiting: number): number {
    const most = this.#isClosed ? 0 : Math.min(PARKED.weight, this.#taken + (this.#shared?.free ?? Infinity));
    const isTooMuch = waiting > PARKED.nodes || this.#weigh(waiting) > most;
    const left = isTooMuch ? this.#newest(waiting, most / 2) : waiting;
    this.#take(this.#weigh(left));
    return left;
  }

  /** The peer has gone: nothing is kept from here on. */
  close(): void {
    this.#isClosed = true;
    this.#take(0);
  }

  #take(weight: number): void {
    this.#shared?.take(weight - this.#taken);
    this.#taken = weight;
  }

  /** What so many first nodes weigh. */
  #weigh(nodes: number): number {
    if (nodes < this.#weighed) this.#weighed = this.#weight = 0;
    for (; this.#weighed < nodes; this.#weighed++) this.#weight += weightOf(this.#table, this.#weighed);
    return this.#weight;
  }

  /** Keeps the newest of so many first nodes, half of what may wait at most; answers how many these are. */
  #newest(waiting: number, most: number): number {
    let first = waiting;
    for (let weight = 0; first > 0 && waiting - first < PARKED.nodes / 2; first--) {
      weight += weightOf(this.#table, first - 1);
      if (weight > most) break;
    }
    this.#seals = this.#seals.filter(({ index }) => index >= first);
    this.#retain(new Uint8Array(this.#table.size).fill(1, first));
    return waiting - first;
  }

  /**
   * Puts so many first nodes behind what they stand on, so that one judgement takes all that can be. Answers where each of
   * all nodes is now, unless it was in order.
   */
  sort(waiting: number): Int32Array | undefined {
    const table = this.#table;
    if (isInCausalOrder(table, waiting)) return undefined;
    const order = inCausalOrder(table, waiting);
    for (let place = waiting; place < table.size; place++) order.push(place);
    this.#rebuild(order);
    const places = new Int32Array(order.length);
    for (const [place, before] of order.entries()) places[before] = place;
    return places;
  }

  #settle(waiting: number): number {
    const left = this.trim(waiting);
    this.#await(left);
    return left;
  }

  #retain(kept: Uint8Array): void {
    const table = this.#table;
    const { length: outside } = table.outside;
    const names = table.keys.names.length + table.identities.list.length + outside / DIGEST_WORDS;
    this.#heaviest = Math.max(this.#heaviest, this.weight);
    if (names > KEPT_NAMES + 2 * this.#names || (this.#heaviest > KEPT_WEIGHT && !kept.includes(1))) {
      const places: number[] = [];
      for (let place = kept.indexOf(1); place >= 0; place = kept.indexOf(1, place + 1)) places.push(place);
      this.#rebuild(places);
    } else {
      const places = table.retain(kept);
      this.#seals = this.#seals.map((seal) => ({ ...seal, index: places[seal.index]! }));
    }
  }

  /** A table that remembers no more than it needs. */
  #rebuild(places: readonly number[]): void {
    const [table, seals] = [this.#table, this.#seals];
    this.#table = new NodeTable();
    this.#weighed = this.#weight = this.#heaviest = 0;
    this.#seals = [];
    this.#copy(table, places, seals);
    const { keys, identities, outside } = this.#table;
    this.#names = keys.names.length + identities.list.length + outside.length / DIGEST_WORDS;
  }

  #copy(table: NodeTable, places: readonly number[], seals: readonly CheckedSeal[]): void {
    const copy = new NodeCopy(table, this.#table);
    const copied = new Map(places.map((place) => [place, copy.copy(place, 0)]));
    for (const seal of seals) {
      const index = copied.get(seal.index);
      if (index !== undefined && seal.valid) this.#seals.push({ ...seal, index });
    }
    this.#seals.sort((a, b) => a.index - b.index);
  }

  #await(waiting: number): void {
    this.#awaitedIndex.truncate(0);
    this.#awaited.truncate(0);
    // What no seal covers cannot be taken, whoever comes.
    const mayBeTaken = this.#seals.length > 0 || this.#table.withheld.size > 0;
    for (let place = 0; mayBeTaken && place < waiting; place++)
      for (const ref of refsOf(this.#table, place)) this.#awaitOne(ref);
  }

  #awaitOne(ref: number): void {
    if (ref >= OWN) return;
    const words = this.#table.idWords(ref);
    const at = this.#table.idAt(ref);
    for (let i = 0; i < DIGEST_WORDS; i++) this.#awaited.push(words[at + i]!);
  }
}

/** A node refers to what was there before it by its place: only an id outside can be that of a later one. */
function isInCausalOrder(table: NodeTable, size: number): boolean {
  for (let at = 0; at < table.outside.length; at += DIGEST_WORDS)
    if (isWithin(table.index.find(table.outside.values, at), size)) return false;
  return true;
}

/** The first places, each behind those that it stands on. */
function inCausalOrder(table: NodeTable, size: number): number[] {
  const order: number[] = [];
  const done = new Uint8Array(size);
  for (let place = 0; place < size; place++) {
    const open = [place];
    while (open.length > 0) {
      const next = open[open.length - 1]!;
      const before = done[next] === 1 ? [] : ancestorsIn(table, next, size).filter((ancestor) => done[ancestor] === 0);
      open.push(...before);
      if (before.length > 0) continue;
      open.pop();
      if (done[next] === 0) order.push(next);
      done[next] = 1;
    }
  }
  return order;
}

/** Ancestors of a node among the first places. */
function ancestorsIn(table: NodeTable, place: number, size: number): number[] {
  return refsOf(table, place)
    .map((ref) => placeOf(table, ref))
    .filter((ancestor) => isWithin(ancestor, size));
}

function refsOf(table: NodeTable, place: number): number[] {
  const refs = [...table.parents.slice(table.firstParent(place), table.parentsEnd.get(place))];
  if (table.prev.get(place) !== NONE) refs.push(table.prev.get(place));
  return refs;
}

function placeOf(table: NodeTable, ref: number): number {
  return ref >= 0 ? ref : table.index.find(table.idWords(ref), table.idAt(ref));
}

function isWithin(place: number, size: number): boolean {
  return place >= 0 && place < size;
}
