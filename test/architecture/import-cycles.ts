import { importsOf, isRelative, resolveRelative } from './imports.js';
import { type Files, isSource } from './source-tree.js';

/** Groups of files that import each other in a circle. Types leave no import behind, so they close no circle. */
export function importCycles(files: Files): string[][] {
  const edges = new Map<string, string[]>();
  for (const [path, text] of files) {
    if (!isSource(path)) continue;
    const targets = importsOf(path, text)
      .filter((found) => isRelative(found.specifier) && !found.typeOnly)
      .map((found) => resolveRelative(path, found.specifier, files));
    edges.set(path, targets);
  }
  return stronglyConnected(edges).filter(
    ([first, second]) => second !== undefined || (first !== undefined && edges.get(first)?.includes(first) === true),
  );
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
  return group.sort();
}
