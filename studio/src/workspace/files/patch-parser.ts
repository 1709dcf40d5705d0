/**
 * Patch parser: patches in either of two forms that models write, into files and hunks. One is the unified form of diff and git; the other
 * begins with `*** Begin Patch` and names lines by what is above them. Counts in headers are not believed: models count badly.
 */
export interface Hunk {
  /** Lines that are there, and lines that shall be. */
  readonly old: readonly string[];
  readonly now: readonly string[];
  /** Line that stands above, such as a function's head. */
  readonly below?: string;
  /** Line at which it is said to begin, from 1. */
  readonly line?: number;
}

export type FilePatch =
  | { readonly kind: 'add'; readonly path: string; readonly text: string }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'update'; readonly path: string; readonly to?: string; readonly hunks: readonly Hunk[] };

export type ParsedPatch = { readonly files: readonly FilePatch[] } | { readonly fault: string };

export function parsePatch(text: string): ParsedPatch {
  const lines = text.replace(/\n$/, '').split('\n');
  const isOwn = lines.some((line) => /^\*\*\* (Begin Patch|(Add|Update|Delete) File: )/.test(line));
  const files = isOwn ? markedFiles(lines) : unifiedFiles(lines);
  if (typeof files === 'string') return { fault: files };
  if (files.length === 0) return { fault: FORMS };
  const empty = files.find((file) => file.kind === 'update' && file.hunks.length === 0 && file.to === undefined);
  if (empty) return { fault: `the patch names ${empty.path} and changes nothing in it` };
  const twice = files.find(({ path }, index) => files.findIndex((other) => other.path === path) !== index);
  if (twice) return { fault: `the patch names ${twice.path} twice; put all its hunks below one name` };
  return { files };
}

const FORMS =
  'no file is named in the patch. Either form is read: "--- a/path", "+++ b/path", "@@ -1,3 +1,4 @@" and lines that begin with a blank, - or +; ' +
  'or "*** Begin Patch", "*** Update File: path" (or Add File, Delete File), "@@", such lines, "*** End Patch".';

/** Files of the form with marks. */
function markedFiles(lines: readonly string[]): FilePatch[] | string {
  const files: FilePatch[] = [];
  for (let at = 0; at < lines.length;) {
    const [, kind, path = ''] = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/.exec(lines[at]!) ?? [];
    at += 1;
    if (kind === undefined) continue;
    const end = lines.findIndex(
      (line, index) => index >= at && /^\*\*\* (Add File|Update File|Delete File|End Patch)/.test(line),
    );
    const body = lines.slice(at, end < 0 ? undefined : end);
    if (kind === 'Delete') files.push({ kind: 'delete', path });
    else if (kind === 'Add') {
      const strange = body.find((line) => line !== '' && !line.startsWith('+'));
      if (strange !== undefined)
        return `in the new file ${path} each line begins with +, and this does not: ${strange}`;
      files.push({ kind: 'add', path, text: body.map((line) => `${line.slice(1)}\n`).join('') });
    } else {
      const [, to] = /^\*\*\* Move to: (.+?)\s*$/.exec(body[0] ?? '') ?? [];
      const hunks = hunksOf(to === undefined ? body : body.slice(1), path);
      if (typeof hunks === 'string') return hunks;
      files.push({ kind: 'update', path, hunks, ...(to === undefined ? {} : { to }) });
    }
    at += body.length;
  }
  return files;
}

/** Files of the unified form. */
function unifiedFiles(lines: readonly string[]): FilePatch[] | string {
  const starts = lines.flatMap((line, at) =>
    line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') ? [at] : [],
  );
  const files: FilePatch[] = [];
  for (const [index, start] of starts.entries()) {
    const [old, now] = [nameIn(lines[start]!), nameIn(lines[start + 1]!)];
    const body = lines.slice(start + 2, starts[index + 1]);
    const heading = body.findIndex((line) =>
      /^(diff --git |index [0-9a-f]|deleted file|new file|similarity |rename )/.test(line),
    );
    const hunks = hunksOf(heading < 0 ? body : body.slice(0, heading), now ?? old ?? '');
    if (typeof hunks === 'string') return hunks;
    if (old === undefined && now === undefined) return 'a file of the patch has no name on either side';
    if (now === undefined) files.push({ kind: 'delete', path: old! });
    else if (old === undefined)
      files.push({
        kind: 'add',
        path: now,
        text: hunks
          .flatMap((hunk) => hunk.now)
          .map((line) => `${line}\n`)
          .join(''),
      });
    else files.push({ kind: 'update', path: old, hunks, ...(old === now ? {} : { to: now }) });
  }
  return files;
}

/** Name in a header; undefined where there is no file on that side. */
function nameIn(header: string): string | undefined {
  const name = header.slice(4).split('\t')[0]!.trim();
  return name === '/dev/null' ? undefined : name.replace(/^[ab]\//, '');
}

function hunksOf(lines: readonly string[], path: string): Hunk[] | string {
  const hunks: { old: string[]; now: string[]; below?: string; line?: number }[] = [];
  // Blank lines at the end of a hunk belong to whoever wrote the patch, not to the file.
  const last = lines.findLastIndex((line) => line !== '');
  for (const line of lines.slice(0, last + 1)) {
    if (line.startsWith('@@')) {
      hunks.push({ old: [], now: [], ...headOf(line) });
      continue;
    }
    if (line.startsWith('\\') || line === '*** End of File') continue;
    const hunk = hunks.at(-1) ?? hunks[hunks.push({ old: [], now: [] }) - 1]!;
    const [mark, rest] = [line.charAt(0), line.slice(1)];
    if (mark === '+') hunk.now.push(rest);
    else if (mark === '-') hunk.old.push(rest);
    else if (mark === ' ' || line === '') {
      hunk.old.push(rest);
      hunk.now.push(rest);
    } else return `in the patch of ${path} each line begins with a blank, - or +, and this does not: ${line}`;
  }
  return hunks.filter(({ old, now }) => old.length + now.length > 0);
}

function headOf(line: string): { below?: string; line?: number } {
  const ranges = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/.exec(line);
  if (ranges) return { line: Number(ranges[1]) };
  const below = line.replace(/^@@ ?/, '').replace(/ ?@@$/, '').trim();
  return below === '' ? {} : { below };
}
