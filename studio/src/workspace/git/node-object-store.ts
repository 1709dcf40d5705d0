/** Object store over the `git` program: one bare repository for each repository of the studio. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { refusal } from '../../reasons.js';
import { type AttributeSource, type Attributes, MergeAttributes } from './merge-attributes.js';
import type {
  Conflict,
  FoundLine,
  MergeOutcome,
  Merged,
  NewCommit,
  ObjectStore,
  ObjectStores,
  Patch,
  Tip,
  TreeChange,
  TreeEdit,
  TreeEntry,
} from './object-store.js';
import { escapeName } from './ref-names.js';
import {
  changesOf,
  differencesOf,
  entriesOf,
  foundLines,
  linesOf,
  mergesOf,
  partsOf,
  piecesOf,
} from './git-answers.js';
import { PassingFolders } from './passing-folders.js';
import { type GitSettings, failed, readGit } from './run-git.js';
import { MAX_FILE_BYTES, safePath } from '../files/safe-path.js';
import { clearStaleLocks } from './stale-locks.js';

/** Output limit; larger answers are lists of files of very large trees. */
const MOST_BYTES = 256 << 20;
const MOST_PATCH_BYTES = 8 << 20;
/** Limit of attribute lists, as git's own. */
const MOST_ATTRIBUTES_BYTES = 100 << 20;
/** Paths in one command line: a system bounds all of them together. */
const MOST_NAMED = 500;
const EPOCH = '1970-01-01T00:00:00Z';
const WHO = { name: 'Weft', email: 'weft@localhost' } as const;

/** Lookup of the merge drivers, of those named, that the user's repository configures. */
export type DriversOf = (repositoryId: string, named: readonly string[]) => Promise<readonly string[]>;

export function nodeObjectStores(folder: string, driversOf?: DriversOf): ObjectStores {
  const known = new Map<string, Promise<ObjectStore>>();
  const open = async (repositoryId: string): Promise<ObjectStore> => {
    const path = join(folder, `${escapeName(repositoryId)}.git`);
    const store = new NodeObjectStore(path, driversOf && ((named) => driversOf(repositoryId, named)));
    await store.init();
    return store;
  };
  return {
    of(repositoryId) {
      const opening = known.get(repositoryId) ?? open(repositoryId);
      known.set(repositoryId, opening);
      // A failed opening is tried again by the next caller.
      opening.catch(() => known.delete(repositoryId));
      return opening;
    },
  };
}

interface Way {
  /** Index of the pair. */
  readonly index: number;
  readonly pair: readonly [string, string];
}

interface Asked {
  readonly input?: string | Uint8Array | undefined;
  readonly settings?: GitSettings;
  /** Exit codes that are answers, not errors. */
  readonly codes?: readonly number[];
  readonly most?: number;
  /** Whether a longer answer is truncated; else it is refused. */
  readonly isCut?: boolean;
  /** Working tree with the attributes in effect. Default: none. */
  readonly worktree?: string;
}

export class NodeObjectStore implements ObjectStore {
  readonly folder: string;
  readonly #passing: PassingFolders;
  readonly #attributes: MergeAttributes;

