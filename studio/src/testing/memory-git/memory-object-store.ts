/** Object store in memory: git's ids and git's answers, without git. It holds what `objectStoreBattery` asks of it. */
import type {
  BlamedLine,
  Conflict,
  FoundLine,
  MergeOutcome,
  Merged,
  NewCommit,
  ObjectStore,
  PastCommit,
  Patch,
  Tip,
  TreeChange,
  TreeEdit,
  TreeEntry,
} from '../../workspace/git/objects/object-store.js';
import type { GitIdentity } from '../../workspace/git/objects/git-identity.js';
import { refusal } from '../../reasons.js';
import { safePath } from '../../workspace/files/safe-path.js';
import { hunkOf, linesOf, matched, mergeTexts } from './lines.js';
import { type Files, Objects } from './objects.js';

const MOST_PATCH_BYTES = 8 << 20;
const LONGEST_SNIPPET = 400;

/** Repository in memory: objects, and refs to them. */
export class MemoryRepository {
  readonly objects = new Objects();
  readonly refs = new Map<string, string>();
}

export class MemoryObjectStore implements ObjectStore {
  readonly repositoryId: string;
  readonly folder: string;
  readonly #held: MemoryRepository;
  readonly #elsewhere: (folder: string) => MemoryRepository;

  /** `elsewhere` finds other repositories of the machine, by their folders. */
  constructor(
    repositoryId: string,
    folder: string,
    held: MemoryRepository,
    elsewhere: (folder: string) => MemoryRepository,
  ) {
    [this.repositoryId, this.folder, this.#held, this.#elsewhere] = [repositoryId, folder, held, elsewhere];
  }

  get #objects(): Objects {
    return this.#held.objects;
  }

  async at(ref: string): Promise<Tip> {
    return this.#held.refs.get(ref);
  }

