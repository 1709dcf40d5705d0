/** Parsers of what the `git` program prints. */
import { refusal } from '../../../reasons.js';
import type {
  BlamedLine,
  Conflict,
  FoundLine,
  Merged,
  PastCommit,
  TreeChange,
  TreeEntry,
} from '../objects/object-store.js';

const LONGEST_SNIPPET = 400;
/** Line of merge output: `<mode> <id> <stage>`, then the path. */
const LINE_OF_MERGE = /^(\d{6}) ([0-9a-f]+) ([123])\t(.*)$/s;

export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

export function entriesOf(text: string): TreeEntry[] {
  return partsOf(text).map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', , id = ''] = line.slice(0, tab).split(' ');
    return { path: line.slice(tab + 1), mode, id };
  });
}

/** Changes: `:<mode before> <mode after> <id before> <id after> <letter>`, then the path. */
export function changesOf(text: string): TreeChange[] {
  const parts = partsOf(text);
  const found: TreeChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [modeBefore = '', modeAfter = '', idBefore = '', idAfter = '', letter] = parts[at]!.slice(1).split(' ');
    const path = parts[at + 1]!;
    found.push({
      path,
      changeKind: letter === 'A' ? 'Added' : letter === 'D' ? 'Deleted' : 'Modified',
      before: letter === 'A' ? undefined : { path, mode: modeBefore, id: idBefore },
      after: letter === 'D' ? undefined : { path, mode: modeAfter, id: idAfter },
    });
  }
  return found;
}

/** Differences: `<tree> <other tree>` on a line, then what differs. */
export function differencesOf(text: string): Map<string, TreeChange[]> {
  const found = new Map<string, TreeChange[]>();
  for (let at = 0; at < text.length;) {
    const start = after('\n', text, at);
    const other = text.slice(at, start - 1).split(' ')[1] ?? '';
    for (at = start; text[at] === ':';) at = after('\0', text, after('\0', text, at));
    found.set(other, changesOf(text.slice(start, at)));
  }
  return found;
}

/** Commits: id, time, author and subject on lines of their own, each commit ended by a NUL. */
export function pastCommits(text: string): PastCommit[] {
  return text
    .split('\0')
    .filter((part) => part !== '')
    .map((part) => {
      const [commit = '', at = '', author = '', ...subject] = part.split('\n');
      return { commit, at: timeOf(Date.parse(at)), author, subject: subject.join(' ').trim() };
    });
}

/** Blamed lines: `<commit> <line then> <line now>`, headers by name, then a tab and the line. */
export function blamedLines(text: string): BlamedLine[] {
  const found: BlamedLine[] = [];
  let head: { commit: string; line: number } = { commit: '', line: 0 };
  const named = new Map<string, string>();
  for (const line of text.split('\n')) {
    const start = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(line);
    if (line.startsWith('\t')) {
      const seconds = Number(named.get('committer-time') ?? 0);
      found.push({
        ...head,
        at: timeOf(seconds * 1000),
        author: named.get('author') ?? '',
        subject: named.get('summary') ?? '',
        text: line.slice(1),
      });
      named.clear();
    } else if (start) head = { commit: start[1]!, line: Number(start[2]) };
    else {
      const space = line.indexOf(' ');
      if (space > 0) named.set(line.slice(0, space), line.slice(space + 1));
    }
  }
  return found;
}

export function partsOf(text: string): string[] {
  return text.split('\0').slice(0, -1);
}

/** Search results: `<tree>:<path> NUL <line number> NUL <line>`, one to a line. */
export function foundLines(text: string, tree: string, most: number): FoundLine[] {
  const found: FoundLine[] = [];
  let at = 0;
  while (at < text.length && found.length < most) {
    const number = after('\0', text, at);
    const line = after('\0', text, number);
    const next = after('\n', text, line);
    const path = text.slice(at + tree.length + 1, number - 1);
    const snippet = text.slice(line, next - 1).slice(0, LONGEST_SNIPPET);
    found.push({ path, lineNumber: Number(text.slice(number, line - 1)), snippet });
    at = next;
  }
  return found;
}

/** Merges: for each pair the outcome, the tree, the files in conflict, an empty part, git's messages, an empty part. */
export function mergesOf(text: string, pairs: readonly (readonly [string, string])[]): Merged[] {
  const parts = partsOf(text);
  const found: Merged[] = [];
  let at = 0;
  const next = (): string => parts[at++] ?? '';
  while (at < parts.length) {
    const status = next();
    if (status !== '0' && status !== '1') throw refusal('reject.git_failed', 'git merge-tree could not merge');
    const tree = next();
    const inConflict = new Map<string, string>();
    // A file in the way of a folder is renamed to its name and the commit's; people know it by its name.
    const sides = pairs[found.length] ?? [];
    const named = (path: string): string => sides.reduce((name, side) => name.replace(`~${side}`, ''), path);
    for (let line = next(); line !== ''; line = next()) {
      const path = LINE_OF_MERGE.exec(line)?.[4];
      if (path !== undefined) inConflict.set(named(path), 'contents');
    }
    for (let count = status === '1' ? '' : next(); count !== ''; count = next()) {
      if (Number(count) > parts.length - at) throw cutShort();
      const paths = Array.from({ length: Number(count) }, () => named(next()));
      const kind = /^CONFLICT \((.*)\)$/.exec(next())?.[1];
      next();
      if (kind !== undefined) for (const path of paths) if (inConflict.has(path)) inConflict.set(path, kind);
    }
    const conflicts: Conflict[] = [...inConflict].map(([path, kind]) => ({ path, kind }));
    found.push({ tree, clean: status === '1', conflicts: conflicts.sort((a, b) => (a.path < b.path ? -1 : 1)) });
  }
  return found;
}

/** Offset behind the next such sign, which git puts behind each part: without it, what git prints was cut short. */
function after(sign: string, text: string, from: number): number {
  const at = text.indexOf(sign, from);
  if (at === -1) throw cutShort();
  return at + 1;
}

function cutShort(): Error {
  return refusal('reject.git_failed', 'what git printed ends in the middle: try again');
}

/** Time of a commit. Anybody may write any number there; one that no calendar has is shown as 1970, as git does. */
function timeOf(ms: number): string {
  const time = new Date(ms);
  return (Number.isNaN(time.getTime()) ? new Date(0) : time).toISOString();
}

/** Batch output: for each blob a line that names it, the bytes, a line break. */
export function piecesOf(bytes: Buffer, sizes: ReadonlyMap<string, number>): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  let at = 0;
  for (const [id, size] of sizes) {
    const from = bytes.indexOf('\n', at) + 1;
    found.set(id, bytes.subarray(from, from + size));
    at = from + size + 1;
  }
  return found;
}
