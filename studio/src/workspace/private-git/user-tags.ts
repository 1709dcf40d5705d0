/**
 * Tags of the user's repository whose commits the store has: what `git describe` looks for. Annotated tags are objects of their own;
 * those that are missing are fetched into the store, and held there by a ref.
 */
import type { StudioLog } from '../../log.js';
import type { ObjectStore } from '../git/objects/object-store.js';
import { tagRef } from '../git/objects/ref-names.js';
import { readGit } from '../git/calls/run-git.js';

export interface Tag {
  /** Whole name, `refs/tags/…`. */
  readonly ref: string;
  readonly id: string;
  /** Commit of an annotated tag. */
  readonly commit?: string;
}

/** Tags that are looked at, newest first. */
const MOST_TAGS = 5_000;
const MOST_BYTES = 2 << 20;
/** Refs in one command line. */
const MOST_NAMED = 200;
const FORMAT = '%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)';

/** Lookup of tags, which remembers the last answer for each repository, as long as it was a whole one. */
export class UserTags {
  readonly #folderOf: (repositoryId: string) => string | undefined;
  readonly #log: StudioLog | undefined;
  readonly #known = new Map<string, { readonly listed: string; readonly tags: readonly Tag[] }>();

  constructor(folderOf: (repositoryId: string) => string | undefined, log?: StudioLog) {
    this.#folderOf = folderOf;
    this.#log = log;
  }

  /** Tags in the order of their names. A repository that does not answer has none: what needs no tags goes on. */
  async of(store: ObjectStore): Promise<readonly Tag[]> {
    const { repositoryId } = store;
    const folder = this.#folderOf(repositoryId);
    if (folder === undefined) return [];
    try {
      return await this.#look(folder, store);
    } catch (error) {
      const message = 'the tags of a repository could not be read; programs find none there';
      this.#log?.({ level: 'warn', message, about: { repositoryId }, error });
      return [];
    }
  }

  async #look(folder: string, store: ObjectStore): Promise<readonly Tag[]> {
    const { repositoryId } = store;
    const args = ['for-each-ref', `--count=${MOST_TAGS}`, '--sort=-creatordate', `--format=${FORMAT}`, 'refs/tags'];
    const listed = await answerOf(folder, args);
    const known = this.#known.get(repositoryId);
    if (known?.listed === listed) return known.tags;
    const all = listed.split('\n').flatMap(tagIn);
    const isThere = await inStore(
      store,
      all.flatMap(({ id, commit }) => [id, ...(commit === undefined ? [] : [commit])]),
    );
    const reached = all.filter(({ id, commit = id }) => isThere.has(commit));
    const missing = reached.filter(({ id }) => !isThere.has(id));
    for (let at = 0; at < missing.length; at += MOST_NAMED)
      await store.receive(
        folder,
        missing.slice(at, at + MOST_NAMED).map(({ ref, id }) => `+${ref}:${tagRef(id)}`),
      );
    const tags = reached.toSorted((a, b) => Buffer.compare(Buffer.from(a.ref), Buffer.from(b.ref)));
    // A tag of a commit that comes later would be missed otherwise.
    if (reached.length === all.length) this.#known.set(repositoryId, { listed, tags });
    return tags;
  }
}

function tagIn(line: string): Tag[] {
  const [, type, id, peeledType, commit, ref] =
    /^(\S+) ([0-9a-f]+) (\S*) ([0-9a-f]*) (refs\/tags\/.+)$/.exec(line) ?? [];
  if (id === undefined || ref === undefined) return [];
  if (type === 'commit') return [{ ref, id }];
  return type === 'tag' && peeledType === 'commit' && commit !== undefined ? [{ ref, id, commit }] : [];
}

async function inStore({ folder }: ObjectStore, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const text = await answerOf(folder, ['cat-file', '--batch-check=%(objectname)'], ids.map((id) => `${id}\n`).join(''));
  return new Set(text.split('\n').filter((line) => /^[0-9a-f]+$/.test(line)));
}

async function answerOf(folder: string, args: readonly string[], input?: string): Promise<string> {
  const settings = { alone: true } as const;
  const given = input === undefined ? {} : { input };
  const { code, said, bytes } = await readGit({ folder, args, most: MOST_BYTES, settings, ...given });
  if (code !== 0) throw new Error(`git ${args[0]} failed: ${said}`);
  return bytes.toString('utf8');
}
