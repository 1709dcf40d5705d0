/**
 * Private repositories of folders: a git directory for each folder that programs work in, so that `git describe`, hooks and tools that
 * ask git find one. It borrows the objects of the store, which confined programs cannot write to. What a program commits, configures or
 * hooks there is its own: no ref of the user's or the studio's is in it.
 *
 * The host makes it as files, never runs git in it, and changes only its first level afterwards, by renaming: below that, a program may
 * have put links.
 */
import { cp, lstat, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { ObjectStore } from '../git/objects/object-store.js';
import { readRegular } from '../files/no-links.js';
import { GIT_INSIDE, OBJECTS_INSIDE } from '../sandbox/bubblewrap.js';
import type { Tag } from './user-tags.js';
import { removeTree } from '../files/remove-tree.js';

/** Where programs find it: mounted into a sandbox, or where it lies, which is where nothing is mounted. */
export type Reached = 'mounted' | 'in place';

const Note = z.object({ objects: z.string(), reached: z.enum(['mounted', 'in place']), packed: z.string() });
type Note = z.infer<typeof Note>;

/** What a program is given of it. */
export interface PrivateGit {
  readonly repository: string;
  /** Objects of the store, to be read. */
  readonly objects: string;
}

/** Content of a folder: a commit, and the index that matches its files. */
export interface Content {
  readonly commit: string;
  readonly index: string;
  readonly tags: readonly Tag[];
}

const GITS = 'workspace-git';
const BRANCH = 'refs/heads/work';
const HEAD = `ref: ${BRANCH}\n`;
const MOST_REFS_BYTES = 4 << 20;
const FOLDERS = ['hooks', 'info', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags'];
const CONFIG = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
[user]
	name = Agent
	email = agent@localhost
[gc]
	auto = 0
[maintenance]
	auto = false
`;

/** Private repository of a folder; undefined for one that has none. */
export async function privateGitOf(folder: string): Promise<PrivateGit | undefined> {
  const place = placeOf(folder);
  const note = await noteAt(place);
  return note === undefined ? undefined : { repository: join(place, 'repository'), objects: note.objects };
}

export class PrivateGits {
  readonly #own: string;
  readonly #reached: Reached;
  #spares = 0;

  /** `own` is the studio's folder, in which folders of programs lie two levels down. */
  constructor(own: string, reached: Reached) {
    this.#own = join(own, GITS);
    this.#reached = reached;
  }

  /** Removes what was being made, and those whose folders are gone. */
  async recover(): Promise<void> {
    for (const kind of await namesIn(this.#own)) {
      for (const name of kind.startsWith('spare-') ? [] : await namesIn(join(this.#own, kind)))
        if (!(await isThere(join(dirname(this.#own), kind, name)))) await removeTree(join(this.#own, kind, name));
      if (kind.startsWith('spare-')) await removeTree(join(this.#own, kind));
    }
  }

  /** Gives a folder one, in place of one that it may have had. */
  async give(store: ObjectStore, folder: string, content: Content): Promise<void> {
    const objects = join(store.folder, 'objects');
    const packed = packedRefs(content);
    await this.#within(async (spare) => {
      const made = join(spare, 'made');
      const repository = join(made, 'repository');
      for (const name of FOLDERS) await mkdir(join(repository, name), { recursive: true, mode: 0o700 });
      await writeFile(join(repository, 'HEAD'), HEAD);
      await writeFile(join(repository, 'config'), CONFIG);
      await writeFile(join(repository, 'packed-refs'), packed);
      await writeFile(join(repository, 'objects/info/alternates'), `${this.#seenAs(objects, OBJECTS_INSIDE)}\n`);
      await cp(content.index, join(repository, 'index'));
      // A history that begins in the middle does so here too.
      await cp(join(store.folder, 'shallow'), join(repository, 'shallow')).catch(ignoreMissing);
      const note: Note = { objects, reached: this.#reached, packed };
      await writeFile(join(made, 'note.json'), JSON.stringify(note), { mode: 0o600 });
      const place = placeOf(folder);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      await rename(place, join(spare, 'gone')).catch(ignoreMissing);
      await rename(made, place);
      await this.#point(folder, spare);
    });
  }

  /** Gives a folder one where it has none that programs reach now; else the file that leads to it, if that is gone. */
  async keep(store: ObjectStore, folder: string, content: () => Promise<Content>): Promise<void> {
    const note = await noteAt(placeOf(folder));
    if (note?.reached !== this.#reached) await this.give(store, folder, await content());
    else if (!(await isThere(join(folder, '.git')))) await this.#within((spare) => this.#point(folder, spare));
  }

  /** Brings HEAD and index to what the folder holds, unless a program has commits or refs of its own by now. */
  async follow(store: ObjectStore, folder: string, contentOf: () => Promise<Content>): Promise<void> {
    const place = placeOf(folder);
    const note = await noteAt(place);
    if (note === undefined) return this.give(store, folder, await contentOf());
    const repository = join(place, 'repository');
    const read = async (path: string): Promise<string | undefined> =>
      (await readRegular(repository, path, MOST_REFS_BYTES).catch(() => Buffer.from('unreadable')))?.toString('utf8');
    const isOurs =
      (await read('HEAD')) === HEAD &&
      (await read('packed-refs')) === note.packed &&
      (await read(BRANCH)) === undefined;
    if (!isOurs) return;
    const content = await contentOf();
    await this.#within(async (spare) => {
      const packed = packedRefs(content);
      const [refs, index, written] = ['packed-refs', 'index', 'note.json'].map((name) => join(spare, name)) as [
        string,
        string,
        string,
      ];
      await writeFile(refs, packed);
      await cp(content.index, index);
      await writeFile(written, JSON.stringify({ ...note, packed }), { mode: 0o600 });
      try {
        await rename(refs, join(repository, 'packed-refs'));
        await rename(index, join(repository, 'index'));
      } catch {
        // A program has put a folder there: then it is not ours any more, and stays.
        return;
      }
      await rename(written, join(place, 'note.json'));
    });
  }

  async remove(folder: string): Promise<void> {
    await removeTree(placeOf(folder));
  }

  /** Puts the file into the folder by which git finds it. A folder that a program has made there stays. */
  async #point(folder: string, spare: string): Promise<void> {
    const pointer = join(spare, 'pointer');
    await writeFile(pointer, `gitdir: ${this.#seenAs(join(placeOf(folder), 'repository'), GIT_INSIDE)}\n`);
    await rename(pointer, join(folder, '.git')).catch(() => undefined);
  }

  /** Path by which programs reach it. */
  #seenAs(path: string, inside: string): string {
    return this.#reached === 'mounted' ? inside : path;
  }

  async #within(make: (spare: string) => Promise<void>): Promise<void> {
    const spare = join(this.#own, `spare-${++this.#spares}`);
    await mkdir(spare, { recursive: true, mode: 0o700 });
    try {
      await make(spare);
    } finally {
      await removeTree(spare);
    }
  }
}

/** Place of a folder's repository: beside the studio's folders, where no program writes to. */
function placeOf(folder: string): string {
  const kind = dirname(folder);
  return join(dirname(kind), GITS, basename(kind), basename(folder));
}

async function noteAt(place: string): Promise<Note | undefined> {
  const text = await readFile(join(place, 'note.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return Note.safeParse(JSON.parse(text)).data;
  } catch {
    // Torn when the machine stopped: the folder is given another.
    return undefined;
  }
}

/** Refs as git packs them, in the order of their names. */
function packedRefs({ commit, tags }: Content): string {
  const lines = tags.flatMap(({ ref, id, commit: peeled }) => [
    `${id} ${ref}`,
    ...(peeled === undefined ? [] : [`^${peeled}`]),
  ]);
  return ['# pack-refs with: peeled fully-peeled sorted ', `${commit} ${BRANCH}`, ...lines, ''].join('\n');
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