  async refs(prefix: string): Promise<ReadonlyMap<string, string>> {
    const below = prefix.replace(/\/?$/, '/');
    return new Map([...this.#held.refs].filter(([ref]) => ref === prefix || ref.startsWith(below)).sort());
  }

  async move(ref: string, from: Tip, to: Tip): Promise<boolean> {
    if (this.#held.refs.get(ref) !== from) return false;
    if (to === undefined) this.#held.refs.delete(ref);
    else {
      this.#objects.commitOf(to);
      this.#held.refs.set(ref, to);
    }
    return true;
  }

  async has(commit: string): Promise<boolean> {
    return this.#objects.commits.has(commit);
  }

  async treeOf(commit: string): Promise<string> {
    return this.#objects.treeOf(commit);
  }

  async emptyTree(): Promise<string> {
    return this.#objects.tree([]);
  }

  async commit(wanted: NewCommit): Promise<string> {
    if (wanted.sign) throw refusal('reject.signing_failed', 'nothing signs in memory', { format: wanted.sign.format });
    this.#objects.filesOf(wanted.tree);
    return this.#objects.commit(wanted);
  }

  async mergeBase(one: string, other: string): Promise<string | undefined> {
    const reached = new Set(this.#objects.before(other));
    const common = this.#objects.before(one).filter((id) => reached.has(id));
    return common.find((id) => !common.some((later) => later !== id && this.#objects.before(later).includes(id)));
  }

  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    this.#objects.commitOf(ancestor);
    return this.#objects.before(commit).includes(ancestor);
  }

  async line(commit: string): Promise<string[]> {
    return this.#line(commit);
  }

  async messageOf(commit: string): Promise<string> {
    return this.#objects.commitOf(commit).message;
  }

  async authorOf(commit: string): Promise<GitIdentity> {
    return this.#objects.commitOf(commit).author;
  }

  async madeAt(commit: string): Promise<string> {
    return timeOf(this.#objects.commitOf(commit).at);
  }

  async resolve(id: string): Promise<string | undefined> {
    const [, short = '', steps = ''] = /^([0-9a-f]{4,64})((?:[~^]\d{0,4})*)$/.exec(id) ?? [];
    const all = short === '' ? [] : [...this.#objects.commits.keys()].filter((commit) => commit.startsWith(short));
    let [found] = all.length === 1 ? all : [];
    for (const [, sign, count] of steps.matchAll(/([~^])(\d*)/g)) {
      const wanted = count === '' ? 1 : Number(count);
      const parents = found === undefined ? [] : this.#objects.commitOf(found).parents;
      if (sign === '^') found = wanted === 0 ? found : parents[wanted - 1];
      else found = found === undefined ? undefined : this.#line(found)[wanted];
    }
    return found;
  }

  async history(
    commit: string,
    { path, skip = 0, most }: { path?: string; skip?: number; most: number },
  ): Promise<PastCommit[]> {
    const all = this.#objects.before(commit).filter((id) => path === undefined || this.#hasChanged(id, safePath(path)));
    return all.slice(skip, skip + most).map((id) => this.#past(id));
  }

  async blame(commit: string, path: string, from: number, to: number): Promise<BlamedLine[]> {
    const textAt = (id: string): string[] => {
      const entry = this.#objects.filesOf(id).get(safePath(path));
      return entry ? linesOf(this.#objects.bytesOf(entry.id).toString('utf8')) : [];
    };
    const lines = textAt(commit);
    const authors: string[] = lines.map(() => commit);
    let open = lines.map((_, index) => ({ index, at: index }));
    for (const [id, parent] of pairs(this.#line(commit))) {
      const stays = matched(textAt(id), textAt(parent));
      open = open.flatMap(({ index, at }) => (stays[at] === -1 ? [] : [{ index, at: stays[at]! }]));
      for (const { index } of open) authors[index] = parent;
    }
    if (from > lines.length) throw refusal('reject.git_failed', `${path} has only ${lines.length} lines`);
    return lines.slice(from - 1, to).map((text, n) => ({
      ...this.#past(authors[from - 1 + n]!),
      line: from + n,
      text: text.replace(/\n$/, ''),
    }));
  }

  async merge(base: string, ours: string, theirs: string): Promise<Merged> {
    return this.#merge(base, ours, theirs);
  }

  async tryPairs(tried: readonly (readonly [string, string])[]): Promise<MergeOutcome[]> {
    const empty = this.#objects.tree([]);
    return Promise.all(
      tried.map(async ([one, other]) => {
        const { clean, conflicts } = this.#merge((await this.mergeBase(one, other)) ?? empty, one, other);
        return { clean, conflicts };
      }),
    );
  }

  async changes(from: string, to: string): Promise<TreeChange[]> {
    return this.#changes(from, to);
  }

  async patch(from: string, to: string, most = MOST_PATCH_BYTES, path?: string): Promise<Patch> {
    const below = path === undefined ? undefined : safePath(path);
    const parts = this.#changes(from, to)
      .filter((change) => below === undefined || isBelow(change.path, below))
      .map((change) => this.#patchOf(change));
    const bytes = Buffer.from(parts.join(''));
    if (bytes.length <= most) return { text: bytes.toString('utf8'), isWhole: true };
    const cut = bytes.subarray(0, most).toString('utf8');
    return { text: cut.slice(0, cut.lastIndexOf('\n') + 1), isWhole: false };
  }

  async files(tree: string, scope = ''): Promise<TreeEntry[]> {
    const below = scope === '' ? undefined : safePath(scope);
    return [...this.#objects.filesOf(tree).values()].filter(({ path }) => below === undefined || isBelow(path, below));
  }

  async entry(tree: string, path: string): Promise<TreeEntry | undefined> {
    return this.#objects.filesOf(tree).get(safePath(path));
  }

  async read(blob: string): Promise<Buffer> {
    return this.#objects.bytesOf(blob);
  }

  async readMany(blobs: readonly string[], most: number, inAll: number): Promise<ReadonlyMap<string, Buffer>> {
    const found = new Map<string, Buffer>();
    let room = inAll;
    for (const id of new Set(blobs)) {
      const bytes = this.#objects.blobs.get(id);
      if (!bytes || bytes.length > Math.min(most, room)) continue;
      room -= bytes.length;
      found.set(id, bytes);
    }
    return found;
  }

  async search(tree: string, text: string, scope: string, most: number): Promise<FoundLine[]> {
    const wanted = text.toLowerCase();
    const found: FoundLine[] = [];
    for (const { path, mode, id } of await this.files(tree, scope)) {
      const bytes = mode.startsWith('100') ? this.#objects.bytesOf(id) : Buffer.alloc(0);
      if (bytes.includes(0)) continue;
      for (const [index, line] of linesOf(bytes.toString('utf8')).entries())
        if (line.toLowerCase().includes(wanted))
          found.push({ path, lineNumber: index + 1, snippet: line.replace(/\n$/, '').slice(0, LONGEST_SNIPPET) });
    }
    return found.slice(0, most);
  }

  async edit(tree: string, edits: readonly TreeEdit[]): Promise<string> {
    const files = new Map(this.#objects.filesOf(tree));
    const before = new Map(files);
    const written = edits.map(({ path, content }) => ({ path: safePath(path), content }));
    for (const { path, content } of written) {
      if (content === null) {
        files.delete(path);
        continue;
      }
      // A file takes the place of a folder, and a folder that of a file.
      for (const other of files.keys())
        if (other !== path && (isBelow(other, path) || isBelow(path, other))) files.delete(other);
      const mode = before.get(path)?.mode === '100755' ? '100755' : '100644';
      const isText = typeof content === 'string' || content instanceof Uint8Array;
      files.set(path, isText ? { path, mode, id: this.#objects.blob(content) } : { ...content, path });
    }
    return this.#objects.tree(files.values());
  }

  async prune(): Promise<number> {
    return 0;
  }

  async receive(folder: string, refs: readonly string[]): Promise<void> {
    const other = this.#elsewhere(folder);
    this.#objects.take(other.objects);
    for (const ref of refs) {
      const [from = '', to = ''] = ref.replace(/^\+/, '').split(':');
      const tip = other.refs.get(from);
      if (tip === undefined) throw refusal('reject.git_failed', `${folder} has no ${from}`);
      if (to !== '') this.#held.refs.set(to, tip);
    }
  }

  #line(commit: string): string[] {
    const found: string[] = [];
    for (let at: Tip = commit; at !== undefined; [at] = this.#objects.commitOf(at).parents) found.push(at);
    return found;
  }

  #past(commit: string): PastCommit {
    const { at, author, message } = this.#objects.commitOf(commit);
    return { commit, at: timeOf(at), author: author.name, subject: message.split('\n')[0] ?? '' };
  }

  #hasChanged(commit: string, path: string): boolean {
    const { parents, tree } = this.#objects.commitOf(commit);
    const before = parents.length === 0 ? [this.#objects.tree([])] : parents;
    return before.every((parent) => this.#changes(parent, tree).some((change) => isBelow(change.path, path)));
  }

  #changes(from: string, to: string): TreeChange[] {
    const [before, after] = [this.#objects.filesOf(from), this.#objects.filesOf(to)];
    return inOrder([...before.keys(), ...after.keys()]).flatMap((path): TreeChange[] => {
      const [was, is] = [before.get(path), after.get(path)];
      if (isSame(was, is)) return [];
      return [{ path, changeKind: !was ? 'Added' : !is ? 'Deleted' : 'Modified', before: was, after: is }];
    });
  }

  #patchOf({ path, before, after }: TreeChange): string {
    const textOf = (entry: TreeEntry | undefined): string =>
      entry ? this.#objects.bytesOf(entry.id).toString('utf8') : '';
    const zero = '0'.repeat(40);
    const kind = !before
      ? `new file mode ${after?.mode}\n`
      : !after
        ? `deleted file mode ${before.mode}\n`
        : before.mode === after.mode
          ? ''
          : `old mode ${before.mode}\nnew mode ${after.mode}\n`;
    const mode = before && after && before.mode === after.mode ? ` ${before.mode}` : '';
    const head = `diff --git a/${path} b/${path}\n${kind}index ${before?.id ?? zero}..${after?.id ?? zero}${mode}\n`;
    const names = `--- ${before ? `a/${path}` : '/dev/null'}\n+++ ${after ? `b/${path}` : '/dev/null'}\n`;
    return before?.id === after?.id ? head : head + names + hunkOf(textOf(before), textOf(after));
  }

  #merge(base: string, ours: string, theirs: string): Merged {
    const [b, o, t] = [base, ours, theirs].map((id) => this.#objects.filesOf(id)) as [Files, Files, Files];
    const merged = new Map<string, TreeEntry>();
    const conflicts: Conflict[] = [];
    for (const path of inOrder([...b.keys(), ...o.keys(), ...t.keys()])) {
      const [was, mine, other] = [b.get(path), o.get(path), t.get(path)];
      const kept = isSame(mine, other) || isSame(was, other) ? mine : isSame(was, mine) ? other : undefined;
      if (kept) merged.set(path, kept);
      if (kept || isSame(mine, other) || isSame(was, other) || isSame(was, mine)) continue;
      const { entry, kind } = this.#bothChanged(was, mine, other);
      merged.set(path, entry);
      if (kind !== undefined) conflicts.push({ path, kind });
    }
    for (const [path, entry] of [...merged]) {
      const isInTheWay = [...merged.keys()].some((other) => other !== path && isBelow(other, path));
      if (!isInTheWay) continue;
      // Git sets the file aside under another name, and so does this.
      const aside = `${path}~${o.has(path) ? ours : theirs}`;
      merged.delete(path);
      merged.set(aside, { ...entry, path: aside });
      conflicts.push({ path, kind: 'file/directory' });
    }
    const tree = this.#objects.tree(merged.values());
    return { tree, clean: conflicts.length === 0, conflicts: conflicts.sort((x, y) => (x.path < y.path ? -1 : 1)) };
  }

  /** File that both sides have changed, each in its own way. */
  #bothChanged(was: TreeEntry | undefined, mine: TreeEntry | undefined, other: TreeEntry | undefined) {
    const there = mine ?? other!;
    if (!mine || !other) return { entry: there, kind: 'modify/delete' };
    const [before, ours, theirs] = [was, mine, other].map((entry) =>
      entry ? this.#objects.bytesOf(entry.id) : Buffer.alloc(0),
    ) as [Buffer, Buffer, Buffer];
    if ([before, ours, theirs].some((bytes) => bytes.includes(0))) return { entry: mine, kind: 'binary' };
    const { text, clean } = mergeTexts(before.toString('utf8'), ours.toString('utf8'), theirs.toString('utf8'));
    const entry = { ...mine, id: this.#objects.blob(text) };
    return clean ? { entry } : { entry, kind: 'contents' };
  }
}

function isSame(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one?.id === other?.id && one?.mode === other?.mode;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Each once, in git's order: that of their bytes. */
function inOrder(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function pairs(ids: readonly string[]): (readonly [string, string])[] {
  return ids.slice(1).map((parent, n) => [ids[n]!, parent] as const);
}

function timeOf(at: string): string {
  return new Date(Math.floor(Date.parse(at) / 1000) * 1000).toISOString();
}
