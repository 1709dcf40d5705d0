/** Tools with which agents read the files of their branch. */
import { z } from 'zod';
import { branchFiles, folderFor, noteSeen, readBranchFile, requireText } from '../../rules/branches/files.js';
import { recordSearch } from '../../rules/queue/usage.js';
import { refusal } from '../../reasons.js';
import { digestOf } from '../../workspace/files/file-in-folder.js';
import { compileGlob } from '../../workspace/files/glob.js';
import { around, numbered, shortened } from '../../workspace/files/numbered-lines.js';
import { safePath } from '../../workspace/files/safe-path.js';
import { isBelow, snippetsOf } from '../../workspace/files/text-search.js';
import { linesOf } from '../../workspace/files/text-window.js';
import { SYMBOL_QUESTIONS } from '../../workspace/symbols/symbols.js';
import { operation } from '../kernel/define.js';
import type { Context } from '../kernel/context.js';
import { READS, SETS } from '../kernel/hints.js';
import { recordLook } from '../workspaces/workspace-target.js';
import { MOST_TOLD, OWN_TOOL_REFUSALS, Told, ownWork } from './own-work.js';
import { symbolMap } from './symbol-map.js';

const Path = z.string().min(1).max(4096);
const Below = z.string().max(4096).default('').describe('Folder or file to stay below. Default: all.');
const DEFAULT_LINES = 2000;
const MOST_FILES = 400;

export const view = operation({
  summary:
    'Read a text file with the numbers of its lines, whole or from a line on; or see what is in a folder. Who has read a file whole may ' +
    'write it anew.',
  scope: 'read',
  in: z.object({
    path: Path.describe('File or folder, relative to the root.'),
    from: z.number().int().min(1).max(10_000_000).default(1).describe('First line.'),
    lines: z.number().int().min(1).max(100_000).default(DEFAULT_LINES).describe('Lines to read.'),
  }),
  out: Told,
  tool: 'view',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: READS,
}).run(async (context, { path: named, from, lines }) => {
  const { branch } = await ownWork(context);
  const path = named === '.' || named === './' ? '.' : safePath(named);
  const files = await branchFiles(context, branch);
  if (!files.includes(path)) {
    const inside = path === '.' ? files : files.filter((one) => isBelow(one, path));
    if (inside.length > 0) return { text: folderText(path, inside) };
  }
  const bytes = await readBranchFile(context, branch, path);
  if (bytes === undefined)
    throw refusal('reject.file_not_found', `there is no file ${path}${similarTo(path, files)}`, { path });
  const text = requireText(path, bytes);
  const shown = windowText(path, text, from, lines);
  await recordLook(context, [path], (change) => {
    if (shown.isWhole) noteSeen(change, context.caller.name, branch, path, digestOf(bytes));
  });
  return { text: shown.text };
});

function windowText(path: string, content: string, from: number, most: number): { text: string; isWhole: boolean } {
  const all = linesOf(content).map((line) => line.replace(/\n$/, ''));
  if (all.length === 0) return { text: `${path} is empty.`, isWhole: true };
  if (from > all.length)
    return { text: `${path} has ${all.length} lines; there is none from ${from} on.`, isWhole: false };
  const shown: string[] = [];
  let length = 0;
  for (const line of all.slice(from - 1, from - 1 + most)) {
    length += shortened(line).length + 8;
    if (length > MOST_TOLD && shown.length > 0) break;
    shown.push(line);
  }
  const last = from + shown.length - 1;
  const isWhole =
    from === 1 && last === all.length && shown.every((line) => shortened(line) === line.replace(/\r$/, ''));
  const rest = last < all.length ? `; the rest: from ${last + 1}` : '';
  const head = isWhole ? `${path}, ${all.length} lines` : `${path}, lines ${from}-${last} of ${all.length}${rest}`;
  return { text: `${head}\n${numbered(shown, from)}`, isWhole };
}

/** Entries of a folder: its files, and its folders with how many files are below them. */
function folderText(path: string, inside: readonly string[]): string {
  const start = path === '.' ? 0 : path.length + 1;
  const entries = new Map<string, number>();
  for (const file of inside) {
    const [name = '', ...deeper] = file.slice(start).split('/');
    const entry = deeper.length === 0 ? name : `${name}/`;
    entries.set(entry, (entries.get(entry) ?? 0) + 1);
  }
  const lines = [...entries].map(([entry, count]) => (entry.endsWith('/') ? `${entry} (${count} files)` : entry));
  const left = lines.length - MOST_FILES;
  const more = left > 0 ? [`[${left} more; narrow it with glob]`] : [];
  return [
    `${path === '.' ? 'The root' : path} is a folder of ${inside.length} files:`,
    ...lines.slice(0, MOST_FILES),
    ...more,
  ].join('\n');
}

