/** Git objects in memory, under the ids that git itself gives them: blobs, trees as lists of files, and commits. */
import { createHash } from 'node:crypto';
import { refusal } from '../../reasons.js';
import { type GitIdentity, STUDIO_IDENTITY } from '../../workspace/git/objects/git-identity.js';
import type { NewCommit, TreeEntry } from '../../workspace/git/objects/object-store.js';

/** Files of a tree, by path. */
export type Files = ReadonlyMap<string, TreeEntry>;

export interface StoredCommit extends Required<Pick<NewCommit, 'tree' | 'parents' | 'message' | 'at'>> {
  readonly author: GitIdentity;
}

const FOLDER_MODE = '40000';

export class Objects {
  readonly blobs = new Map<string, Buffer>();
  readonly trees = new Map<string, Files>();
  readonly commits = new Map<string, StoredCommit>();

  constructor() {
    // git knows it, stored or not.
    this.tree([]);
  }

  blob(content: string | Uint8Array): string {
    const bytes = Buffer.from(content as string);
    const id = idOf('blob', bytes);
    this.blobs.set(id, bytes);
    return id;
  }

  /** Tree with these files. */
  tree(files: Iterable<TreeEntry>): string {
    const sorted = [...files].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
    const id = treeIdOf(sorted.map(({ path, mode, id: blob }) => ({ names: path.split('/'), mode, id: blob })));
    this.trees.set(id, new Map(sorted.map((entry) => [entry.path, entry])));
    return id;
  }

  commit({ tree, parents, message, at, author = STUDIO_IDENTITY, committer = author }: NewCommit): string {
    const text = `${message.trimEnd()}\n`;
    const as = ({ name, email }: GitIdentity): string =>
      `${name} <${email}> ${Math.floor(Date.parse(at) / 1000)} +0000`;
    const named = [`author ${as(author)}`, `committer ${as(committer)}`];
    const head = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), ...named];
    const id = idOf('commit', Buffer.from(`${head.join('\n')}\n\n${text}`));
    this.commits.set(id, { tree, parents: [...parents], message: text.trimEnd(), at, author });
    return id;
  }

  /** Takes over all that another has. */
  take({ blobs, trees, commits }: Objects): void {
    for (const [id, blob] of blobs) this.blobs.set(id, blob);
    for (const [id, tree] of trees) this.trees.set(id, tree);
    for (const [id, commit] of commits) this.commits.set(id, commit);
  }

  commitOf(id: string): StoredCommit {
    return this.commits.get(id) ?? missing(id);
  }

  /** Files of a commit or tree. */
  filesOf(id: string): Files {
    return this.trees.get(this.treeOf(id)) ?? missing(id);
  }

  /** Tree of a commit, or the tree itself. */
  treeOf(id: string): string {
    return this.trees.has(id) ? id : this.commitOf(id).tree;
  }

  bytesOf(blob: string): Buffer {
    return this.blobs.get(blob) ?? missing(blob);
  }

  /** A commit and all that came before it, each once and before its parents. */
  before(commit: string): string[] {
    const found: string[] = [];
    const seen = new Set<string>();
    // A commit is done when all that leads to it is: last child first.
    const open: { readonly id: string; readonly isDone: boolean }[] = [{ id: commit, isDone: false }];
    for (let next = open.pop(); next; next = open.pop()) {
      const { id, isDone } = next;
      if (isDone) found.push(id);
      else if (!seen.has(id)) {
        seen.add(id);
        open.push({ id, isDone: true });
        for (const parent of this.commitOf(id).parents) open.push({ id: parent, isDone: false });
      }
    }
    return found.reverse();
  }
}

interface Named {
  readonly names: readonly string[];
  readonly mode: string;
  readonly id: string;
}

function treeIdOf(entries: readonly Named[]): string {
  const below = new Map<string, Named[]>();
  const lines: { readonly name: string; readonly key: string; readonly mode: string; readonly id: string }[] = [];
  for (const { names, mode, id } of entries) {
    const [name = '', ...rest] = names;
    if (rest.length === 0) lines.push({ name, key: name, mode, id });
    else below.set(name, [...(below.get(name) ?? []), { names: rest, mode, id }]);
  }
  // git sorts a folder as if its name ended in a slash.
  for (const [name, inner] of below) lines.push({ name, key: `${name}/`, mode: FOLDER_MODE, id: treeIdOf(inner) });
  lines.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  const parts = lines.flatMap(({ name, mode, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
  return idOf('tree', Buffer.concat(parts));
}

function idOf(kind: 'blob' | 'tree' | 'commit', bytes: Buffer): string {
  return createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');
}

function missing(id: string): never {
  throw refusal('reject.git_failed', `${id} is not in the store`);
}
