/**
 * Laws of a room, which policy governs which node: a fold of the nodes by which a room's authorities set policies. [PO2]
 *
 * A node stands under the policy of its causal past, and of several the greatest in canonical order; so every replica
 * judges it alike, whenever it comes. Kept as one number per node, and only once a room has a policy: each node
 * inherits the greatest of what it stands on.
 */
import { Policy, type PolicyValue, policyValue } from '../../access/policy.js';
import { sift } from '../../codec/sieve.js';
import { IntColumn } from '../../codec/bytes/columns.js';
import { decodeValue } from '../../codec/bytes/msgpack.js';
import type { NodeTable } from '../../codec/nodes/node-table.js';
import { OP_SET } from '../../codec/nodes/op-kinds.js';
import { POLICY_KEY } from '../../crdt/system-keys.js';
import type { Graph } from '../../graph/graph.js';
import { type NodeId, nameOf, roomOf } from '../../graph/node.js';
import type { Speaking } from './roots.js';

/** Under no policy, everybody may write everywhere. */
export const NO_LAW = 0;

export interface Law {
  /** The node that sets it, if that is held. */
  readonly node: number;
  readonly lamport: number;
  /** Author and id, in hex: what laws of one lamport are ordered by. */
  readonly name: string;
  readonly policy: Policy;
  /** The policy as the room's register holds it. */
  readonly value: PolicyValue;
}

export class Laws {
  readonly #graph: Graph;
  readonly #speakers: Speaking;
  /** Id of the room's genesis; policies of all rooms are taken where it is not said. */
  readonly room: NodeId | undefined;
  /** Numbered from 1 in log order. */
  readonly #laws: Law[] = [];
  /** Number of each node's law; none behind the end. */
  readonly #lawOf = new IntColumn();
  #greatest = NO_LAW;
  /** The node that was not looked at yet. */
  #next = 0;

  /** Policies of other rooms, whose nodes may be among these, are none here, if the speakers are those of one. */
  constructor(graph: Graph, speakers: Speaking) {
    this.#graph = graph;
    this.#speakers = speakers;
    this.room = speakers.room;
  }

  get isEmpty(): boolean {
    return this.#laws.length === 0;
  }

  /** The policy that is in force: the greatest of all. */
  get inForce(): number {
    return this.#greatest;
  }

  law(number: number): Law | undefined {
    return number === NO_LAW ? undefined : this.#laws[number - 1];
  }

  /** All laws in canonical order. */
  get all(): Law[] {
    return [...this.#laws].sort((a, b) => (isGreater(a, b) ? 1 : -1));
  }

  /** The number of the law that a held node stands under. */
  of(node: number): number {
    return node < this.#lawOf.length ? this.#lawOf.values[node]! : NO_LAW;
  }

  /** Takes in what was added to the graph. Before there is a policy, that costs nothing per node. */
  follow(): void {
    const { table, size } = this.#graph;
    this.#speakers.follow();
    if (this.isEmpty && table.keys.find(POLICY_KEY) === undefined) this.#next = size;
    while (this.#next < size) this.#add(this.#next++);
  }

  /** Nodes from `size` on were taken back. */
  truncate(size: number): void {
    if (this.#next <= size) return;
    this.#next = size;
    if (this.#lawOf.length > size) this.#lawOf.truncate(size);
    while (this.#laws.length > 0 && this.#laws.at(-1)!.node >= size) this.#laws.pop();
    this.#greatest = NO_LAW;
    for (let number = 1; number <= this.#laws.length; number++) this.#greatest = this.#greater(this.#greatest, number);
  }

  #add(node: number): void {
    const { table, lamport } = this.#graph;
    const law = lawAt(table, node, lamport.get(node), this.room);
    const set = law && this.#speakers.speaks(node) ? law : undefined;
    if (set) {
      this.#laws.push(set);
      this.#greatest = this.#greater(this.#greatest, this.#laws.length);
    }
    if (this.isEmpty) return;
    let number = NO_LAW;
    for (const ancestor of this.#graph.ancestors(node)) number = this.#greater(number, this.of(ancestor));
    if (set) number = this.#greater(number, this.#laws.length);
    this.#lawOf.extendTo(node + 1);
    this.#lawOf.values[node] = number;
  }

  #greater(a: number, b: number): number {
    return isGreater(this.law(b), this.law(a)) ? b : a;
  }
}

/** A policy that a room's authority has set. */
export interface PolicyFact {
  readonly lamport: number;
  readonly policy: PolicyValue;
}

/** The policies of a room, in canonical order. */
export function policiesOf(laws: Laws): PolicyFact[] {
  laws.follow();
  return laws.all.map(({ lamport, value }) => ({ lamport, policy: value }));
}

export function isGreater(a: Law | undefined, b: Law | undefined): boolean {
  if (!a || !b) return a !== undefined;
  return a.lamport === b.lamport ? a.name > b.name : a.lamport > b.lamport;
}

/** The policy that a node sets, if it does and its author may. One that cannot be read governs nothing: every replica reads it alike. */
export function lawAt(table: NodeTable, place: number, lamport: number, room: NodeId | undefined): Law | undefined {
  const key = table.keys.find(POLICY_KEY);
  if (key === undefined) return undefined;
  const { authorName } = table.identities.list[table.identity.get(place)]!;
  if (room !== undefined && roomOf(table, place) !== room) return undefined;
  for (let op = table.opsEnd.get(place) - 1; op >= table.firstOp(place); op--) {
    if (table.kind(op) !== OP_SET || table.key(op) !== key) continue;
    const value = sift(policyValue, decodeValue(table.contentOf(op)));
    return value
      ? {
          node: place,
          lamport,
          name: authorName + nameOf(table, place),
          policy: new Policy(value),
          value,
        }
      : undefined;
  }
  return undefined;
}
