/**
 * Merges in one object store without a checkout, by `git merge-tree`, with the attributes that the repository sets for its files.
 */
import { refusal } from '../../../reasons.js';
import type { Asked, NodeGitCalls } from '../calls/node-git-calls.js';
import { mergesOf, partsOf } from '../calls/git-answers.js';
import type { Attributes, MergeAttributes } from './merge-attributes.js';
import type { Conflict, MergeOutcome, Merged, NewCommit } from '../objects/object-store.js';
import type { PassingFolders } from '../objects/passing-folders.js';
import type { GitSettings } from '../calls/run-git.js';

const EPOCH = '1970-01-01T00:00:00Z';

/** Store that the merges happen in. */
export interface MergeStore {
  readonly folder: string;
  commit(wanted: NewCommit): Promise<string>;
  treesOf(ids: readonly string[]): Promise<string[]>;
}

interface Way {
  /** Index of the pair. */
  readonly index: number;
  readonly pair: readonly [string, string];
}

export class NodeMerges {
  readonly #git: NodeGitCalls;
  readonly #store: MergeStore;
  readonly #passing: PassingFolders;
  readonly #attributes: MergeAttributes;

  constructor(git: NodeGitCalls, store: MergeStore, passing: PassingFolders, attributes: MergeAttributes) {
    this.#git = git;
    this.#store = store;
    this.#passing = passing;
    this.#attributes = attributes;
  }

  async merge(base: string, ours: string, theirs: string): Promise<Merged> {
    const trees = await this.#store.treesOf([base, ours, theirs]);
    const [baseTree, ourTree, theirTree] = trees as [string, string, string];
    if (baseTree === theirTree || ourTree === theirTree) return { tree: ourTree, clean: true, conflicts: [] };
    if (baseTree === ourTree) return { tree: theirTree, clean: true, conflicts: [] };
    // git finds the base in the history alone, so it gets a history with exactly this base.
    const start = await this.#bare(baseTree, []);
    const [one, other] = await Promise.all([this.#bare(ourTree, [start]), this.#bare(theirTree, [start])]);
    const [attributes] = await this.#attributes.of([ourTree]);
    return (await this.#mergePairs([[one, other]], attributes!, {}))[0]!;
  }

  /** Tries merges with objects in memory, where there is room: making them durable took most of the time. */
  async tryPairs(pairs: readonly (readonly [string, string])[]): Promise<MergeOutcome[]> {
    if (pairs.length === 0) return [];
    const merge = (settings: GitSettings): Promise<MergeOutcome[]> => this.#tryPairs(pairs, settings);
    const repository = this.#store.folder;
    return this.#passing.inMemory((passing) => merge({ objects: { passing, repository } })).catch(() => merge({}));
  }

  /** Where the two sides have different merge attributes, both directions are tried. */
  async #tryPairs(pairs: readonly (readonly [string, string])[], settings: GitSettings): Promise<MergeOutcome[]> {
    const tries = new Map<string, { readonly by: Attributes; readonly ways: Way[] }>();
    const attributes = await this.#attributes.of(pairs.flat());
    for (const [index, [one, other]] of pairs.entries()) {
      const [ofOne, ofOther] = [attributes[2 * index]!, attributes[2 * index + 1]!];
      const ways = [{ by: ofOne, way: { index, pair: [one, other] } as const }];
      if (ofOther.key !== ofOne.key) ways.push({ by: ofOther, way: { index, pair: [other, one] } });
      for (const { by, way } of ways) {
        const known = tries.get(by.key) ?? { by, ways: [] };
        tries.set(by.key, known);
        known.ways.push(way);
      }
    }
    const found: MergeOutcome[] = [];
    for (const { by, ways } of tries.values()) {
      const merged = await this.#mergePairs(
        ways.map(({ pair }) => pair),
        by,
        settings,
      );
      for (const [n, { index }] of ways.entries()) found[index] = both(found[index], merged[n]!);
    }
    return found;
  }

  async #mergePairs(
    pairs: readonly (readonly [string, string])[],
    attributes: Attributes,
    settings: GitSettings,
  ): Promise<Merged[]> {
    const input = pairs.map(([one, other]) => `${one} ${other}\n`).join('');
    const args = ['merge-tree', '--write-tree', '--allow-unrelated-histories', '--stdin'];
    return this.#attributes.within(attributes, async (found) => {
      const asked = { ...found, settings: { ...settings, ...found.settings } };
      const { text } = await this.#git.ask(args, { ...asked, input });
      const merged = mergesOf(text, pairs);
      if (merged.length !== pairs.length)
        throw refusal('reject.git_failed', 'git merge-tree answered less than was asked');
      return (asked.settings.failingDrivers ?? []).length === 0 ? merged : this.#sayDrivers(merged, asked);
    });
  }

  /** Marks conflicts of merge drivers: git reports a driver that was not run like any other conflict. */
  async #sayDrivers(merged: readonly Merged[], asked: Asked): Promise<Merged[]> {
    const paths = [...new Set(merged.flatMap(({ conflicts }) => conflicts.map(({ path }) => path)))];
    if (paths.length === 0) return [...merged];
    const input = paths.map((path) => `${path}\0`).join('');
    const { text } = await this.#git.ask(['check-attr', '-z', '--stdin', 'merge'], { ...asked, input });
    const parts = partsOf(text);
    const drivers = new Set(asked.settings?.failingDrivers);
    const theirs = new Set(paths.filter((_, n) => drivers.has(parts[3 * n + 2] ?? '')));
    const kindOf = ({ path, kind }: Conflict): string =>
      theirs.has(path) && (kind === 'contents' || kind === 'add/add') ? 'driver' : kind;
    return merged.map((one) => ({
      ...one,
      conflicts: one.conflicts.map((conflict) => ({ ...conflict, kind: kindOf(conflict) })),
    }));
  }

  /** Commit without author or message of its own. */
  #bare(tree: string, parents: readonly string[]): Promise<string> {
    return this.#store.commit({ tree, parents, message: 'base', at: EPOCH });
  }
}

function both(one: MergeOutcome | undefined, other: Merged): MergeOutcome {
  if (one === undefined) return { clean: other.clean, conflicts: other.conflicts };
  const known = new Set(one.conflicts.map(({ path }) => path));
  const conflicts = [...one.conflicts, ...other.conflicts.filter(({ path }) => !known.has(path))];
  return { clean: one.clean && other.clean, conflicts: conflicts.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}
