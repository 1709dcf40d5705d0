import { importTarget, importsOf } from './imports.js';
import { type Files, isSource } from './source-tree.js';

/**
 * Groups of files that import each other in a circle, one line each. A circle that only types close does no harm at run
 * time, and yet none of its files can be read or moved without the others.
 */
export function importCycles(files: Files, imports: 'of values' | 'of values and types'): string[] {
  const edges = new Map<string, string[]>();
  for (const [path, text] of files) {
    if (!isSource(path)) continue;
    const counted = importsOf(path, text).filter(({ typeOnly }) => imports === 'of values and types' || !typeOnly);
    edges.set(
      path,
      counted.flatMap(({ specifier }) => importTarget(path, specifier, files) ?? []),
    );
  }
  return stronglyConnected(edges)
    .filter(([first = '', second]) => second !== undefined || edges.get(first)?.includes(first) === true)
    .map(circleOf);
}

/** The line that reports a circle of these files. */
function circleOf(files: readonly string[]): string {
  return [...files].sort().join(' <-> ');
}

/** Tarjan's algorithm with its own stack: a long chain of imports must not end in a stack overflow. */
function stronglyConnected(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const groups: string[][] = [];

  const enter = (node: string): { node: string; next: number } => {
    index.set(node, index.size);
    low.set(node, index.get(node) ?? 0);
    open.push(node);
    isOpen.add(node);
    return { node, next: 0 };
  };
  const lower = (node: string, to: number): void => {
    low.set(node, Math.min(low.get(node) ?? to, to));
  };

  for (const start of edges.keys()) {
    if (index.has(start)) continue;
    const work = [enter(start)];
    for (let frame = work.at(-1); frame !== undefined; frame = work.at(-1)) {
      const target = edges.get(frame.node)?.[frame.next];
      if (target !== undefined) {
        frame.next += 1;
        if (!index.has(target)) work.push(enter(target));
        else if (isOpen.has(target)) lower(frame.node, index.get(target) ?? 0);
        continue;
      }
      work.pop();
      const parent = work.at(-1);
      if (parent !== undefined) lower(parent.node, low.get(frame.node) ?? 0);
      if (low.get(frame.node) === index.get(frame.node)) groups.push(closeGroup(frame.node, open, isOpen));
    }
  }
  return groups;
}

function closeGroup(root: string, open: string[], isOpen: Set<string>): string[] {
  const group = open.splice(open.lastIndexOf(root));
  for (const node of group) isOpen.delete(node);
  return group;
}
