/**
 * The asking side of a walk down another's tree of ids: compares, descends where it differs, and collects what each side
 * lacks. [RC3]
 *
 * Invariant: what was not asked for is not taken, and every id lies below the path it came with; so an answer can only
 * name ids, and there are no more of them than it has bytes. How many paths a walk asks for is bounded.
 */
import { DecodeError } from '../codec/bytes/bytes.js';
import { type IdTree, NO_HASH, type TreeElement } from './id-tree.js';

const HASH = /^[0-9a-f]{64}$/;
const NIBBLE = /^[0-9a-f]$/;
const LONGEST_PATH = 63;

export class TreeWalk {
  readonly #own: IdTree;
  readonly #holds: (id: string) => boolean;
  readonly #waiting: string[] = [];
  readonly #asked = new Set<string>();
  #left: number;
  /** Ids that they have and we lack. */
  readonly theyHave = new Set<string>();
  /** Ids that we have and they lack. */
  readonly weHave = new Set<string>();
  /** False when an answer left out what was asked for: their tree has changed meanwhile, or they hide something. */
  isWhole = true;

  /** `theirRoot` may be unknown yet. */
  constructor(own: IdTree, theirRoot: string | undefined, holds: (id: string) => boolean, mostPaths: number) {
    this.#own = own;
    this.#holds = holds;
    this.#left = mostPaths;
    if (theirRoot === own.root) return;
    if (theirRoot === NO_HASH) this.#add(this.weHave, own.below(''));
    else this.#waiting.push('');
  }

  /** The next paths to ask for; none when the walk is at its end. Throws `DecodeError` when it does not end. */
  next(count: number): string[] {
    if (this.#asked.size > 0) this.isWhole = false;
    this.#asked.clear();
    const paths = this.#waiting.splice(-count);
    this.#left -= paths.length;
    if (this.#left < 0) throw new DecodeError('a tree that does not end');
    for (const path of paths) this.#asked.add(path);
    return paths;
  }

  take(elements: readonly TreeElement[]): void {
    for (const element of elements) {
      if (!this.#asked.delete(element.path)) throw new DecodeError('a node of the tree that was not asked for');
      if (element.keys.length > 0) this.#takeLeaf(element);
      else this.#takeNode(element);
    }
  }

  #takeLeaf({ path, keys }: TreeElement): void {
    const [id] = keys;
    if (keys.length > 1 || !HASH.test(id!) || !id!.startsWith(path)) throw new DecodeError('not a leaf of the tree');
    if (!this.#holds(id!)) this.theyHave.add(id!);
    this.#leftOver(path, id!);
  }

  #takeNode({ path, children }: TreeElement): void {
    const own = this.#own.under(path);
    for (const [nibble, hash] of Object.entries(children)) {
      if (!NIBBLE.test(nibble) || !HASH.test(hash) || path.length >= LONGEST_PATH)
        throw new DecodeError('not a node of the tree');
      const below = path + nibble;
      if (own?.children[nibble] === hash) continue;
      // A leaf is known by its id. Its node need not be asked for.
      if (hash.startsWith(below) && this.#holds(hash)) this.#leftOver(below, hash);
      else this.#waiting.push(below);
    }
    this.#childless(path, own, children);
  }

  /** Ours where they have nothing. */
  #childless(path: string, own: TreeElement | undefined, theirs: Readonly<Record<string, string>>): void {
    if (own?.keys[0] !== undefined) {
      if (!Object.hasOwn(theirs, own.keys[0][path.length]!)) this.weHave.add(own.keys[0]);
      return;
    }
    for (const nibble of Object.keys(own?.children ?? {}))
      if (!Object.hasOwn(theirs, nibble)) this.#add(this.weHave, this.#own.below(path + nibble));
  }

  /** Below this path they have one id: what else we have there, they lack. */
  #leftOver(path: string, id: string): void {
    for (const own of this.#own.below(path)) if (own !== id) this.weHave.add(own);
  }

  #add(to: Set<string>, ids: Iterable<string>): void {
    for (const id of ids) to.add(id);
  }
}
