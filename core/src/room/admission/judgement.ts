/**
 * Judgement of a pack: which of its nodes enter the room. Pure and synchronous: it looks only at the graph it is
 * given, so every replica with the same ancestors judges alike. [AD]
 *
 * A run (what one seal covers) stands or falls as a whole, and a node cannot outlive an ancestor that
 * was refused. Both spread through a work list, so judging is linear in nodes and parents whatever the
 * shape of the pack.
 */
import type { Vouched } from '../../access/word.js';
import { NONE, type NodeTable } from '../../codec/nodes/node-table.js';
import { rangeOf } from '../../codec/nodes/places.js';
import type { Places } from '../../codec/packs/pack-writer.js';
import type { Seal } from '../../codec/packs/pack.js';
import { isSystemKey } from '../../crdt/system-keys.js';
import type { Graph } from '../../graph/graph.js';
import { Incoming } from '../../graph/incoming.js';
import { type NodeId, nameOf, roomOf } from '../../graph/node.js';
import type { NodeReason } from '../../rejection.js';
import { ADOPTED } from '../state/genesis.js';
import { isAboutKeys } from '../state/about-keys.js';
import type { Speaking } from '../state/roots.js';
import type { CheckedPack, CheckedSeal } from './checked-pack.js';
import { isFounded } from './founded.js';
import type { ComingVoice } from './key-rules.js';
import type { PermissionRules, Permits, Permitting } from './permits.js';

export interface RefusedNode {
  readonly id: NodeId;
  readonly reason: NodeReason;
}

/** What became of a pack: `accepted + duplicates + refused.length` is the number of its nodes. */
export interface Verdict {
  /** New nodes that were taken. */
  readonly accepted: number;
  /** Nodes that were held already; they count as accepted. [AD1] */
  readonly duplicates: number;
  readonly refused: readonly RefusedNode[];
}

export interface RoomRules extends PermissionRules {
  readonly genesis: NodeId;
  readonly speakers: Speaking;
  /** The longest run that is taken. */
  readonly runNodes: number;
  /** Whether headers are taken in place of nodes: by peers, which trust the server for what it did not show them. [HD2] */
  readonly takesHeaders: boolean;
  /** Headers were believed before: of an archive, by the authority of its room. [AR4] */
  readonly isVouched?: boolean;
  /** Whether the ops of a held node were erased: it stays the header that it is. [VE2] */
  readonly isErased?: (node: number) => boolean;
  readonly permitting: Permitting;
  /** Rooms whose nodes are taken too, by their geneses: of those which the room's authority vouches for. [TP2] */
  readonly adopted?: { has(genesis: NodeId): boolean };
}

const NO_RUN = -1;

export class Judgement {
  readonly #pack: CheckedPack;
  readonly #table: NodeTable;
  readonly #graph: Graph;
  readonly #rules: RoomRules;
  readonly #incoming: Incoming;
  /** Whether the nodes are one author's new run, all to be taken: then nothing below is worked out node by node. */
  readonly #isPlain: boolean;
  /** How many nodes the graph had. */
  readonly from: number;
  /** The first place of the pack that holds the same node. */
  readonly #first: Int32Array;
  readonly #fresh: Uint8Array;
  /** Number of the seal whose run each new node is part of, or NO_RUN. */
  readonly #runOf: Int32Array;
  readonly #reasons = new Map<number, NodeReason>();
  /** Refused nodes that no later seal or parent can mend. */
  readonly #hopeless = new Set<number>();
  readonly #systemKeys: Uint8Array;
  /** Places of nodes that the graph holds as headers, by number there. */
  readonly #filled = new Map<number, number>();
  readonly #takesHeaders: boolean;
  /** Whether nodes of the pack may say which other rooms' nodes are taken; those that they have named. */
  readonly #adopts: boolean;
  readonly #adopted = new Set<string>();
  readonly #permissions: Permits;
  readonly #isAboutKeys: boolean;