const MOST_SIMILAR = 5;

/** Names of files that may be meant. */
function similarTo(path: string, files: readonly string[]): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const stem = name.replace(/\.[^.]*$/, '');
  const last = (file: string): string => file.slice(file.lastIndexOf('/') + 1).toLowerCase();
  const same = files.filter((file) => last(file) === name);
  const like = files.filter((file) => stem.length > 2 && last(file) !== name && last(file).includes(stem));
  const found = [...same, ...like].slice(0, MOST_SIMILAR);
  return found.length === 0 ? '; look for it with glob' : `; there is ${found.join(', ')}`;
}

export const glob = operation({
  summary: 'Find files by their names. A pattern without a slash is matched in every folder.',
  scope: 'read',
  in: z.object({
    pattern: z.string().min(1).max(1000).default('**').describe('Such as *.ts, src/**/*.test.ts.'),
    path: Below,
  }),
  out: Told,
  tool: 'glob',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: READS,
}).run(async (context, { pattern, path }) => {
  const { branch } = await ownWork(context);
  const [scope, matches] = [scopeOf(path), compileGlob(pattern)];
  const found = (await branchFiles(context, branch)).filter((one) => isBelow(one, scope) && matches(one));
  if (found.length === 0) return { text: `No file matches ${pattern}.` };
  const left = found.length - MOST_FILES;
  const more = left > 0 ? [`[${left} of ${found.length} left out; narrow the pattern or the path]`] : [];
  return { text: [`${found.length} files`, ...found.slice(0, MOST_FILES), ...more].join('\n') };
});

export const grep = operation({
  summary:
    'Search the contents of files for a pattern (a regular expression), with lines around each place if wanted. To find where a symbol is ' +
    'defined or used, symbols is exact.',
  scope: 'read',
  in: z.object({
    pattern: z.string().min(1).max(10_000).describe('What to search for.'),
    path: Below,
    glob: z.string().min(1).max(1000).optional().describe('Only files that match, such as *.py.'),
    literal: z.boolean().default(false).describe('Whether it is a text, not a pattern.'),
    ignoreCase: z.boolean().default(false).describe('Whether small and capital letters are the same.'),
    context: z.number().int().min(0).max(20).default(0).describe('Lines to show around each place.'),
    most: z.number().int().min(1).max(1000).default(100).describe('Places to show.'),
  }),
  out: Told,
  tool: 'grep',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: READS,
}).run(async (context, { pattern, path, glob, literal, ignoreCase, context: lines, most }) => {
  const { branch, unit } = await ownWork(context);
  const space = await folderFor(context, branch);
  const files = await context.disk.spaces.files(branch.store, space);
  const { found, truncated } = await context.programs.search.find(space.folder, files, {
    text: pattern,
    isRegex: !literal,
    caseSensitive: !ignoreCase,
    scope: scopeOf(path),
    matches: glob === undefined ? () => true : compileGlob(glob),
    most,
  });
  const matchedPaths = [...new Set(found.map((one) => one.path))];
  const done = { workUnitId: unit.workUnitId, query: pattern, matchedPaths, matchCount: found.length, truncated };
  await context.change((change) => recordSearch(change, done));
  if (found.length === 0) return { text: `Nothing matches${files.length === 0 ? '; the branch has no files' : ''}.` };
  const snippets = await snippetsOf(space.folder, found, lines);
  const shown = matchedPaths.map((file) =>
    placesText(
      file,
      snippets.filter((one) => one.path === file),
    ),
  );
  const head = `${found.length} places in ${matchedPaths.length} files`;
  const more = truncated ? `; there are more: narrow the search, or say most` : '';
  return { text: fitting([`${head}${more}`, ...shown]) };
});

type Places = Awaited<ReturnType<typeof snippetsOf>>;

