/** Object store over the `git` program: one bare repository for each repository of the studio. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { refusal } from '../../../reasons.js';
import { type AttributeSource, MergeAttributes } from '../merges/merge-attributes.js';
import type {
  BlamedLine,
  FoundLine,
  MergeOutcome,
  Merged,
  NewCommit,
  ObjectStore,
  ObjectStores,
  PastCommit,
  Patch,
  Tip,
  TreeChange,
  TreeEdit,
  TreeEntry,
} from './object-store.js';
import { type GitIdentity, STUDIO_IDENTITY } from './git-identity.js';
import { escapeName } from './ref-names.js';
import {
  blamedLines,
  changesOf,
  differencesOf,
  entriesOf,
  foundLines,
  linesOf,
  partsOf,
  pastCommits,
  piecesOf,
} from '../calls/git-answers.js';
import { BREAK_ATTRIBUTES, breaksOf, hasBreaks, isBinary, withLineFeeds } from './line-breaks.js';
import { readRef } from './stored-refs.js';
import { NodeGitCalls } from '../calls/node-git-calls.js';
import { NodeMerges } from '../merges/node-merges.js';
import { PassingFolders } from './passing-folders.js';
import { MAX_FILE_BYTES, safePath } from '../../files/safe-path.js';
import { clearStaleLocks } from '../calls/stale-locks.js';

const MOST_PATCH_BYTES = 8 << 20;
/** Limit of attribute lists, as git's own. */
const MOST_ATTRIBUTES_BYTES = 100 << 20;
/** Paths in one command line: a system bounds all of them together. */
const MOST_NAMED = 500;
const SETTINGS_FILE = 'weft.config';
const INCLUDED = `[include]\n\tpath = ${SETTINGS_FILE}\n`;
const SETTINGS = `# Written by the studio at each start.
[gc]
  # No automatic garbage collection.
  auto = 0
[maintenance]
  auto = false
[core]
  # Names that another system would take for .git are refused in every tree.
  protectHFS = true
  protectNTFS = true
  fsync = committed
  # Unquoted names, also in patches.
  quotePath = false
[uploadpack]
  allowAnySHA1InWant = true
`;

/** Lookup of the merge drivers, of those named, that the user's repository configures. */
export type DriversOf = (repositoryId: string, named: readonly string[]) => Promise<readonly string[]>;

