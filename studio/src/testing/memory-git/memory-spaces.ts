/** Workspaces in memory: folders that are there by name alone. */
import { refusal } from '../../reasons.js';
import { safePath } from '../../workspace/files/safe-path.js';
import type { ObjectStore, TreeEdit, TreeEntry } from '../../workspace/git/objects/object-store.js';
import type { BegunEdit, Held, Space, SpaceKey, Spaces } from '../../workspace/git/spaces/spaces.js';

interface Folder {
  readonly key: SpaceKey;
  /** Commit that it was last settled at. */
  commit: string;
  /** Absent: somebody has removed the folder. */
  files: Map<string, TreeEntry | string> | undefined;
}

export class MemorySpaces implements Spaces {
  readonly #folders = new Map<string, Folder>();
  readonly #exports = new Map<string, string>();
  readonly #begun = new Map<string, BegunEdit>();
  readonly #storeOf: (repositoryId: string) => ObjectStore;

  /** Stores are asked past those that callers name, which end with their process. */
  constructor(storeOf: (repositoryId: string) => ObjectStore) {
    this.#storeOf = storeOf;
  }

  async find(key: SpaceKey): Promise<Space | undefined> {
    const found = this.#folders.get(nameOf(key));
    return found?.files && this.#shown(found);
  }

  async isLost(key: SpaceKey): Promise<boolean> {
    const found = this.#folders.get(nameOf(key));
    return found !== undefined && found.files === undefined;
  }

  async files(_store: ObjectStore, space: Space): Promise<string[]> {
    return [...this.#in(space).keys()].sort();
  }

  async open(_store: ObjectStore, key: SpaceKey, commit: string): Promise<Space> {
    const found = await this.find(key);
    if (found) return found;
    const made = { key, commit, files: await this.#filesAt(key, commit) };
    this.#folders.set(nameOf(key), made);
    return this.#shown(made);
  }

  async snapshot(_store: ObjectStore, space: Space): Promise<string> {
    const store = this.#storeOf(space.repositoryId);
    const edits = [...this.#in(space)].map(([path, content]): TreeEdit => ({ path, content }));
    return store.edit(await store.emptyTree(), edits);
  }

  async settle(space: Space, commit: string): Promise<void> {
    this.#folders.get(nameOf(space))!.commit = commit;
  }

  async bring(store: ObjectStore, space: Space, tree: string, commit: string): Promise<boolean> {
    if ((await this.snapshot(store, space)) !== tree) return false;
    const files = await this.#filesAt(space, commit);
    Object.assign(this.#folders.get(nameOf(space))!, { commit, files });
    return true;
  }

  async export(_store: ObjectStore, commit: string, name: string, folder = `/memory/exports/${name}`): Promise<string> {
    this.#exports.set(folder, commit);
    return folder;
  }

  async discard(folder: string): Promise<void> {
    this.#exports.delete(folder);
  }

  async ignored(): Promise<string[]> {
    return [];
  }

  async remove(store: ObjectStore, space: Space, { tree }: Held): Promise<boolean> {
    if ((await this.snapshot(store, space)) !== tree) return false;
    this.#folders.delete(nameOf(space));
    return true;
  }

  async all(): Promise<Space[]> {
    return [...this.#folders.values()].filter(({ files }) => files).map((folder) => this.#shown(folder));
  }

  async read(space: Space, path: string): Promise<Buffer | undefined> {
    const found = this.#in(space).get(safePath(path));
    if (found === undefined || typeof found === 'string') return found === undefined ? undefined : Buffer.from(found);
    return this.#storeOf(space.repositoryId).read(found.id);
  }

  async write(space: Space, path: string, text: string): Promise<void> {
    const wanted = safePath(path);
    const files = this.#in(space);
    for (const other of files.keys())
      if (other.startsWith(`${wanted}/`) || wanted.startsWith(`${other}/`))
        throw refusal('reject.not_a_file', `${path} cannot be made: ${other} is there`, { path });
    files.set(wanted, text);
  }

  async erase(space: Space, path: string): Promise<boolean> {
    return this.#in(space).delete(safePath(path));
  }

  async begin(space: Space, edit: BegunEdit): Promise<void> {
    this.#begun.set(nameOf(space), edit);
  }

  async begun(space: Space): Promise<BegunEdit | undefined> {
    return this.#begun.get(nameOf(space));
  }

  async #filesAt({ repositoryId }: SpaceKey, commit: string): Promise<Map<string, TreeEntry>> {
    return new Map((await this.#storeOf(repositoryId).files(commit)).map((entry) => [entry.path, entry]));
  }

  #shown({ key, commit }: Folder): Space {
    return { ...key, folder: `/memory/workspaces/${nameOf(key)}`, commit };
  }

  #in(space: SpaceKey): Map<string, TreeEntry | string> {
    const files = this.#folders.get(nameOf(space))?.files;
    if (files) return files;
    throw refusal('reject.workspace_gone', `the folder of ${space.branchId} has gone`, { branchId: space.branchId });
  }
}

function nameOf({ repositoryId, branchId }: SpaceKey): string {
  return `${repositoryId}/${branchId}`;
}
