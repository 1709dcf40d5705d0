/**
 * Decides which nodes of a pack enter the room. Pure and synchronous: it looks only at the graph it is
 * given, so every replica with the same ancestors judges alike. [AD]
 *
 * A run (what one seal covers) stands or falls as a whole, and a node cannot outlive an ancestor that
 * was refused. Both spread through a work list, so judging is linear in nodes and parents whatever the
 * shape of the pack.
 */
import type { Dag } from '../graph/dag.js';
import { type Node, type NodeId, type PublicKey, ancestorsOf } from '../graph/node.js';
import type { NodeReason } from '../rejection.js';
import { isSystemKey } from './genesis.js';
import type { CheckedPack } from './seals.js';

export interface RefusedNode {
  readonly id: NodeId;
  readonly reason: NodeReason;
}

export interface Verdict {
  /** New nodes in pack order, each after its ancestors. */
  readonly admitted: readonly Node[];
  /** The seals of admitted nodes. */
  readonly seals: ReadonlyMap<NodeId, Uint8Array>;
  /** Nodes that were held already; they count as accepted. [AD1] */
  readonly duplicates: number;
  readonly refused: readonly RefusedNode[];
}

export interface RoomRules {
  readonly genesis: NodeId;
  readonly authorities: ReadonlySet<PublicKey>;
  /** The longest run that is taken. */
  readonly runNodes: number;
}

export function admit(pack: CheckedPack, graph: Dag, rules: RoomRules): Verdict {
  const { nodes } = pack;
  const places = new Map<NodeId, number>();
  const fresh = nodes.map((node, index) => {
    const first = !places.has(node.id);
    if (first) places.set(node.id, index);
    return first && graph.find(node.id) === undefined;
  });
  const { runOf, faults } = findRuns(pack, fresh, places, rules.runNodes);
  const reasons: (NodeReason | undefined)[] = nodes.map((node, index) =>
    fresh[index] ? (faults[index] ?? faultOf(node, index, graph, places, nodes, rules)) : undefined,
  );
  spreadRefusals(nodes, reasons, fresh, places, runOf);

  const admitted = nodes.filter((_, index) => fresh[index] && !reasons[index]);
  const refused = nodes.flatMap((node) => {
    const reason = reasons[places.get(node.id) ?? -1]; // a repeated node shares its first copy's fate
    return reason ? [{ id: node.id, reason }] : [];
  });
  const kept = new Set(admitted.map((node) => node.id));
  const seals = new Map<NodeId, Uint8Array>();
  for (const { index, signature, valid } of pack.seals) {
    const node = nodes[index];
    if (node && valid && kept.has(node.id)) seals.set(node.id, signature);
  }
  return { admitted, seals, duplicates: nodes.length - admitted.length - refused.length, refused };
}

interface Runs {
  /** For each new node that a seal covers, the indices of its run. */
  readonly runOf: readonly (readonly number[] | undefined)[];
  readonly faults: readonly (NodeReason | undefined)[];
}

/**
 * A seal covers what its node stands on by `prev` links, back to the seal before. Only links count, never
 * the order of the pack: a node put before somebody's sealed one is not thereby sealed.
 */
function findRuns(
  { nodes, seals }: CheckedPack,
  fresh: readonly boolean[],
  places: ReadonlyMap<NodeId, number>,
  runNodes: number,
): Runs {
  const runOf: (readonly number[] | undefined)[] = nodes.map(() => undefined);
  const faults: (NodeReason | undefined)[] = nodes.map((_, index) => (fresh[index] ? 'unsealed' : undefined));
  const sealed = new Set(seals.flatMap(({ index, valid }) => (valid ? [nodes[index]?.id] : [])));
  for (const seal of seals) {
    const node = nodes[seal.index];
    const first = node && places.get(node.id);
    if (!node || first === undefined) continue;
    const run: number[] = [];
    let index: number | undefined = first;
    while (index !== undefined && fresh[index] && !runOf[index]) {
      run.push(index);
      runOf[index] = run;
      faults[index] = undefined;
      const prev: NodeId | undefined = nodes[index]?.prev;
      index = prev === undefined ? undefined : places.get(prev);
    }
    if (!fresh[first]) continue;
    if (!sealed.has(node.id)) faults[first] = 'bad-signature';
    else if (run.length > runNodes) faults[first] = 'run-too-long';
  }
  return { runOf, faults };
}

/** What is wrong with a node by itself. Ancestors come first in a pack: what comes later is not there yet. */
function faultOf(
  node: Node,
  index: number,
  graph: Dag,
  places: ReadonlyMap<NodeId, number>,
  nodes: readonly Node[],
  rules: RoomRules,
): NodeReason | undefined {
  if (node.room !== rules.genesis) return 'wrong-room';
  const find = (id: NodeId): Node | undefined => {
    const place = places.get(id);
    return graph.find(id)?.node ?? (place !== undefined && place < index ? nodes[place] : undefined);
  };
  if (node.prev !== undefined) {
    const prev = find(node.prev);
    if (!prev) return 'missing-parent';
    if (prev.author !== node.author || prev.room !== node.room) return 'wrong-prev';
  }
  if (node.parents.some((parent) => !find(parent))) return 'missing-parent';
  if (!rules.authorities.has(node.author) && node.ops.some((op) => isSystemKey(op.key))) return 'foreign-system-key';
  return undefined;
}

/** A refused node takes its run and its descendants in the pack with it. */
function spreadRefusals(
  nodes: readonly Node[],
  reasons: (NodeReason | undefined)[],
  fresh: readonly boolean[],
  places: ReadonlyMap<NodeId, number>,
  runOf: Runs['runOf'],
): void {
  const waiting = reasons.flatMap((reason, index) => (reason ? [index] : []));
  if (waiting.length === 0) return;
  const children = childrenInPack(nodes, places);
  const spread = new Set<readonly number[]>();
  const refuse = (index: number, reason: NodeReason): void => {
    if (reasons[index] || !fresh[index]) return;
    reasons[index] = reason;
    waiting.push(index);
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const run = runOf[next];
    if (run && !spread.has(run)) {
      spread.add(run);
      for (const member of run) refuse(member, 'run-refused');
    }
    for (const child of children.get(next) ?? []) refuse(child, 'missing-parent');
  }
}

function childrenInPack(nodes: readonly Node[], places: ReadonlyMap<NodeId, number>): Map<number, number[]> {
  const children = new Map<number, number[]>();
  nodes.forEach((node, index) => {
    for (const ancestor of ancestorsOf(node)) {
      const place = places.get(ancestor);
      if (place === undefined) continue;
      const list = children.get(place);
      if (list) list.push(index);
      else children.set(place, [index]);
    }
  });
  return children;
}