  constructor(pack: CheckedPack, graph: Graph, rules: RoomRules) {
    const { size } = pack;
    this.#pack = pack;
    this.#table = pack.table;
    this.#graph = graph;
    this.#rules = rules;
    this.from = graph.size;
    this.#incoming = new Incoming(graph, pack.table);
    this.#systemKeys = Uint8Array.from(pack.table.keys.names, (name) => (isSystemKey(name) ? 1 : 0));
    this.#isAboutKeys = pack.table.keys.names.some(isAboutKeys);
    const { attestedBy } = pack;
    this.#takesHeaders =
      rules.isVouched === true ||
      (rules.takesHeaders && attestedBy !== undefined && rules.speakers.vouches(attestedBy));
    this.#adopts = rules.adopted !== undefined && pack.table.keys.names.some((name) => name.startsWith(ADOPTED));
    const { speakers, permitting } = rules;
    const judged = {
      graph,
      table: pack.table,
      speakers,
      mandates: pack.mandates,
      placeOf: (ref: number) => this.#placeOf(ref),
      heldAs: (ref: number) => this.#incoming.number(ref),
    };
    this.#permissions = permitting(judged, rules);
    this.#isPlain = this.#findPlainRun() && this.#permissions.allowsRun(size);
    const looked = this.#isPlain ? 0 : size; // node by node
    this.#first = new Int32Array(looked);
    this.#fresh = new Uint8Array(looked);
    this.#runOf = new Int32Array(looked).fill(NO_RUN);
    if (!this.#isPlain) this.#judge();
  }

  /**
   * Typing, and the history of one author: each node the `prev` of the next, seals all along. When the first one is new,
   * all are, for whoever holds a node holds its ancestors.
   */
  #findPlainRun(): boolean {
    const { table, size, seals } = this.#pack;
    const last = seals.at(-1);
    if (size === 0 || last?.index !== size - 1 || table.withheld.size > 0) return false;
    let before = -1;
    for (const { index, valid } of seals) {
      if (!valid || index - before > this.#rules.runNodes) return false;
      before = index;
    }
    const identities = table.identity.whole();
    const prevs = table.prev.whole();
    const parents = table.parents.whole();
    const identity = identities[0]!;
    const { roomName, authorName } = table.identities.list[identity]!;
    if (roomName !== this.#rules.genesis) return false;
    if (this.#systemKeys.includes(1) && !this.#mayAdminister(authorName)) return false;
    for (let place = 1; place < size; place++)
      if (prevs[place] !== place - 1 || identities[place] !== identity) return false;
    for (let i = table.firstParent(size) - 1; i >= 0; i--)
      if (parents[i]! < 0 && this.#incoming.number(parents[i]!) < 0) return false;
    const prev = prevs[0]!;
    if (prev === NONE) return this.#incoming.number(0) < 0;
    const held = this.#incoming.number(prev);
    return held >= 0 && this.#isSameIdentity(held, identity) && this.#isNew(held);
  }

  /** Whether whoever writes may write all keys of the system that the pack names, whatever its nodes stand on. */
  #mayAdminister(author: string): boolean {
    return this.#rules.speakers.roots.has(author) && !this.#isAboutKeys;
  }

  /** Whether the pack's first node, which stands on a held one, is new; nothing stands on the end of a chain. */
  #isNew(prev: number): boolean {
    const isTip = this.#graph.chainAfter(prev) === this.#graph.chain.get(prev);
    return isTip || this.#incoming.number(0) < 0;
  }

  /** Whether every node of the pack is new and taken, and every seal holds: the pack can be kept as it came. */
  get isWhole(): boolean {
    if (this.#pack.skipped?.length) return false;
    if (this.#isPlain) return true;
    return (
      this.#reasons.size === 0 && this.#fresh.every((fresh) => fresh === 1) && this.#pack.seals.every((s) => s.valid)
    );
  }

  /** What became of all nodes. */
  get verdict(): Verdict {
    const { size } = this.#pack;
    if (this.#isPlain) return { accepted: size, duplicates: 0, refused: [] };
    return this.verdictOn(rangeOf(0, size));
  }

  /** What became of the nodes at some places; those behind what was judged came too early. */
  verdictOn(places: Places): Verdict {
    const refused: RefusedNode[] = [];
    let accepted = 0;
    for (let i = 0; i < places.length; i++) {
      const place = places.at(i);
      const reason = this.#reasonAt(place);
      if (reason) refused.push({ id: nameOf(this.#table, place), reason });
      else accepted += this.#isPlain ? 1 : this.#fresh[place]!;
    }
    return { accepted, duplicates: places.length - accepted - refused.length, refused };
  }

  #reasonAt(place: number): NodeReason | undefined {
    if (place >= this.#pack.size) return 'unsealed';
    return this.#isPlain ? undefined : this.#reasons.get(this.#first[place]!); // a copy shares the fate of the first
  }

  get table(): NodeTable {
    return this.#table;
  }

  get graph(): Graph {
    return this.#graph;
  }

  /**
   * Seals that nobody has checked, because a newer one vouches for what they cover, of nodes that are refused all the same.
   * Without them there is no telling what is refused with whom: nothing may enter before they are checked.
   */
  get doubted(): readonly Seal[] {
    const { skipped = [] } = this.#pack;
    return skipped.filter(({ index }) => this.#reasonAt(index) !== undefined);
  }

  /** Judged nodes that came too early, in order: they may be taken when their seal or what they stand on has come. */
  get early(): readonly number[] {
    return [...this.#reasons.keys()].filter((place) => !this.#hopeless.has(place)).sort((a, b) => a - b);
  }

  /** How many nodes were judged, from the first on. */
  get size(): number {
    return this.#pack.size;
  }

  /** See `CheckedPack`. */
  get attestedBy(): Vouched | undefined {
    return this.#pack.attestedBy;
  }

  get seals(): readonly CheckedSeal[] {
    return this.#pack.seals;
  }

  /** Adds what is admitted to the graph, each node after its ancestors; tells of the seals of these nodes by number. */
  enter(seals: Map<number, Uint8Array>): void {
    this.#graph.table.reserveFor(this.#table);
    if (this.#isPlain) return this.#enterPlain(seals);
    for (let place = 0; place < this.#pack.size; place++)
      if (this.#fresh[place] === 1 && !this.#reasons.has(place)) this.#incoming.append(place);
    if (this.#filled.size > 0) this.#graph.fill(this.#table, this.#filled);
    for (const { index, signature, valid } of this.#pack.seals) {
      const place = this.#first[index]!;
      if (valid && this.#fresh[place] === 1 && !this.#reasons.has(place))
        seals.set(this.#incoming.number(place), signature);
    }
  }

  /** Whether nodes that were known by their headers came whole: the values are to be folded anew. */
  get fillsHeaders(): boolean {
    return this.#filled.size > 0;
  }

  #enterPlain(seals: Map<number, Uint8Array>): void {
    const first = this.#graph.size;
    this.#incoming.appendRun(this.#pack.size);
    for (const { index, signature } of this.#pack.seals) seals.set(first + index, signature);
  }

  #judge(): void {
    const table = this.#table;
    const { hasRepeats } = table.index;
    for (let place = 0; place < this.#pack.size; place++) {
      this.#first[place] = hasRepeats ? table.index.find(table.idWords(place), table.idAt(place)) : place;
      const held = this.#graph.table.index.find(table.idWords(place), table.idAt(place));
      this.#fresh[place] = this.#first[place] === place && held < 0 ? 1 : 0;
      if (held >= 0 && this.#mayFill(held, place)) this.#fill(held, place);
    }
    this.#findRuns();
    for (let place = 0; place < this.#pack.size; place++) {
      if (this.#fresh[place] === 0) continue;
      const { voice, fault: denied } = this.#permissions.next(place);
      if (this.#reasons.has(place)) continue;
      const fault = this.#vouchFault(place) ?? this.#faultOf(place, voice) ?? denied;
      if (fault) this.#reasons.set(place, fault);
      else if (this.#adopts && voice.speaks) this.#adopt(place);
    }
    if (this.#reasons.size > 0) this.#spreadRefusals();
  }

  /** Servers hold headers of what was given up, and of nothing else. */
  #mayFill(held: number, place: number): boolean {
    const { isServer, isVouched, isErased } = this.#rules;
    const { table } = this.#graph;
    if (isServer || isVouched === true || !table.withheld.has(held)) return false;
    if (this.#table.withheld.has(place))
      return this.#table.hasRemains(place) && this.#takesHeaders && !table.hasRemains(held);
    return !(isErased?.(held) ?? false);
  }

  /** Notes down the rooms that a node of the authority vouches for: nodes of theirs may come in the same pack. */
  #adopt(place: number): void {
    const { opsEnd, keys } = this.#table;
    if (roomOf(this.#table, place) !== this.#rules.genesis) return;
    for (let op = this.#table.firstOp(place); op < opsEnd.get(place); op++) {
      const name = keys.names[this.#table.key(op)]!;
      if (name.startsWith(ADOPTED)) this.#adopted.add(name.slice(ADOPTED.length));
    }
  }

  #isForeign(place: number): boolean {
    const room = roomOf(this.#table, place);
    return room !== this.#rules.genesis && !this.#adopted.has(room) && !this.#rules.adopted?.has(room);
  }

  /** Whether somebody vouches for a node: a seal, or of a header its authority. */
  #vouchFault(place: number): NodeReason | undefined {
    if (this.#table.withheld.has(place)) return this.#takesHeaders ? undefined : 'unattested';
    return this.#runOf[place] === NO_RUN ? 'unsealed' : undefined;
  }

  /** A node whose header was attested has come whole: the same id, so the same node, if the header told the truth. */
  #fill(held: number, place: number): void {
    const { withheld } = this.#graph.table;
    const isTrue = withheld.get(held) === this.#table.elementsOf(place) && this.#hasLinksOf(held, place);
    if (isTrue) this.#filled.set(held, place);
    else this.#reasons.set(place, 'unattested');
  }

  #hasLinksOf(held: number, place: number): boolean {
    const [ours, theirs] = [this.#graph.table, this.#table];
    if (!this.#isSameIdentity(held, theirs.identity.get(place))) return false;
    const named = [theirs.prev.get(place)];
    for (let i = theirs.firstParent(place); i < theirs.parentsEnd.get(place); i++) named.push(theirs.parents.get(i));
    const links = [ours.prev.get(held), ...ours.parents.slice(ours.firstParent(held), ours.parentsEnd.get(held))];
    return (
      named.length === links.length &&
      named.every((ref, i) => (ref === NONE ? links[i] === NONE : this.#incoming.number(ref) === links[i]))
    );
  }

  /**
   * A seal covers what its node stands on by `prev` links, back to the seal before. Only links count, never
   * the order of the pack: a node put before somebody's sealed one is not thereby sealed.
   */
  #findRuns(): void {
    const sealed = new Set<number>();
    for (const { index, valid } of this.#pack.seals) if (valid) sealed.add(this.#first[index]!);
    for (const [run, { index }] of this.#pack.seals.entries()) {
      const first = this.#first[index]!;
      let length = 0;
      for (
        let place = first;
        place >= 0 && this.#fresh[place] === 1 && this.#runOf[place] === NO_RUN;
        place = this.#placeOf(this.#table.prev.get(place))
      ) {
        this.#runOf[place] = run;
        length++;
      }
      if (this.#fresh[first] === 0) continue;
      if (!sealed.has(first)) this.#reasons.set(first, 'bad-signature');
      else if (length > this.#rules.runNodes) this.#reasons.set(first, 'run-too-long');
    }
  }

  /** The first place of the pack that holds what a reference names, or -1. */
  #placeOf(ref: number): number {
    if (ref === NONE) return -1;
    if (ref >= 0) return this.#first[ref]!;
    const table = this.#table;
    return table.index.find(table.idWords(ref), table.idAt(ref));
  }

  /** Whether a node is there before `place` is. Ancestors come first in a pack: what comes later is not there yet. */
  #isKnown(ref: number, place: number): boolean {
    const at = this.#placeOf(ref);
    return (at >= 0 && at < place) || this.#incoming.number(ref) >= 0;
  }

  /** What is wrong with a node by itself. */
  #faultOf(place: number, voice: ComingVoice): NodeReason | undefined {
    const table = this.#table;
    if (this.#isForeign(place)) return 'wrong-room';
    const prev = table.prev.get(place);
    if (prev !== NONE) {
      if (!this.#isKnown(prev, place)) return 'missing-parent';
      if (!this.#isOnChain(place, prev)) return 'wrong-prev';
    }
    for (let i = table.firstParent(place); i < table.parentsEnd.get(place); i++)
      if (!this.#isKnown(table.parents.get(i), place)) return 'missing-parent';
    // System keys in nodes of other rooms count for nothing here, and were that room's matter. [TP3]
    if (roomOf(table, place) !== this.#rules.genesis) return undefined;
    if (nameOf(table, place) === this.#rules.genesis) return isFounded(this.#pack, place) ? undefined : 'bad-mandate';
    if (this.#isAboutKeys) {
      const { keys } = this.#rules;
      const fault = keys?.faultOf(table, place, this.#pack.mandates, voice);
      if (fault) return fault;
      if (keys?.introduces(table, place)) return undefined;
    }
    if (voice.speaksStill) return undefined;
    for (let op = table.firstOp(place); op < table.opsEnd.get(place); op++)
      if (this.#systemKeys[table.key(op)] === 1) return voice.lost ?? 'foreign-system-key';
    return undefined;
  }

  /** Whether a known node is by the same author in the same room. */
  #isOnChain(place: number, prev: number): boolean {
    const identity = this.#table.identity.get(place);
    const at = this.#placeOf(prev);
    if (at >= 0 && at < place) return this.#table.identity.get(at) === identity;
    return this.#isSameIdentity(this.#incoming.number(prev), identity);
  }

  #isSameIdentity(held: number, identity: number): boolean {
    const { table } = this.#graph;
    const { authorName, roomName } = table.identities.list[table.identity.get(held)]!;
    const wanted = this.#table.identities.list[identity]!;
    return authorName === wanted.authorName && roomName === wanted.roomName;
  }

  /**
   * A refused node takes its run and its descendants in the pack with it. What is wrong for good spreads first, so that
   * what hangs on it is not waited for.
   */
  #spreadRefusals(): void {
    const waiting: number[] = [];
    for (const [place, reason] of this.#reasons) {
      if (isEarly(reason)) waiting.push(place);
      else this.#hopeless.add(place);
    }
    for (const place of this.#hopeless) waiting.push(place);
    const runs = new Map<number, number[]>();
    for (const [place, run] of this.#runOf.entries()) {
      if (run !== NO_RUN) append(runs, run, place);
    }
    const children = this.#children();
    const refuse = (place: number, reason: NodeReason, hopeless: boolean): void => {
      if (this.#reasons.has(place) || this.#fresh[place] === 0) return;
      this.#reasons.set(place, reason);
      if (hopeless) this.#hopeless.add(place);
      waiting.push(place);
    };
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const run = this.#runOf[next]!;
      const hopeless = this.#hopeless.has(next);
      for (const member of runs.get(run) ?? []) refuse(member, 'run-refused', hopeless);
      runs.delete(run);
      for (const child of children.get(next) ?? []) refuse(child, 'missing-parent', hopeless);
    }
  }

  #children(): Map<number, number[]> {
    const table = this.#table;
    const children = new Map<number, number[]>();
    const add = (ref: number, place: number): void => {
      const ancestor = this.#placeOf(ref);
      if (ancestor >= 0) append(children, ancestor, place);
    };
    for (let place = 0; place < this.#pack.size; place++) {
      add(table.prev.get(place), place);
      for (let i = table.firstParent(place); i < table.parentsEnd.get(place); i++) add(table.parents.get(i), place);
    }
    return children;
  }
}

/** A seal or a parent may still come. */
function isEarly(reason: NodeReason): boolean {
  return reason === 'unsealed' || reason === 'missing-parent';
}

function append(lists: Map<number, number[]>, name: number, value: number): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}