/** Places of one file; those whose lines touch are shown as one. */
function placesText(file: string, snippets: Places): string {
  const marked = new Set(snippets.map(({ line }) => line));
  const text = new Map<number, string>();
  for (const { startLine, snippet } of snippets)
    for (const [index, line] of linesOf(snippet).entries()) text.set(startLine + index, line.replace(/\n$/, ''));
  const ranges = around(
    snippets.map(({ startLine, endLine }) => ({ from: startLine, to: endLine })),
    0,
    Number.MAX_SAFE_INTEGER,
  );
  const shown = ranges.map(({ from, to }) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index)
      .map((line) => `${line}${marked.has(line) ? ':' : '-'} ${shortened(text.get(line) ?? '', 400)}`)
      .join('\n'),
  );
  const isApart = snippets.some(({ startLine, endLine }) => endLine > startLine);
  return `${file}\n${shown.join(isApart ? '\n--\n' : '\n')}`;
}

/** Parts as far as they fit. */
function fitting(parts: readonly string[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const part of parts) {
    length += part.length + 1;
    if (length > MOST_TOLD) break;
    shown.push(part);
  }
  const left = parts.length - shown.length;
  return [...shown, ...(left > 0 ? [`[${left} files left out; narrow the search]`] : [])].join('\n');
}

export const symbols = operation({
  summary:
    'Find where a symbol (function, class, type, variable) is defined, used or implemented, as its language sees it; or see what a file, a ' +
    'folder or all of it declares, with members, those files first that others use most.',
  scope: 'read',
  in: z.object({
    ask: z.enum([...SYMBOL_QUESTIONS, 'outline']).describe('What is asked. An outline is of a path.'),
    name: z.string().min(1).max(500).optional().describe('Name of the symbol. Needed where no line is given.'),
    path: Path.optional().describe('File in which it stands; of an outline also a folder. Default: all of them.'),
    line: z
      .number()
      .int()
      .min(1)
      .max(10_000_000)
      .optional()
      .describe('Line of that file. Without a name: all that is named in it.'),
  }),
  out: Told,
  tool: 'symbols',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: SETS,
}).run(async (context, { ask, name, path: named, line }) => {
  if (ask === 'outline') return { text: await outlineText(context, named) };
  if (name === undefined && (named === undefined || line === undefined)) {
    const message = 'is needed, or a path and a line';
    throw refusal('reject.invalid_input', `name: ${message}`, [{ field: 'name', message }]);
  }
  const { branch } = await ownWork(context);
  const { folder } = await folderFor(context, branch);
  const files = await branchFiles(context, branch);
  const path = named === undefined ? undefined : safePath(named);
  if (path !== undefined && !files.includes(path))
    throw refusal('reject.file_not_found', `there is no file ${path}${similarTo(path, files)}`, { path });
  const query = { question: ask, symbol: name, path, line, most: MOST_SYMBOLS };
  const { locations, truncated } = await context.programs.symbols.find(folder, files, query);
  if (locations.length === 0) return { text: `No ${ask} was found; grep finds texts.` };
  const lines = await snippetsOf(folder, locations, 0);
  const shown = locations.map(({ path: file, line: at, kind, containingSymbol }) => {
    const source = lines.find((one) => one.path === file && one.line === at)?.snippet.trim() ?? '';
    const about = [kind, containingSymbol && `in ${containingSymbol}`].filter((one) => one !== undefined).join(' ');
    return `${file}:${at}: ${shortened(source, 200)}${about === '' ? '' : `  (${about})`}`;
  });
  const more = truncated ? [`[there are more than ${MOST_SYMBOLS}; name a path]`] : [];
  return { text: [`${locations.length} places`, ...shown, ...more].join('\n') };
});

const MOST_SYMBOLS = 100;
/** Files that one outline looks at. */
const MOST_OUTLINED = 500;

async function outlineText(context: Context, named: string | undefined): Promise<string> {
  const { branch } = await ownWork(context);
  const space = await folderFor(context, branch);
  const files = await branchFiles(context, branch);
  const scope = scopeOf(named ?? '');
  const below = files.filter((path) => isBelow(path, scope));
  if (below.length === 0) throw refusal('reject.file_not_found', `there is no file ${scope}${similarTo(scope, files)}`);
  const found = await context.programs.symbols.outline(space.folder, files, below.slice(0, MOST_OUTLINED));
  const text = await symbolMap(found, (path) => context.disk.spaces.read(space, path));
  const left = below.length - MOST_OUTLINED;
  return left > 0 ? `${text}\n[${left} files were not looked at; name a path]` : text;
}

function scopeOf(path: string): string {
  return path === '' || path === '.' || path === './' ? '' : safePath(path);
}