  constructor(folder: string, drivers: AttributeSource['drivers'] = () => Promise.resolve([])) {
    this.folder = folder;
    this.#passing = new PassingFolders(folder);
    this.#attributes = new MergeAttributes({
      drivers,
      treesOf: (ids) => this.#treesOf(ids),
      files: (tree) => this.files(tree),
      differences: (tree, others) => this.#differences(tree, others),
      readMany: (blobs) => this.readMany(blobs, MOST_ATTRIBUTES_BYTES, MOST_ATTRIBUTES_BYTES),
      within: (work) => this.#passing.within('attributes', work),
    });
  }

  /** Creates the repository. Idempotent. */
  async init(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await clearStaleLocks(this.folder);
    await this.#passing.clear();
    await this.#ask(['init', '--quiet', '--bare', '--template=']);
    for (const [name, value] of [
      // No automatic garbage collection.
      ['gc.auto', '0'],
      ['maintenance.auto', 'false'],
      // Names that another system would take for `.git` are refused in every tree.
      ['core.protectHFS', 'true'],
      ['core.protectNTFS', 'true'],
      ['core.fsync', 'committed'],
      // Unquoted names, also in patches.
      ['core.quotePath', 'false'],
      ['uploadpack.allowAnySHA1InWant', 'true'],
    ] as const)
      await this.#ask(['config', name, value]);
  }

  async at(ref: string): Promise<Tip> {
    const { code, text } = await this.#ask(['rev-parse', '--verify', '--quiet', '--end-of-options', ref], {
      codes: [0, 1],
    });
    return code === 0 ? text.trim() : undefined;
  }

  async refs(prefix: string): Promise<ReadonlyMap<string, string>> {
    const { text } = await this.#ask(['for-each-ref', '--format=%(refname) %(objectname)', prefix]);
    return new Map(linesOf(text).map((line) => line.split(' ') as [string, string]));
  }

  async move(ref: string, from: Tip, to: Tip): Promise<boolean> {
    const zero = '0'.repeat((to ?? from ?? '').length || 40);
    if (to === undefined && from === undefined) return (await this.at(ref)) === undefined;
    const args = to === undefined ? ['-d', ref, from ?? zero] : [ref, to, from ?? zero];
    const { code } = await this.#ask(['update-ref', '--no-deref', ...args], { codes: [0, 1, 128] });
    if (code === 0) return true;
    // Lost the race, or git failed; only the first is an answer.
    const now = await this.at(ref);
    if (now === from) throw refusal('reject.git_failed', `git update-ref could not move ${ref}`, { ref, from, to });
    return false;
  }

  async has(commit: string): Promise<boolean> {
    const { code } = await this.#ask(['cat-file', '-e', `${commit}^{commit}`], { codes: [0, 1, 128] });
    return code === 0;
  }

  async treeOf(commit: string): Promise<string> {
    return (await this.#ask(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`])).text.trim();
  }

  async emptyTree(): Promise<string> {
    return (await this.#ask(['mktree'])).text.trim();
  }

  async commit({ tree, parents, message, at }: NewCommit): Promise<string> {
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
    const signature = { ...WHO, at };
    return (await this.#ask(args, { input: `${message.trimEnd()}\n`, settings: { signature } })).text.trim();
  }

  async mergeBase(one: string, other: string): Promise<string | undefined> {
    const { code, text } = await this.#ask(['merge-base', one, other], { codes: [0, 1] });
    return code === 0 ? text.trim() : undefined;
  }

  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    return (await this.#ask(['merge-base', '--is-ancestor', ancestor, commit], { codes: [0, 1] })).code === 0;
  }

  async line(commit: string): Promise<string[]> {
    return linesOf((await this.#ask(['rev-list', '--first-parent', commit])).text);
  }

  async madeAt(commit: string): Promise<string> {
    const { text } = await this.#ask(['log', '-1', '--format=%cI', commit]);
    return new Date(text.trim()).toISOString();
  }

  async merge(base: string, ours: string, theirs: string): Promise<Merged> {
    const trees = await this.#treesOf([base, ours, theirs]);
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
    const repository = this.folder;
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
      const { text } = await this.#ask(args, { ...asked, input });
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
    const { text } = await this.#ask(['check-attr', '-z', '--stdin', 'merge'], { ...asked, input });
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

  async changes(from: string, to: string): Promise<TreeChange[]> {
    const { text } = await this.#ask(['diff-tree', '-r', '-z', '--no-renames', '--raw', '--no-abbrev', from, to]);
    return changesOf(text);
  }

  /** Patch with full ids: the length of short ones depends on the store's other objects. */
  async patch(from: string, to: string, most = MOST_PATCH_BYTES): Promise<Patch> {
    const args = ['diff-tree', '-r', '-p', '--full-index', '--no-color', '--no-ext-diff', '--no-textconv'];
    const { text, isWhole } = await this.#ask([...args, '--no-renames', from, to, '--'], { most, isCut: true });
    return { text: isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1), isWhole };
  }

  async files(tree: string, scope = ''): Promise<TreeEntry[]> {
    const below = scope === '' ? [] : [safePath(scope)];
    const { text } = await this.#ask(['ls-tree', '-r', '-z', '--full-tree', tree, '--', ...below]);
    return entriesOf(text);
  }

  async entry(tree: string, path: string): Promise<TreeEntry | undefined> {
    const { text } = await this.#ask(['ls-tree', '-z', '--full-tree', tree, '--', safePath(path)]);
    return entriesOf(text)[0];
  }

  async read(blob: string): Promise<Buffer> {
    return (await this.#ask(['cat-file', 'blob', blob], { most: MAX_FILE_BYTES })).bytes;
  }

  async readMany(blobs: readonly string[], most: number, inAll: number): Promise<ReadonlyMap<string, Buffer>> {
    const { text } = await this.#ask(['cat-file', '--batch-check'], { input: asLines(new Set(blobs)) });
    const sizes = new Map<string, number>();
    let room = inAll;
    for (const [id = '', , length] of linesOf(text).map((line) => line.split(' '))) {
      const size = Number(length);
      // A missing object has no size.
      if (!(size <= Math.min(most, room))) continue;
      room -= size;
      sizes.set(id, size);
    }
    const headers = 128 * sizes.size;
    const { bytes } = await this.#ask(['cat-file', '--batch'], { input: asLines(sizes.keys()), most: inAll + headers });
    return piecesOf(bytes, sizes);
  }

  async search(tree: string, text: string, scope: string, most: number): Promise<FoundLine[]> {
    const below = scope === '' ? [] : [safePath(scope)];
    const args = [
      'grep',
      '-z',
      '-n',
      '-I',
      '-i',
      '-F',
      '--full-name',
      '--no-color',
      '--no-textconv',
      '-e',
      text,
      tree,
      '--',
    ];
    const { text: answer } = await this.#ask([...args, ...below], { codes: [0, 1] });
    return foundLines(answer, tree, most);
  }

  async edit(tree: string, edits: readonly TreeEdit[]): Promise<string> {
    const [root] = await this.#treesOf([tree]);
    const written = edits.map(({ path, content }) => ({ path: safePath(path), content }));
    const before = new Map(
      (
        await this.#entries(
          root!,
          written.map(({ path }) => path),
        )
      ).map((entry) => [entry.path, entry]),
    );
    const texts = written.map(({ content }) => content).filter((content) => isText(content));
    const ids = (await this.#write(texts)).values();
    const lines = written.map(({ path, content }) => {
      if (content === null) return `0 ${'0'.repeat(root!.length)}\t${path}\0`;
      if (!isText(content)) return `${content.mode} ${content.id}\t${path}\0`;
      const mode = before.get(path)?.mode ?? '100644';
      // An edited link becomes a regular file.
      return `${mode === '100755' ? mode : '100644'} ${ids.next().value}\t${path}\0`;
    });
    return this.#passing.within('index', async (folder) => {
      const settings = { index: join(folder, 'index') };
      await this.#ask(['read-tree', root!], { settings });
      await this.#ask(['update-index', '-z', '--add', '--replace', '--index-info'], {
        settings,
        input: lines.join(''),
      });
      return (await this.#ask(['write-tree'], { settings })).text.trim();
    });
  }

  async prune(olderThan: string, remove: boolean): Promise<number> {
    const { text } = await this.#ask(['prune', '--dry-run', `--expire=${olderThan}`]);
    const found = linesOf(text).length;
    if (remove && found > 0) await this.#ask(['prune', `--expire=${olderThan}`]);
    return found;
  }

  async receive(folder: string, refs: readonly string[]): Promise<void> {
    const args = [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      '--update-shallow',
    ];
    await this.#ask([...args, '--end-of-options', folder, ...refs], {
      settings: { protocols: ['file'], alone: false },
    });
  }

  /** Writes blobs in one call; answers their ids. */
  async #write(texts: readonly (string | Uint8Array)[]): Promise<string[]> {
    return this.#passing.within('texts', async (folder) => {
      const names = texts.map((_, index) => relative(this.folder, join(folder, String(index))));
      for (const [index, name] of names.entries()) await writeFile(join(this.folder, name), texts[index]!);
      return linesOf(
        (await this.#ask(['hash-object', '-w', '--no-filters', '--stdin-paths'], { input: asLines(names) })).text,
      );
    });
  }

  async #entries(tree: string, paths: readonly string[]): Promise<TreeEntry[]> {
    const found: TreeEntry[] = [];
    for (let at = 0; at < paths.length; at += MOST_NAMED) {
      const named = paths.slice(at, at + MOST_NAMED);
      found.push(...entriesOf((await this.#ask(['ls-tree', '-z', '--full-tree', tree, '--', ...named])).text));
    }
    return found;
  }

  async #treesOf(names: readonly string[]): Promise<string[]> {
    const { text } = await this.#ask(['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
      input: names.map((name) => `${name}^{tree}\n`).join(''),
    });
    return linesOf(text).map((line, index) => {
      const [id, type] = line.split(' ');
      if (id === undefined || type !== 'tree')
        throw refusal('reject.git_failed', `${names[index]} is not in the store`);
      return id;
    });
  }

  /** Commit without author or message of its own. */
  #bare(tree: string, parents: readonly string[]): Promise<string> {
    return this.commit({ tree, parents, message: 'base', at: EPOCH });
  }

  async #differences(tree: string, others: readonly string[]): Promise<ReadonlyMap<string, TreeChange[]>> {
    const input = others.map((other) => `${tree} ${other}\n`).join('');
    const args = ['diff-tree', '--stdin', '-r', '-z', '--no-renames', '--raw', '--no-abbrev'];
    return differencesOf((await this.#ask(args, { input })).text);
  }

  async #ask(args: readonly string[], asked: Asked = {}) {
    const { folder } = this;
    const { input, settings = {}, codes = [0], most = MOST_BYTES, isCut = false, worktree } = asked;
    const where =
      worktree === undefined ? [] : [`--git-dir=${folder}`, `--work-tree=${worktree}`, '-c', 'core.bare=false'];
    const { bytes, isWhole, ...exit } = await readGit({
      folder: worktree ?? folder,
      args: [...where, ...args],
      most,
      isCut,
      timeoutMs: 120_000,
      ...(input === undefined ? {} : { input }),
      settings: { alone: true, ...settings },
    });
    if (!codes.includes(exit.code)) throw failed(args[0] ?? '', this.folder, exit);
    return { code: exit.code, bytes, isWhole, text: bytes.toString('utf8') };
  }
}

function both(one: MergeOutcome | undefined, other: Merged): MergeOutcome {
  if (one === undefined) return { clean: other.clean, conflicts: other.conflicts };
  const known = new Set(one.conflicts.map(({ path }) => path));
  const conflicts = [...one.conflicts, ...other.conflicts.filter(({ path }) => !known.has(path))];
  return { clean: one.clean && other.clean, conflicts: conflicts.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

function isText(content: TreeEdit['content']): content is string | Uint8Array {
  return typeof content === 'string' || content instanceof Uint8Array;
}

function asLines(names: Iterable<string>): string {
  return [...names].map((name) => `${name}\n`).join('');
}
