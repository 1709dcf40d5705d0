/** Copy of nodes from one table to another: what is called a place, a key or an identity there is something else here. */
import { DIGEST_WORDS } from '../sha256/words.js';
import { equalIds } from './id-index.js';
import { NONE, type NodeTable, OWN, outside } from './node-table.js';
import { DORMANT, OP_SET, namesTwo } from './op-kinds.js';

export class NodeCopy {
  readonly from: NodeTable;
  readonly into: NodeTable;
  /** Places in the other table, each + 1, or 0 where none was found yet. */
  #places: Int32Array | undefined;
  #outside: Int32Array | undefined;
  readonly #keys: Int32Array;
  readonly #identities: Int32Array;

  constructor(from: NodeTable, into: NodeTable) {
    this.from = from;
    this.into = into;
    this.#keys = new Int32Array(from.keys.names.length);
    this.#identities = new Int32Array(from.identities.list.length);
  }

  /** The place in the other table of what a reference names, or -1 when it is not there. */
  placeOf(ref: number): number {
    const known =
      ref >= 0
        ? (this.#places ??= new Int32Array(this.from.size))
        : (this.#outside ??= new Int32Array(this.from.outside.length / DIGEST_WORDS));
    const at = ref >= 0 ? ref : outside(ref);
    if (known[at] === 0) known[at] = this.#find(this.from.idWords(ref), this.from.idAt(ref)) + 1;
    return known[at]! - 1;
  }

  /** Finds an id. An author who goes on names the newest node, and that needs no index. */
  #find(words: Int32Array, at: number): number {
    const { into } = this;
    const last = into.size - 1;
    if (last >= 0 && equalIds(into.idWords(last), into.idAt(last), words, at)) return last;
    return into.index.find(words, at);
  }

  /** Copies a node with its id; answers its place. `counter`: elements that its chain had inserted before it. */
  copy(place: number, counter: number): number {
    const { from } = this;
    const into = this.into;
    this.#copyParents(place);
    for (let op = from.firstOp(place); op < from.opsEnd.get(place); op++) this.copyOp(op);
    const wallMs = from.walls.size === 0 ? undefined : from.walls.get(place);
    if (wallMs !== undefined) into.walls.set(into.size, wallMs);
    const withheld = from.withheld.size === 0 ? undefined : from.withheld.get(place);
    if (withheld !== undefined) into.withheld.set(into.size, withheld);
    return this.#close(place, counter);
  }

  /** Copies a node as its header. `elements`: those that no op inserts which was added before. */
  copyHeader(place: number, counter: number, elements = this.from.elementsOf(place)): number {
    this.#copyParents(place);
    this.into.withheld.set(this.into.size, elements);
    return this.#close(place, counter);
  }

  #copyParents(place: number): void {
    const { from } = this;
    for (let i = from.firstParent(place); i < from.parentsEnd.get(place); i++)
      this.into.parents.push(this.refOf(from.parents.get(i)));
  }

  #close(place: number, counter: number): number {
    const { from } = this;
    const into = this.into;
    const copied = into.close(this.#identity(from.identity.get(place)), this.refOf(from.prev.get(place)), counter);
    into.ids.reserve(DIGEST_WORDS);
    const words = from.idWords(place);
    const at = from.idAt(place);
    for (let i = 0; i < DIGEST_WORDS; i++) into.ids.values[into.ids.length + i] = words[at + i]!;
    into.ids.length += DIGEST_WORDS;
    if (this.#places) this.#places[place] = copied + 1;
    return copied;
  }

  /**
   * Copies the first nodes of the table, each the `prev` of the next and of one author; `counter`: elements that the chain
   * had inserted before them.
   */
  copyRun(nodes: number, counter: number): void {
    const { from } = this;
    const into = this.into;
    const first = into.size;
    const prev = this.refOf(from.prev.get(0));
    const refOf = (ref: number): number => (ref >= 0 ? first + ref : this.refOf(ref));
    into.addOpsOf(from, nodes, (key) => this.keyOf(key), refOf);
    for (const [place, wallMs] of from.walls) if (place < nodes) into.walls.set(first + place, wallMs);
    for (const [place, elements] of from.withheld) if (place < nodes) into.withheld.set(first + place, elements);
    into.addNodesOf(from, nodes, this.#identity(from.identity.get(0)), prev, counter);
    for (let i = 0; i < from.firstParent(nodes); i++) into.parents.push(refOf(from.parents.get(i)));
    into.ids.reserve(nodes * DIGEST_WORDS);
    into.ids.values.set(from.ids.values.subarray(0, nodes * DIGEST_WORDS), into.ids.length);
    into.ids.length += nodes * DIGEST_WORDS;
  }

  copyOp(op: number): void {
    const { from } = this;
    const into = this.into;
    const kind = from.kind(op);
    const key = this.keyOf(from.key(op));
    const ref = this.refOf(from.ref.get(op));
    if (kind === DORMANT) {
      into.content.bytes(from.lentValue(op));
      return into.addOp(OP_SET, key, ref, 0, 0);
    }
    const at = from.at.get(op);
    const count = from.count.get(op);
    into.content.copy(from.content.buffer, from.contentStart(op), from.contentEnd.get(op));
    if (!namesTwo(kind)) return into.addOp(kind, key, ref, at, count);
    const anchor = from.anchor(op);
    into.addPair(kind, key, ref, at, count, this.refOf(anchor.ref), anchor.at);
  }

  /** What is not there is remembered by its id: a node keeps its bytes. */
  refOf(ref: number): number {
    if (ref === NONE || ref === OWN) return ref;
    const place = this.placeOf(ref);
    if (place >= 0) return place;
    return outside(this.into.outsideNumber(this.from.idWords(ref), this.from.idAt(ref)));
  }

  keyOf(key: number): number {
    if (this.#keys[key] === 0) this.#keys[key] = this.into.keys.numberOf(this.from.keys, key) + 1;
    return this.#keys[key]! - 1;
  }

  #identity(identity: number): number {
    if (this.#identities[identity] === 0)
      this.#identities[identity] = this.into.identities.number(this.from.identities.list[identity]!) + 1;
    return this.#identities[identity]! - 1;
  }
}
