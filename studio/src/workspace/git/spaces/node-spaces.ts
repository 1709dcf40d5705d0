/** Workspaces on disk over the `git` program, each with an index outside of it. */
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StudioLog } from '../../../log.js';
import { refusal } from '../../../reasons.js';
import { ensureFolder } from './adopt-folder.js';
import { inTheWay } from '../user/in-the-way.js';
import type { ChangeKind, ObjectStore } from '../objects/object-store.js';
import { failed, readGit } from '../calls/run-git.js';
import { readBytes, removeFile, writeText } from '../../files/file-in-folder.js';
import { MAX_FILE_BYTES } from '../../files/safe-path.js';
import type { Roots } from '../../files/roots.js';
import { type Content, PrivateGits, type Reached } from '../../private-git/private-gits.js';
import { UserTags } from '../../private-git/user-tags.js';
import { SpaceNotes } from './space-notes.js';
import type { BegunEdit, Held, Space, SpaceKey, Spaces } from './spaces.js';
import { removeTree } from '../../files/remove-tree.js';

/** Name of a workspace that is being removed; it contains the former name. */
const ASIDE = /^gone-\d+-(.*)$/;
const MOST_PATHS_BYTES = 256 << 20;
/** Commits that are searched for a workspace's origin. */
const MOST_BACK = 100;
/** Threshold for writing new files as one pack: separate files, each synced, take five times as long. */
const MANY = 500;
/** Makes every file go into the pack, except those whose line endings git converts. */
const ONE_PACK = ['-c', 'core.bigFileThreshold=0'];

type Asking = readonly [
  store: ObjectStore,
  folder: string,
  index: string | undefined,
  args: readonly string[],
  input?: string | Uint8Array,
  config?: readonly string[],
];

export interface SpacesOptions {
  /** Disk quota of all workspaces. */
  readonly mostBytes?: number;
  readonly log?: StudioLog;
  /** Where callers may name folders. */
  readonly roots?: Roots;
  /** How programs reach the private repositories of their folders. Default: there are none. */
  readonly privateGit?: Reached | undefined;
  /** Folder of the user's repository, by id. */
  readonly folderOf?: (repositoryId: string) => string | undefined;
}

export class NodeSpaces implements Spaces {
  readonly #files: string;
  readonly #notes: SpaceNotes;
  readonly #spare: string;
  readonly #exports: string;
  readonly #mostBytes: number;
  readonly #roots: Roots | undefined;
  readonly #gits: PrivateGits | undefined;
  readonly #tags: UserTags;
  /** Prepared folders, one per repository: most files of a new branch are those of the last one. */
  readonly #ready = new Map<string, Promise<string | undefined>>();
  #spares = 0;

  constructor(folder: string, options: SpacesOptions = {}) {
    const { mostBytes = Number.POSITIVE_INFINITY, log, roots, privateGit, folderOf = () => undefined } = options;
    this.#gits = privateGit && new PrivateGits(folder, privateGit);
    this.#tags = new UserTags(folderOf, log);
    this.#roots = roots;
    this.#files = join(folder, 'workspaces');
    this.#notes = new SpaceNotes(join(folder, 'workspace-notes'), log);
    this.#spare = join(folder, 'workspace-spares');
    this.#exports = join(folder, 'exports');
    this.#mostBytes = mostBytes;
  }

