/**
 * Memory of repositories that held their commits when git was asked last. It stands until an entry of the repository's folder, or
 * of the one with its objects, is made, renamed or removed, or its configuration is written: what takes commits away, or leads
 * elsewhere, does one of these. Whoever asks again meanwhile is spared a start of git, which most requests would cost.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

const MOST = 1_000;

export class HeldBefore {
  readonly #states = new Map<string, string>();

  /** Whether these commits are held; `ask` is asked where it is not known. Only what is so is kept in mind. */
  async holds(folder: string, commits: readonly string[], ask: () => Promise<boolean>): Promise<boolean> {
    const question = JSON.stringify([folder, commits]);
    // Read before git is asked: what changes meanwhile is asked about again.
    const state = await stateOf(folder);
    if (state !== undefined && this.#states.get(question) === state) return true;
    this.#states.delete(question);
    if (!(await ask())) return false;
    if (state !== undefined) this.#states.set(question, state);
    if (this.#states.size > MOST) this.#states.delete(this.#states.keys().next().value!);
    return true;
  }
}

/** Undefined of a working tree whose repository lies elsewhere: that one is not watched here. */
async function stateOf(folder: string): Promise<string | undefined> {
  const at = join(folder, '.git');
  try {
    const watched = [at, join(at, 'config'), join(at, 'objects')];
    const [tree, ...found] = await Promise.all([folder, ...watched].map((path) => lstat(path, { bigint: true })));
    if (![tree!, ...found].every((one) => one.isDirectory() || one.isFile())) return undefined;
    const changed = found.map(({ dev, ino, ctimeNs }) => `${dev}:${ino}:${ctimeNs}`);
    return [`${tree!.dev}:${tree!.ino}:${tree!.uid}`, ...changed].join(' ');
  } catch {
    return undefined;
  }
}
