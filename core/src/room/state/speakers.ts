/**
 * Speakers of a room: which nodes count as its authority's, and whose nodes those of a key are. [MA3] [SU1]
 *
 * A fold of the nodes, as laws are: what a key is at a node is said by the node's causal past alone, so every replica says the
 * same, whenever it comes. A key that is no root is what its first node introduces it as, unless the past has that taken back.
 * Who the roots are is said by that past too. [MA6]
 * Rooms in which nothing is said about keys pay nothing.
 */
import { isFor, readMandate } from '../../access/mandate.js';
import { type Accession, type Reign, accessionTo, firstReign, lineTo, reignAmong } from '../../access/reign.js';
import { type Succession, nameOfSuccession, readSuccession } from '../../access/succession.js';
import { type Vouched, speaksIn, speaksUnder } from '../../access/word.js';
import { DecodeError, equalBytes } from '../../codec/bytes/bytes.js';
import { IntColumn } from '../../codec/bytes/columns.js';
import { equalIds } from '../../codec/nodes/id-index.js';
import type { NodeTable } from '../../codec/nodes/node-table.js';
import type { Graph } from '../../graph/graph.js';
import { type NodeId, roomOf, wordsOf } from '../../graph/node.js';
import { recoveryIn } from './recovery-in.js';
import { isAboutKeys } from './about-keys.js';
import { ROOTS, SUBJECT_REVOKED } from './key-facts.js';
import { type Introduction, introductionAt, mandatesAt, successionAt, takesBack } from './mandates.js';
import { RevokedSets } from './revoked.js';
import type { Speaking } from './roots.js';

/** What is known of a node before it is there. */
export interface KeyPast {
  /** What its chain began with. */
  readonly introduction: Introduction | undefined;
  /** Number of the revocations that it stands on. */
  readonly revoked: number;
  readonly lamport: number;
}

/** What a key is. */
export interface Voice {
  /** Whether it speaks for the room. */
  readonly speaks: boolean;
  /** Whose nodes its nodes are: a subject's, or its own. */
  readonly subject: string;
}

/** What a node stands under: what its author is there, and the number of what is known to be revoked below it. */
export interface Standing {
  readonly voice: Pick<Voice, 'speaks'>;
  readonly below: number;
  /** Names of what is signed as it says, where that is not held yet. */
  readonly holding?: ReadonlySet<string> | undefined;
}

export class Speakers implements Speaking {
  readonly #graph: Graph;
  /** Emptied when they are changed: whoever has this set looks closer then. */
  readonly roots: Set<string>;
  #first: Reign;
  /** Id of the room's genesis; what other rooms' nodes say of keys counts too where it is not said. */
  readonly room: NodeId | undefined;
  readonly sets = new RevokedSets();
  /** By the node that introduces, in log order. */
  readonly #introductions = new Map<number, Introduction>();
  readonly #keys = new Map<string, Introduction>();
  /** Number of what each node knows to be revoked; none behind the end. */
  readonly #revokedOf = new IntColumn();
  /** Changes of roots by what they are called among revocations; those of refused nodes stay, and count nowhere. */
  readonly #accessions = new Map<string, Accession>();
  /** Reigns by the number of what is known where they are. */
  readonly #reigns = new Map<number, Reign>();
  /** Nodes that revoke, and what. */
  readonly #revoking: { readonly node: number; readonly names: readonly string[] }[] = [];
  #allRevoked = 0;
  #chains = 0;
  #next = 0;
  #names = 0;
  #hasIntroductions = false;
  #hasRevocations = false;
  #isLearnt = false;

  /** `roots` are the keys that the genesis names. */
  constructor(graph: Graph, roots: Set<string>, room?: NodeId) {
    this.#graph = graph;
    this.roots = roots;
    this.#first = firstReign(new Set(roots));
    this.room = room;
  }

  /** Who they were when the room began. */
  get first(): Reign {
    this.#learn(this.#graph.table);
    return this.#first;
  }