  /** Recovery: removes what an earlier process was making when it ended. */
  async recover(): Promise<void> {
    await this.#notes.recover();
    await this.#putBack();
    await removeTree(this.#spare);
    for (const folder of [this.#files, this.#spare, this.#exports])
      await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#files)) {
      // The note is written last, so a folder without one is unfinished.
      if (!(await this.#isNoted(name))) await removeTree(join(this.#files, name));
    }
    await this.#gits?.recover();
  }

  async find(key: SpaceKey): Promise<Space | undefined> {
    const name = nameOf(key);
    const note = await this.#notes.of(name);
    const folder = join(this.#files, name);
    const found = await lstat(folder).catch(() => undefined);
    // A link in the folder's stead is not a workspace.
    if (note === undefined || found?.isDirectory() !== true) return undefined;
    return { ...key, folder, commit: note.commit };
  }

  async isLost(key: SpaceKey): Promise<boolean> {
    return (await this.#notes.of(nameOf(key))) !== undefined && (await this.find(key)) === undefined;
  }

  async files(store: ObjectStore, space: Space): Promise<string[]> {
    const index = this.#notes.index(nameOf(space));
    const args = ['ls-files', '-z', '-t', '--cached', '--deleted', '--others', '--exclude-standard'];
    // Each path comes behind a letter and a space. One that was deleted comes twice: as tracked, and as removed.
    const told = split(await this.#git(store, space.folder, index, args));
    const gone = new Set(told.flatMap((line) => (line.startsWith('R ') ? [line.slice(2)] : [])));
    const all = new Set(told.map((line) => line.slice(2)));
    return [...all].filter((path) => !gone.has(path) && !path.endsWith('/')).sort();
  }

  read({ folder }: Space, path: string): Promise<Buffer | undefined> {
    return readBytes(folder, path);
  }

  write({ folder }: Space, path: string, text: string): Promise<void> {
    return writeText(folder, path, text);
  }

  erase({ folder }: Space, path: string): Promise<boolean> {
    return removeFile(folder, path);
  }

  begin(space: Space, edit: BegunEdit): Promise<void> {
    return this.#notes.begin(nameOf(space), edit);
  }

  begun(space: Space): Promise<BegunEdit | undefined> {
    return this.#notes.begun(nameOf(space));
  }

  async open(store: ObjectStore, key: SpaceKey, commit: string): Promise<Space> {
    const found = await this.find(key);
    if (found) {
      await this.#gits?.keep(store, found.folder, () => this.#contentOf(store, found));
      return found;
    }
    const bytes = await this.#room(store, key, commit);
    const name = nameOf(key);
    const folder = join(this.#files, name);
    const isThere = (await lstat(folder).catch(() => undefined))?.isDirectory() === true;
    if (isThere && (await this.#notes.isUnreadable(name))) return this.#adopt(store, { ...key, folder, commit }, bytes);
    await removeTree(folder);
    await this.#notes.clearIndex(name);
    const ready = await this.#take(key.repositoryId);
    if (ready === undefined) await mkdir(folder, { recursive: true });
    else {
      await rename(`${ready}.index`, this.#notes.index(name));
      await rename(ready, folder);
    }
    await this.#git(store, folder, this.#notes.index(name), ['read-tree', '--reset', '-u', commit]);
    await this.#gits?.give(store, folder, await this.#contentOf(store, { ...key, folder, commit }));
    await this.#notes.write(name, { ...key, commit, bytes });
    this.#prepare(store, key.repositoryId, commit);
    return { ...key, folder, commit };
  }

  async snapshot(store: ObjectStore, space: Space): Promise<string> {
    const index = this.#notes.index(nameOf(space));
    const changed = await this.#changed(store, space, index);
    if (changed.length > 0) {
      const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
      const input = Buffer.from(changed.map((path) => `${path}\0`).join(''), 'latin1');
      await this.#git(store, space.folder, index, args, input, changed.length < MANY ? [] : ONE_PACK);
    }
    return (await this.#git(store, space.folder, index, ['write-tree'])).trim();
  }

  async settle({ repositoryId, branchId }: Space, commit: string): Promise<void> {
    const name = nameOf({ repositoryId, branchId });
    const { bytes = 0 } = (await this.#notes.of(name)) ?? {};
    await this.#notes.write(name, { repositoryId, branchId, commit, bytes });
  }

  async bring(store: ObjectStore, space: Space, tree: string, commit: string): Promise<boolean> {
    const changes = await store.changes(tree, commit);
    const pathsOf = (kind: ChangeKind): string[] =>
      changes.filter(({ changeKind }) => changeKind === kind).map(({ path }) => path);
    const coming = { added: pathsOf('Added'), gone: pathsOf('Deleted') };
    if ((await inTheWay(space.folder, coming)) !== undefined) return false;
    const { code } = await this.#run(store, space.folder, this.#notes.index(nameOf(space)), [
      'read-tree',
      '-m',
      '-u',
      tree,
      commit,
    ]);
    if (code !== 0) return false;
    await this.settle(space, commit);
    await this.#gits?.follow(store, space.folder, () => this.#contentOf(store, { ...space, commit }));
    return true;
  }

  async export(store: ObjectStore, commit: string, name: string, wanted?: string): Promise<string> {
    if (wanted === undefined) await removeTree(join(this.#exports, name));
    else await this.#roots?.require(wanted);
    const { folder } = await ensureFolder(wanted ?? join(this.#exports, name));
    if ((await readdir(folder)).length > 0)
      throw refusal('reject.repository_path_unusable', `${folder} is not empty; name a new folder`, { path: folder });
    const index = join(this.#spare, `export-${++this.#spares}.index`);
    await this.#git(store, folder, index, ['read-tree', '--reset', '-u', commit]);
    // What a caller has named is the caller's: no repository of ours is put there.
    if (wanted === undefined)
      await this.#gits?.give(store, folder, { commit, index, tags: await this.#tags.of(store) });
    await rm(index, { force: true });
    return folder;
  }

  async discard(folder: string): Promise<void> {
    if (dirname(folder) !== this.#exports) return;
    await this.#gits?.remove(folder);
    await removeTree(folder);
  }

  async ignored(store: ObjectStore, space: Space): Promise<string[]> {
    const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
    const all = split(await this.#git(store, space.folder, this.#notes.index(nameOf(space)), args)).sort();
    // A folder with nothing but ignored files is listed together with these files.
    return all.filter((path, n) => !path.endsWith('/') || all[n + 1]?.startsWith(path) !== true);
  }

  async remove(store: ObjectStore, space: Space, { tree, ignored }: Held): Promise<boolean> {
    const name = nameOf(space);
    const aside = join(this.#spare, `gone-${++this.#spares}-${name}`);
    await rename(space.folder, aside);
    // Compared after the rename, when nobody finds it any more: every write until then is seen.
    const there = { ...space, folder: aside };
    const left = await this.snapshot(store, there).catch(() => undefined);
    const more = (await this.ignored(store, there)).filter((path) => !ignored.includes(path));
    if (left !== tree || more.length > 0) {
      await rename(aside, space.folder);
      return false;
    }
    // The note goes first: with it the folder would be restored after a crash, without it the next start removes it.
    await this.#notes.remove(name);
    await this.#gits?.remove(space.folder);
    await removeTree(aside);
    return true;
  }

  async all(): Promise<Space[]> {
    const found: Space[] = [];
    for (const { repositoryId, branchId } of await this.#notes.all()) {
      const space = await this.find({ repositoryId, branchId });
      if (space) found.push(space);
    }
    return found;
  }

  /** Whether the folder was finished. */
  async #isNoted(name: string): Promise<boolean> {
    return (await this.#notes.of(name)) !== undefined || (await this.#notes.isUnreadable(name));
  }

  /**
   * Adopts a folder whose origin is unknown. It may hold files that are nowhere else, so it stays; its origin is taken to be
   * the nearest commit of its branch.
   */
  async #adopt(store: ObjectStore, { folder, commit: head, ...key }: Space, bytes: number): Promise<Space> {
    const name = nameOf(key);
    await this.#notes.clearIndex(name);
    await this.#git(store, folder, this.#notes.index(name), ['read-tree', '--reset', head]);
    const tree = await this.snapshot(store, { ...key, folder, commit: head });
    let [commit, fewest] = [head, Number.POSITIVE_INFINITY];
    for (const one of (await store.line(head)).slice(0, MOST_BACK)) {
      const { length } = await store.changes(one, tree);
      if (length < fewest) [commit, fewest] = [one, length];
    }
    await this.#notes.write(name, { ...key, commit, bytes });
    return { ...key, folder, commit };
  }

  /** Restores folders whose removal was interrupted before their last check. */
  async #putBack(): Promise<void> {
    const here = await readdir(this.#files).catch((): string[] => []);
    for (const spare of await readdir(this.#spare).catch(() => [])) {
      const name = ASIDE.exec(spare)?.[1];
      if (name === undefined || here.includes(name) || !(await this.#isNoted(name))) continue;
      await rename(join(this.#spare, spare), join(this.#files, name));
    }
  }

  /** Paths that differ from the index, one character for each byte: a name is any bytes, and some are no text. */
  async #changed(store: ObjectStore, { folder }: Space, index: string): Promise<string[]> {
    const args = ['ls-files', '-z', '--modified', '--deleted', '--others', '--exclude-standard'];
    const told = await this.#bytes(store, folder, index, args);
    const paths = [...new Set(split(told.toString('latin1')))];
    const nested = paths.filter((path) => path.endsWith('/')).map(textOf);
    if (nested.length > 0)
      throw refusal('reject.nested_repository', `${nested[0]} is a git repository of its own`, { paths: nested });
    const links = new Map<string, boolean>();
    const changed: string[] = [];
    for (const path of paths) {
      // Below a folder that was replaced by a link is another file than the tracked one.
      if (await isBehindLink(folder, path, links)) continue;
      const found = await lstat(placeOf(folder, path)).catch(() => undefined);
      if (found?.isFile() === true && found.size > MAX_FILE_BYTES)
        throw refusal('reject.file_too_large', `${textOf(path)} has ${found.size} bytes`, {
          path: textOf(path),
          most: MAX_FILE_BYTES,
        });
      changed.push(path);
    }
    return changed;
  }

  async #room(store: ObjectStore, key: SpaceKey, commit: string): Promise<number> {
    if (this.#mostBytes === Number.POSITIVE_INFINITY) return 0;
    const text = await this.#git(store, store.folder, undefined, ['ls-tree', '-r', '--format=%(objectsize)', commit]);
    const bytes = text.split('\n').reduce((sum, size) => sum + (Number.parseInt(size, 10) || 0), 0);
    const notes = (await this.#notes.all()).filter((note) => nameOf(note) !== nameOf(key));
    const held = notes.reduce((sum, note) => sum + note.bytes, 0);
    if (held + bytes <= this.#mostBytes) return bytes;
    throw refusal('reject.disk_quota', `the workspaces would need ${held + bytes} bytes`, {
      bytes,
      held,
      most: this.#mostBytes,
    });
  }

  /** Content of a workspace, for its private repository. */
  async #contentOf(store: ObjectStore, space: Space): Promise<Content> {
    return { commit: space.commit, index: this.#notes.index(nameOf(space)), tags: await this.#tags.of(store) };
  }

  #take(repositoryId: string): Promise<string | undefined> {
    const ready = this.#ready.get(repositoryId) ?? Promise.resolve(undefined);
    this.#ready.delete(repositoryId);
    return ready;
  }

  #prepare(store: ObjectStore, repositoryId: string, commit: string): void {
    const folder = join(this.#spare, `ready-${++this.#spares}`);
    const make = async (): Promise<string> => {
      await mkdir(folder, { recursive: true });
      await this.#git(store, folder, `${folder}.index`, ['read-tree', '--reset', '-u', commit]);
      return folder;
    };
    // Best effort: without it the branch's folder is made from nothing.
    if (!this.#ready.has(repositoryId))
      this.#ready.set(
        repositoryId,
        make().catch(() => undefined),
      );
  }

  async idle(): Promise<void> {
    await Promise.all(this.#ready.values());
  }

  async #git(...asking: Asking): Promise<string> {
    return (await this.#bytes(...asking)).toString('utf8');
  }

  async #bytes(...asking: Asking): Promise<Buffer> {
    const { bytes, ...exit } = await this.#run(...asking);
    const [, folder, , args] = asking;
    if (exit.code !== 0) throw failed(args[0] ?? '', folder, exit);
    return bytes;
  }

  #run(...[store, folder, index, args, input, config = []]: Asking) {
    return readGit({
      folder,
      // The folder is the working tree, whatever it contains: a `.git` there is ignored.
      args: [`--git-dir=${store.folder}`, `--work-tree=${folder}`, '-c', 'core.bare=false', ...config, ...args],
      ...(input === undefined ? {} : { input }),
      most: MOST_PATHS_BYTES,
      timeoutMs: 300_000,
      settings: { alone: true, ...(index === undefined ? {} : { index }) },
    });
  }
}

function split(text: string): string[] {
  return text.split('\0').filter((path) => path !== '');
}

/** Path of which each character is a byte, as text. */
function textOf(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** Place in the folder of a path of which each character is a byte. */
function placeOf(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
}

/** Folder name: readable, short, unique for each branch. */
function nameOf({ repositoryId, branchId }: SpaceKey): string {
  const readable = branchId.replace(/[^a-zA-Z0-9-]+/g, '-').slice(0, 40);
  const digest = createHash('sha256')
    .update(JSON.stringify([repositoryId, branchId]))
    .digest('hex');
  return `${readable.replace(/^-+/, '')}-${digest.slice(0, 16)}`.toLowerCase();
}

async function isBehindLink(folder: string, path: string, known: Map<string, boolean>): Promise<boolean> {
  const parent = dirname(path);
  if (parent === '.') return false;
  const found = known.get(parent);
  if (found !== undefined) return found;
  const entry = await lstat(placeOf(folder, parent)).catch(() => undefined);
  const isBehind = entry?.isSymbolicLink() === true || (await isBehindLink(folder, parent, known));
  known.set(parent, isBehind);
  return isBehind;
}
