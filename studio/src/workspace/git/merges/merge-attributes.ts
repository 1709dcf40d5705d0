/**
 * Merge attributes: how a repository wants files merged, by `.gitattributes`. git reads that in a folder, as the receiving side
 * has it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TreeChange, TreeEntry } from '../objects/object-store.js';
import type { GitSettings } from '../calls/run-git.js';

export interface Attributes {
  /** Cache key, equal for equal files. */
  readonly key: string;
  readonly files: readonly TreeEntry[];
}

/** Location in which they apply. */
export interface Surroundings {
  readonly worktree?: string;
  readonly settings?: GitSettings;
}

/** Store port of this file. */
export interface AttributeSource {
  /** Trees of commits or trees. */
  treesOf(ids: readonly string[]): Promise<string[]>;
  files(tree: string): Promise<TreeEntry[]>;
  /** Differences of each of the others from the first, in one git call. */
  differences(tree: string, others: readonly string[]): Promise<ReadonlyMap<string, TreeChange[]>>;
  readMany(blobs: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
  /** Runs work with a temporary folder. */
  within<T>(work: (folder: string) => Promise<T>): Promise<T>;
  /** Merge drivers, of those named, that the repository would have git run. */
  drivers(named: readonly string[]): Promise<readonly string[]>;
}

interface Known {
  readonly tree: string;
  readonly attributes: Attributes;
}

/** Attribute files at any depth; a path that leads out of its tree is not one. */
const NAME = /^(?!(.*\/)?\.\.\/)(.*\/)?\.gitattributes$/s;
const DRIVER = /(?:^|\s)merge=(\S+)/g;
const MOST_KNOWN = 4096;

export class MergeAttributes {
  readonly #source: AttributeSource;
  #known = new Map<string, Known>();

  constructor(source: AttributeSource) {
    this.#source = source;
  }

  /** Attributes of many commits or trees at once: most differ little from one another. */
  async of(ids: readonly string[]): Promise<Attributes[]> {
    if (this.#known.size > MOST_KNOWN) this.#known = new Map();
    // The cache may be replaced during a call.
    const known = this.#known;
    const unknown = [...new Set(ids)].filter((id) => !known.has(id));
    if (unknown.length > 0) await this.#learn(known, ids, unknown);
    return ids.map((id) => known.get(id)!.attributes);
  }

  /** Runs git with these attributes in effect. */
  async within<T>({ files }: Attributes, work: (surroundings: Surroundings) => Promise<T>): Promise<T> {
    if (files.length === 0) return work({});
    const texts = await this.#source.readMany(files.map(({ id }) => id));
    const named = new Set<string>();
    return this.#source.within(async (worktree) => {
      for (const { path, id } of files) {
        const bytes = texts.get(id) ?? Buffer.alloc(0);
        const file = join(worktree, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, bytes);
        for (const [, name = ''] of bytes.toString('utf8').matchAll(DRIVER)) named.add(name);
      }
      const drivers = named.size === 0 ? [] : await this.#source.drivers([...named]);
      return work({ worktree, settings: { failingDrivers: drivers } });
    });
  }

  async #learn(known: Map<string, Known>, ids: readonly string[], unknown: readonly string[]): Promise<void> {
    const trees = await this.#source.treesOf(unknown);
    const { tree, attributes } = ids.map((id) => known.get(id)).find((found) => found) ?? (await this.#first(trees));
    const others = [...new Set(trees)].filter((one) => one !== tree);
    const differences = others.length === 0 ? undefined : await this.#source.differences(tree, others);
    for (const [index, id] of unknown.entries()) {
      const changes = (differences?.get(trees[index]!) ?? []).filter(({ path }) => NAME.test(path));
      known.set(id, {
        tree: trees[index]!,
        attributes: changes.length === 0 ? attributes : changedBy(attributes, changes),
      });
    }
  }

  async #first([tree = '']: readonly string[]): Promise<Known> {
    return { tree, attributes: attributesOf(await this.#source.files(tree)) };
  }
}

function changedBy({ files }: Attributes, changes: readonly TreeChange[]): Attributes {
  const left = files.filter((file) => !changes.some(({ path }) => path === file.path));
  return attributesOf([...left, ...changes.flatMap(({ after }) => after ?? [])]);
}

function attributesOf(entries: readonly TreeEntry[]): Attributes {
  const files = entries
    .filter(({ path, mode }) => NAME.test(path) && mode.startsWith('100'))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return { key: JSON.stringify(files.map(({ path, id }) => [path, id])), files };
}
