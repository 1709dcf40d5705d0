/** Marks of a merge: where git could not decide, a file holds both versions between lines that name whose each is. */
import { textOf } from '../../workspace/files/file-in-folder.js';
import type { Conflict, ObjectStore } from '../../workspace/git/objects/object-store.js';

export interface Sides {
  /** Commit that both began with. */
  readonly base: string;
  readonly target: { readonly commit: string; readonly name: string };
  readonly own: { readonly commit: string; readonly name: string };
}

export interface Marked {
  readonly tree: string;
  readonly conflicts: readonly Conflict[];
}

/**
 * Both sides in one tree: marked where both are text, else as the target has it. What one of them has renamed is at its new name, as its own
 * side has it where it cannot be marked: under that name the target has nothing.
 */
export async function markedTree(store: ObjectStore, { base, target, own }: Sides): Promise<Marked> {
  const merged = await store.merge(base, target.commit, own.commit);
  const there = new Map((await store.files(target.commit)).map((entry) => [entry.path, entry]));
  const ours = new Map((await store.files(own.commit)).map((entry) => [entry.path, entry]));
  const known = new Set([...there.keys(), ...ours.keys()]);
  const inTree = new Map((await store.files(merged.tree)).map((entry) => [entry.path, entry]));
  // Files that the merge has set aside because another one has their path.
  const aside = [...inTree.keys()].filter((path) => !known.has(path));
  const edits = await Promise.all(
    merged.conflicts.map(async ({ path, kind }) => {
      const entry = inTree.get(path);
      const text = entry && textOf(await store.read(entry.id));
      const named = text === undefined ? undefined : withNames(text, target.name, own.name);
      const renamed = kind === 'contents' || kind === 'binary' ? ours.get(path) : undefined;
      return { path, content: named ?? there.get(path) ?? renamed ?? null };
    }),
  );
  const tree = await store.edit(merged.tree, [...aside.map((path) => ({ path, content: null })), ...edits]);
  return { tree, conflicts: merged.conflicts };
}

/** Text whose marks name both sides; undefined where it has none. */
function withNames(text: string, target: string, own: string): string | undefined {
  const named = text
    .replace(/^<<<<<<< (?:[0-9a-f]{40,64}|ours)(?::.*)?$/gm, () => beginning(target))
    .replace(/^>>>>>>> (?:[0-9a-f]{40,64}|theirs)(?::.*)?$/gm, () => end(own));
  return named === text ? undefined : named;
}

export function beginning(name: string): string {
  return `<<<<<<< ${name}`;
}

export function end(name: string): string {
  return `>>>>>>> ${name}`;
}