export function nodeObjectStores(folder: string, driversOf?: DriversOf): ObjectStores {
  const known = new Map<string, Promise<ObjectStore>>();
  const open = async (repositoryId: string): Promise<ObjectStore> => {
    const path = join(folder, `${escapeName(repositoryId)}.git`);
    const store = new NodeObjectStore(repositoryId, path, driversOf && ((named) => driversOf(repositoryId, named)));
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

export class NodeObjectStore implements ObjectStore {
  readonly repositoryId: string;
  readonly folder: string;
  readonly #git: NodeGitCalls;
  readonly #passing: PassingFolders;
  readonly #attributes: MergeAttributes;
  readonly #merges: NodeMerges;

  constructor(repositoryId: string, folder: string, drivers: AttributeSource['drivers'] = () => Promise.resolve([])) {
    this.repositoryId = repositoryId;
    this.folder = folder;
    this.#git = new NodeGitCalls(folder);
    this.#passing = new PassingFolders(folder);
    const treesOf = (ids: readonly string[]): Promise<string[]> => this.#treesOf(ids);
    this.#attributes = new MergeAttributes({
      drivers,
      treesOf,
      files: (tree) => this.files(tree),
      differences: (tree, others) => this.#differences(tree, others),
      readMany: (blobs) => this.readMany(blobs, MOST_ATTRIBUTES_BYTES, MOST_ATTRIBUTES_BYTES),
      within: (work) => this.#passing.within('attributes', work),
    });
    const store = { folder, treesOf, commit: (wanted: NewCommit) => this.commit(wanted) };
    this.#merges = new NodeMerges(this.#git, store, this.#passing, this.#attributes);
  }

  /** Creates the repository. Idempotent. */
  async init(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await clearStaleLocks(this.folder);
    await this.#passing.clear();
    await this.#git.ask(['init', '--quiet', '--bare', '--template=']);
    await this.#configure();
  }

  async at(ref: string): Promise<Tip> {
    const tip = await readRef(this.folder, ref);
    if (tip !== 'unsure') return tip;
    const { code, text } = await this.#git.ask(['rev-parse', '--verify', '--quiet', '--end-of-options', ref], {
      codes: [0, 1],
    });
    return code === 0 ? text.trim() : undefined;
  }

  async refs(prefix: string): Promise<ReadonlyMap<string, string>> {
    const { text } = await this.#git.ask(['for-each-ref', '--format=%(refname) %(objectname)', prefix]);
    return new Map(linesOf(text).map((line) => line.split(' ') as [string, string]));
  }

  async move(ref: string, from: Tip, to: Tip): Promise<boolean> {
    const zero = '0'.repeat((to ?? from ?? '').length || 40);
    if (to === undefined && from === undefined) return (await this.at(ref)) === undefined;
    const args = to === undefined ? ['-d', ref, from ?? zero] : [ref, to, from ?? zero];
    const { code } = await this.#git.ask(['update-ref', '--no-deref', ...args], { codes: [0, 1, 128] });
    if (code === 0) return true;
    // Lost the race, or git failed; only the first is an answer.
    const now = await this.at(ref);
    if (now === from) throw refusal('reject.git_failed', `git update-ref could not move ${ref}`, { ref, from, to });
    return false;
  }

  async has(commit: string): Promise<boolean> {
    const { code } = await this.#git.ask(['cat-file', '-e', `${commit}^{commit}`], { codes: [0, 1, 128] });
    return code === 0;
  }

  async treeOf(commit: string): Promise<string> {
    const args = ['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`];
    return (await this.#git.askAbout([commit], args)).text.trim();
  }

  async emptyTree(): Promise<string> {
    return (await this.#git.ask(['mktree'])).text.trim();
  }

  async commit({
    tree,
    parents,
    message,
    at,
    author = STUDIO_IDENTITY,
    committer = author,
    sign,
  }: NewCommit): Promise<string> {
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
    const input = `${message.trimEnd()}\n`;
    const signature = { ...committer, at, author };
    if (sign === undefined) return (await this.#git.ask(args, { input, settings: { signature } })).text.trim();
    const asked = ['-c', `gpg.format=${sign.format}`, ...args, `-S${sign.key ?? ''}`];
    // The user's own git knows the key, and the program that signs with it.
    const settings = { signature, alone: false, asUser: {} };
    const { code, text, said } = await this.#git.ask(asked, { input, settings, codes: [0, 1, 128] });
    if (code === 0) return text.trim();
    throw refusal('reject.signing_failed', 'git could not sign the commit', { format: sign.format, said });
  }

  async mergeBase(one: string, other: string): Promise<string | undefined> {
    const { code, text } = await this.#git.askAbout([one, other], ['merge-base', one, other], { codes: [0, 1] });
    return code === 0 ? text.trim() : undefined;
  }

  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    const args = ['merge-base', '--is-ancestor', ancestor, commit];
    return (await this.#git.askAbout([ancestor, commit], args, { codes: [0, 1] })).code === 0;
  }

  async line(commit: string): Promise<string[]> {
    return linesOf((await this.#git.askAbout([commit], ['rev-list', '--first-parent', commit])).text);
  }

  async messageOf(commit: string): Promise<string> {
    const { text } = await this.#git.askAbout([commit], ['log', '-1', '--format=%B', commit]);
    return text.trimEnd();
  }

  async authorOf(commit: string): Promise<GitIdentity> {
    const { text } = await this.#git.askAbout([commit], ['log', '-1', '--format=%an%n%ae', commit]);
    const [name = '', email = ''] = text.split('\n');
    return { name, email };
  }

  async madeAt(commit: string): Promise<string> {
    const { text } = await this.#git.askAbout([commit], ['log', '-1', '--format=%cI', commit]);
    return new Date(text.trim()).toISOString();
  }

  async resolve(id: string): Promise<string | undefined> {
    if (!/^[0-9a-f]{4,64}(?:[~^]\d{0,4})*$/.test(id)) return undefined;
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${id}^{commit}`];
    const { code, text } = await this.#git.ask(args, { codes: [0, 1, 128] });
    return code === 0 ? text.trim() : undefined;
  }

  async history(
    commit: string,
    { path, skip = 0, most }: { path?: string; skip?: number; most: number },
  ): Promise<PastCommit[]> {
    const args = ['log', '-z', `--max-count=${most}`, `--skip=${skip}`, '--format=%H%n%cI%n%an%n%s', commit, '--'];
    const { text } = await this.#git.askAbout([commit], [...args, ...(path === undefined ? [] : [safePath(path)])]);
    return pastCommits(text);
  }

  async blame(commit: string, path: string, from: number, to: number): Promise<BlamedLine[]> {
    const args = ['blame', '--line-porcelain', '-L', `${from},${to}`, commit, '--', safePath(path)];
    return blamedLines((await this.#git.askAbout([commit], args)).text);
  }

  merge(base: string, ours: string, theirs: string): Promise<Merged> {
    return this.#merges.merge(base, ours, theirs);
  }

  tryPairs(pairs: readonly (readonly [string, string])[]): Promise<MergeOutcome[]> {
    return this.#merges.tryPairs(pairs);
  }

  async changes(from: string, to: string): Promise<TreeChange[]> {
    const args = ['diff-tree', '-r', '-z', '--no-renames', '--raw', '--no-abbrev', from, to];
    const { text } = await this.#git.askAbout([from, to], args);
    return changesOf(text);
  }

  /** Patch with full ids: the length of short ones depends on the store's other objects. */
  async patch(from: string, to: string, most = MOST_PATCH_BYTES, path?: string): Promise<Patch> {
    const below = path === undefined ? [] : [safePath(path)];
    const args = ['diff-tree', '-r', '-p', '--full-index', '--no-color', '--no-ext-diff', '--no-textconv'];
    const { text, isWhole } = await this.#git.ask([...args, '--no-renames', from, to, '--', ...below], {
      most,
      isCut: true,
    });
    return { text: isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1), isWhole };
  }

  async files(tree: string, scope = ''): Promise<TreeEntry[]> {
    const below = scope === '' ? [] : [safePath(scope)];
    const { text } = await this.#git.askAbout([tree], ['ls-tree', '-r', '-z', '--full-tree', tree, '--', ...below]);
    return entriesOf(text);
  }

  async entry(tree: string, path: string): Promise<TreeEntry | undefined> {
    return (await this.#entries(tree, [safePath(path)]))[0];
  }

  async read(blob: string): Promise<Buffer> {
    return (await this.#git.ask(['cat-file', 'blob', blob], { most: MAX_FILE_BYTES })).bytes;
  }

  async readMany(blobs: readonly string[], most: number, inAll: number): Promise<ReadonlyMap<string, Buffer>> {
    if (blobs.length === 0) return new Map();
    const { text } = await this.#git.ask(['cat-file', '--batch-check'], { input: asLines(new Set(blobs)) });
    const sizes = new Map<string, number>();
    let room = inAll;
    for (const [id = '', , length] of linesOf(text).map((line) => line.split(' '))) {
      const size = Number(length);
      // A missing object has no size.
      if (!(size <= Math.min(most, room))) continue;
      room -= size;
      sizes.set(id, size);
    }
    if (sizes.size === 0) return new Map();
    const headers = 128 * sizes.size;
    const { bytes } = await this.#git.ask(['cat-file', '--batch'], {
      input: asLines(sizes.keys()),
      most: inAll + headers,
    });
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
    const { text: answer } = await this.#git.ask([...args, ...below], { codes: [0, 1] });
    return foundLines(answer, tree, most);
  }

  async edit(tree: string, edits: readonly TreeEdit[]): Promise<string> {
    const [root] = await this.#treesOf([tree]);
    const given = edits.map(({ path, content }) => ({ path: safePath(path), content }));
    const before = new Map(
      (
        await this.#entries(
          root!,
          given.map(({ path }) => path),
        )
      ).map((entry) => [entry.path, entry]),
    );
    const written = await this.#asStored(root!, given, before);
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
      await this.#git.ask(['read-tree', root!], { settings });
      await this.#git.ask(['update-index', '-z', '--add', '--replace', '--index-info'], {
        settings,
        input: lines.join(''),
      });
      return (await this.#git.ask(['write-tree'], { settings })).text.trim();
    });
  }

  async prune(olderThan: string, remove: boolean): Promise<number> {
    const { text } = await this.#git.ask(['prune', '--dry-run', `--expire=${olderThan}`]);
    const found = linesOf(text).length;
    if (remove && found > 0) {
      await this.#git.ask(['prune', `--expire=${olderThan}`]);
      this.#git.forget();
    }
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
    await this.#git.ask([...args, '--end-of-options', folder, ...refs], {
      settings: { protocols: ['file'], alone: false },
    });
    // Histories may begin elsewhere now: the other may be shallow.
    this.#git.forget();
  }

  /** Settings of the store, in a file of their own that git's own file includes: each would be a call of git. */
  async #configure(): Promise<void> {
    await this.#replace(SETTINGS_FILE, SETTINGS);
    const config = await readFile(join(this.folder, 'config'), 'utf8');
    if (!config.includes(SETTINGS_FILE)) await this.#replace('config', `${config}${INCLUDED}`);
  }

  /** Writes a file of the store whole or not at all. */
  async #replace(name: string, text: string): Promise<void> {
    const written = join(this.folder, `${name}.new`);
    await writeFile(written, text);
    await rename(written, join(this.folder, name));
  }

  /** Writes blobs in one call; answers their ids. */
  async #write(texts: readonly (string | Uint8Array)[]): Promise<string[]> {
    return this.#passing.within('texts', async (folder) => {
      const names = texts.map((_, index) => relative(this.folder, join(folder, String(index))));
      for (const [index, name] of names.entries()) await writeFile(join(this.folder, name), texts[index]!);
      return linesOf(
        (await this.#git.ask(['hash-object', '-w', '--no-filters', '--stdin-paths'], { input: asLines(names) })).text,
      );
    });
  }

  /** Edits with the line breaks that git would store from a folder, by what the tree says of their paths. */
  async #asStored(
    tree: string,
    edits: readonly TreeEdit[],
    before: ReadonlyMap<string, TreeEntry>,
  ): Promise<readonly TreeEdit[]> {
    const broken = edits.filter(({ content }) => isText(content) && hasBreaks(content));
    const [attributes] = broken.length === 0 ? [] : await this.#attributes.of([tree]);
    if (attributes === undefined || attributes.files.length === 0) return edits;
    const asked = { input: broken.map(({ path }) => `${path}\0`).join('') };
    const breaks = await this.#attributes.within(attributes, async (found) =>
      breaksOf(
        partsOf(
          (await this.#git.ask(['check-attr', '-z', '--stdin', ...BREAK_ATTRIBUTES], { ...found, ...asked })).text,
        ),
      ),
    );
    const asBefore = broken.flatMap(({ path }) =>
      breaks.get(path) === 'as before' ? (before.get(path)?.id ?? []) : [],
    );
    const texts = await this.readMany(asBefore, MAX_FILE_BYTES, MOST_PATCH_BYTES * 8);
    return edits.map(({ path, content }) => {
      const way = breaks.get(path) ?? 'as they are';
      if (!isText(content) || way === 'as they are' || (way === 'as before' && isBinary(content)))
        return { path, content };
      const entry = before.get(path);
      const text = entry && texts.get(entry.id);
      // One that is too large to look at stays as well.
      const stays = way === 'as before' && entry !== undefined && (!text || hasBreaks(text));
      return { path, content: stays ? content : withLineFeeds(content) };
    });
  }

  async #entries(tree: string, paths: readonly string[]): Promise<TreeEntry[]> {
    const found: TreeEntry[] = [];
    for (let at = 0; at < paths.length; at += MOST_NAMED) {
      const named = paths.slice(at, at + MOST_NAMED);
      const args = ['ls-tree', '-z', '--full-tree', tree, '--', ...named];
      found.push(...entriesOf((await this.#git.askAbout([tree], args)).text));
    }
    return found;
  }

  async #treesOf(names: readonly string[]): Promise<string[]> {
    const { text } = await this.#git.askAbout(names, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
      input: names.map((name) => `${name}^{tree}\n`).join(''),
      // What is missing may come.
      lasts: ({ text }) => !text.includes(' missing'),
    });
    return linesOf(text).map((line, index) => {
      const [id, type] = line.split(' ');
      if (id === undefined || type !== 'tree')
        throw refusal('reject.git_failed', `${names[index]} is not in the store`);
      return id;
    });
  }

  async #differences(tree: string, others: readonly string[]): Promise<ReadonlyMap<string, TreeChange[]>> {
    const input = others.map((other) => `${tree} ${other}\n`).join('');
    const args = ['diff-tree', '--stdin', '-r', '-z', '--no-renames', '--raw', '--no-abbrev'];
    return differencesOf((await this.#git.ask(args, { input })).text);
  }
}

function isText(content: TreeEdit['content']): content is string | Uint8Array {
  return typeof content === 'string' || content instanceof Uint8Array;
}

function asLines(names: Iterable<string>): string {
  return [...names].map((name) => `${name}\n`).join('');
}