  /** Who the roots are from now on, by all that is held. */
  get reign(): Reign {
    this.follow();
    return this.reignAt(this.#allRevoked);
  }

  /** Who they are where so much is known to be revoked. */
  reignAt(revoked: number): Reign {
    if (this.#accessions.size === 0) return this.first;
    let reign = this.#reigns.get(revoked);
    if (reign) return reign;
    const known: Accession[] = [];
    for (const name of this.sets.of(revoked)) {
      const accession = this.#accessions.get(name);
      if (accession) known.push(accession);
    }
    reign = reignAmong(this.#first, known);
    this.#reigns.set(revoked, reign);
    return reign;
  }

  /** Whether nothing was ever said about keys: then roots speak, and everybody is himself. */
  get isPlain(): boolean {
    this.#look();
    return !this.#hasIntroductions && !this.#hasRevocations;
  }

  /** Takes in what was added to the graph. */
  follow(): void {
    const { size, chains, table } = this.#graph;
    this.#look();
    if (!this.#hasIntroductions) this.#chains = chains.length;
    for (; this.#chains < chains.length; this.#chains++) {
      const { from, nodes } = chains[this.#chains]!;
      const first = nodes.get(0);
      const introduction = from < 0 ? this.introductionAt(table, first) : undefined;
      if (!introduction) continue;
      this.#introductions.set(first, introduction);
      this.#keys.set(introduction.mandate.key, introduction);
    }
    if (!this.#hasRevocations) this.#next = size;
    for (; this.#next < size; this.#next++) this.#add(this.#next);
  }

  /** Nodes from `size` on were taken back. */
  truncate(size: number): void {
    for (const [first, { mandate }] of [...this.#introductions].reverse()) {
      if (first < size) break;
      this.#introductions.delete(first);
      this.#keys.delete(mandate.key);
    }
    this.#chains = Math.min(this.#chains, size === 0 ? 0 : this.#graph.chains.length);
    if (this.#next <= size) return;
    this.#next = size;
    if (this.#revokedOf.length > size) this.#revokedOf.truncate(size);
    while (this.#revoking.length > 0 && this.#revoking.at(-1)!.node >= size) this.#revoking.pop();
    this.#allRevoked = this.#revoking.reduce((number, { names }) => this.sets.with(number, names), 0);
  }

  /** Whether a held node is the authority's. */
  speaks(node: number): boolean {
    const author = this.#graph.authorOf(node);
    this.#look();
    const { roots } = this;
    if (roots.has(author) || this.isPlain) return roots.has(author);
    return this.voiceAt(author, this.pastOf(node)).speaks;
  }

  /** What a held node stands on. */
  pastOf(node: number): KeyPast {
    return {
      introduction: this.introductionOf(node),
      revoked: this.#below(node),
      lamport: this.#graph.lamport.get(node),
    };
  }

  /** What the chain of a held node began with. */
  introductionOf(node: number): Introduction | undefined {
    const { chains, chain } = this.#graph;
    let at = chains[chain.get(node)]!;
    while (at.from >= 0) at = chains[at.from]!;
    return this.#introductions.get(at.nodes.get(0));
  }

  /** What a node of a table introduces its author as. */
  introductionAt(table: NodeTable, place: number): Introduction | undefined {
    return this.#isOwn(table, place) ? introductionAt(table, place) : undefined;
  }

  /** Number of what a held node, itself included, knows to be revoked. */
  revokedAfter(node: number): number {
    return node < this.#revokedOf.length ? this.#revokedOf.values[node]! : 0;
  }

  /** What an author is at a place of the history. */
  voiceAt(author: string, { introduction, revoked, lamport }: KeyPast, { roots } = this.reignAt(revoked)): Voice {
    if (roots.has(author)) return { speaks: true, subject: author };
    const stands = introduction && this.#stands(introduction, this.sets.of(revoked), lamport);
    if (!stands) return { speaks: false, subject: author };
    const { matter, mandate } = introduction;
    if (matter === 'delegate') return { speaks: false, subject: mandate.giver };
    return { speaks: roots.has(mandate.giver), subject: author };
  }

  /** What a key is from now on, by all that is held; of one that is not known here, by what it introduces itself with. */
  voiceNow(author: string, introduction = this.#keys.get(author), reign?: Reign): Voice {
    const lamport = introduction && introduction.mandate.until > 0 ? this.nextLamport : 0;
    return this.voiceAt(author, { introduction, revoked: this.#allRevoked, lamport }, reign);
  }

  /** What a key has introduced itself as. */
  introductionBy(key: string): Introduction | undefined {
    this.follow();
    return this.#keys.get(key);
  }

  hasIntroduced(key: string): boolean {
    return this.introductionBy(key) !== undefined;
  }

  /** Whether a key is, or was, one that speaks. */
  hasSpoken(author: string): boolean {
    this.follow();
    const isRoot = (key: string): boolean =>
      this.#first.roots.has(key) ||
      [...this.#accessions.values()].some(({ succession }) => succession.roots.includes(key));
    if (isRoot(author)) return true;
    const introduction = this.#keys.get(author);
    return introduction?.matter === 'signer' && isRoot(introduction.mandate.giver);
  }

  /** Whether somebody's word about this room counts, as far as is known here. */
  vouches(vouched: Vouched): boolean {
    const { reign, room } = this;
    const { authority } = vouched;
    if (this.isRevokedSigner(authority) && !reign.roots.has(authority)) return false;
    if (speaksUnder(vouched, reign.roots, room)) return true;
    return vouched.line !== undefined && this.#follows(vouched.line) && speaksIn(vouched, this.#first, room);
  }

  /** Subjects, and signers, that are revoked here, by name. */
  get revoked(): ReadonlySet<string> {
    this.follow();
    return this.sets.of(this.#allRevoked);
  }

  /** Whether a key is revoked here, as far as is held. */
  isRevokedSigner(key: string): boolean {
    return this.revoked.has(revokedSigner(key));
  }

  /** Whether successions lead to the present reign, and perhaps on from there. */
  #follows(line: readonly Uint8Array[]): boolean {
    return lineTo(this.reign).every(({ bytes }, i) => line[i] !== undefined && equalBytes(bytes, line[i]));
  }

  /** What a node makes of the reign that it stands under; undefined where it says nothing, 'none' where that does not count. */
  accessionAt(table: NodeTable, place: number, { voice, below, holding }: Standing): Accession | 'none' | undefined {
    const bytes = this.#isOwn(table, place) ? successionAt(table, place) : undefined;
    if (!bytes || bytes === 'none') return bytes;
    this.#learn(this.#graph.table);
    this.#learn(table);
    if (holding && !holding.has(nameOfSuccession(bytes))) return 'none';
    const succession = readOrNone(bytes);
    const accession = succession && accessionTo(this.reignAt(below), bytes, succession, this.room);
    if (!accession) return 'none';
    const introduction = introductionAt(table, place);
    const isTheirs = introduction?.matter === 'signer' && succession.roots.includes(introduction.mandate.giver);
    return voice.speaks || isTheirs ? accession : 'none';
  }

  /** What a node takes back, if it may: names of revocations. */
  revokedBy(table: NodeTable, place: number, standing: Standing): string[] {
    const accession = this.accessionAt(table, place, standing);
    if (accession && accession !== 'none') return [this.#noted(accession)];
    if (!standing.voice.speaks || !this.#isOwn(table, place)) return [];
    const { roots } = this.reignAt(standing.below);
    const names: string[] = [];
    for (const { matter, key, bytes } of mandatesAt(table, place)) {
      if (!bytes) continue;
      const { giver, ...mandate } = readMandate(bytes);
      if (matter === 'signer-revoked' && roots.has(giver)) names.push(revokedSigner(mandate.key));
      if (matter === 'delegate-revoked') names.push(revokedDelegate(giver, key));
    }
    for (let op = table.firstOp(place); op < table.opsEnd.get(place); op++) {
      const name = table.keys.names[table.key(op)]!;
      if (name.startsWith(SUBJECT_REVOKED)) names.push(revokedSubject(name.slice(SUBJECT_REVOKED.length)));
    }
    return names;
  }

  #stands({ matter, mandate }: Introduction, revoked: ReadonlySet<string>, lamport: number): boolean {
    const { giver, key, until } = mandate;
    if (!isFor(mandate, this.room) || (until > 0 && lamport > until)) return false;
    if (matter === 'signer') return !revoked.has(revokedSigner(key));
    return !revoked.has(revokedSubject(giver)) && !revoked.has(revokedDelegate(giver, key));
  }

  /** The lamport that a node on all heads will have. */
  get nextLamport(): number {
    const { settledHeads, lamport } = this.#graph;
    return 1 + settledHeads.reduce((most, head) => Math.max(most, lamport.get(head)), 0);
  }

  #noted(accession: Accession): string {
    const name = `roots ${accession.name}`;
    if (!this.#accessions.has(name)) this.#accessions.set(name, accession);
    return name;
  }

  #add(node: number): void {
    const { table } = this.#graph;
    const below = this.#below(node);
    const voice = this.voiceAt(this.#graph.authorOf(node), this.pastOf(node));
    const names = this.revokedBy(table, node, { voice, below });
    const after = names.length > 0 ? this.sets.with(below, names) : below;
    if (names.length > 0) {
      this.#revoking.push({ node, names });
      this.#allRevoked = this.sets.with(this.#allRevoked, names);
    }
    if (after === 0) return;
    this.#revokedOf.extendTo(node + 1);
    this.#revokedOf.values[node] = after;
  }

  #below(node: number): number {
    let number = 0;
    for (const ancestor of this.#graph.ancestors(node)) number = this.sets.union(number, this.revokedAfter(ancestor));
    return number;
  }

  #isOwn(table: NodeTable, place: number): boolean {
    return this.room === undefined || roomOf(table, place) === this.room;
  }

  /** Reads in the genesis, as soon as it is there, who takes the place of roots that are lost. */
  #learn(table: NodeTable): void {
    const { room } = this;
    if (this.#isLearnt || room === undefined) return;
    const id = wordsOf(room);
    // It is the first node but of a child: who opens a room needs no index of all ids for that.
    const place = equalIds(table.idWords(0), table.idAt(0), id, 0) ? 0 : table.index.find(id, 0);
    this.#isLearnt = place >= 0;
    if (place >= 0) this.#first = firstReign(this.#first.roots, recoveryIn(table, place));
  }

  /** Looks at the names of keys that are new. */
  #look(): void {
    const { names } = this.#graph.table.keys;
    for (; this.#names < names.length; this.#names++) {
      const name = names[this.#names]!;
      if (!isAboutKeys(name)) continue;
      if (name === ROOTS) this.roots.clear();
      if (takesBack(name)) this.#hasRevocations = true;
      else this.#hasIntroductions = true;
    }
  }
}

function readOrNone(bytes: Uint8Array): Succession | undefined {
  try {
    return readSuccession(bytes);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Names of revocations. */
function revokedSigner(key: string): string {
  return `signer ${key}`;
}

function revokedSubject(subject: string): string {
  return `subject ${subject}`;
}

function revokedDelegate(subject: string, key: string): string {
  return `delegate ${subject} ${key}`;
}
