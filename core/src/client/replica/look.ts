/** What a developer sees of a replica: its names with what is under them, and its newest nodes. Loaded when somebody looks. */
import type { Document } from '../../crdt/document.js';
import type { Graph } from '../../graph/graph.js';

export interface KeySeen {
  readonly key: string;
  readonly kind: 'value' | 'text' | 'list';
  /** Characters of a text, items of a list. */
  readonly length?: number;
}

export interface NodeSeen {
  readonly id: string;
  readonly author: string;
  readonly wallMs: number | undefined;
  /** Ids of the nodes that it stands on. */
  readonly standsOn: readonly string[];
  /** Names that it changes. */
  readonly keys: readonly string[];
}

export interface ReplicaSeen {
  readonly nodeCount: number;
  /** By name; at most so many as were asked for. */
  readonly keys: readonly KeySeen[];
  /** Newest first; at most so many as were asked for. */
  readonly nodes: readonly NodeSeen[];
}

export function lookInto(graph: Graph, values: Document, most: number): ReplicaSeen {
  const { table } = graph;
  // What the room keeps of itself begins so.
  const isOwn = (name: string): boolean => name.startsWith('\0');
  const names = (key: number): string => table.keys.names[key] ?? '';
  const keys: KeySeen[] = [];
  for (const name of table.keys.names.filter((name) => !isOwn(name)).toSorted()) {
    if (keys.length >= most) break;
    const [text, list] = [values.textNamed(name), values.listNamed(name)];
    if (values.registers.find(name) !== undefined) keys.push({ key: name, kind: 'value' });
    if (text && text.length > 0) keys.push({ key: name, kind: 'text', length: text.length });
    if (list && list.length > 0) keys.push({ key: name, kind: 'list', length: list.length });
  }
  const nodes: NodeSeen[] = [];
  for (let node = graph.size - 1; node >= 0 && nodes.length < most; node--) {
    const changed = new Set<string>();
    for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) changed.add(names(table.key(op)));
    nodes.push({
      id: graph.idOf(node),
      author: graph.authorOf(node),
      wallMs: table.walls.get(node),
      standsOn: [...graph.ancestors(node)].map((parent) => graph.idOf(parent)),
      keys: [...changed].filter((name) => !isOwn(name)),
    });
  }
  return { nodeCount: graph.size, keys, nodes };
}
