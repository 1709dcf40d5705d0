/** Where a text is found in the files of a folder. What git ignores is left out. */
import { join } from 'node:path';
import { refusal } from '../../reasons.js';
import { readBytes, textOf } from './file-in-folder.js';
import { linesOf } from './text-window.js';

export interface TextQuery {
  readonly text: string;
  readonly isRegex: boolean;
  readonly caseSensitive: boolean;
  /** A folder or file to stay below. */
  readonly scope: string;
  readonly matches: (path: string) => boolean;
  readonly most: number;
}

export interface FoundAt {
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

export interface TextSearch {
  /** By path and line; `truncated` when there are more than `most`. `files` are all that count. */
  find(
    folder: string,
    files: readonly string[],
    query: TextQuery,
  ): Promise<{ readonly found: readonly FoundAt[]; readonly truncated: boolean }>;
}

/** Without any program: for a host that has none. A pattern could take for ever here, so it is refused. */
export const plainSearch: TextSearch = {
  async find(folder, files, { text, isRegex, caseSensitive, most, ...query }) {
    if (isRegex)
      throw refusal('reject.search_program_missing', 'patterns are searched for by ripgrep, and this host has none');
    const fold = (one: string): string => (caseSensitive ? one : one.toLowerCase());
    const wanted = fold(text);
    const found: FoundAt[] = [];
    for (const path of files) {
      if (!isBelow(path, query.scope) || !query.matches(path)) continue;
      const content = textOf((await readBytes(folder, path).catch(() => undefined)) ?? Buffer.alloc(1));
      if (content === undefined) continue;
      for (const [i, line] of linesOf(content).entries()) {
        if (!fold(line).includes(wanted)) continue;
        if (found.length === most) return { found, truncated: true };
        found.push({ path, line: i + 1 });
      }
    }
    return { found, truncated: false };
  },
};

export function isBelow(path: string, scope: string): boolean {
  return scope === '' || path === scope || path.startsWith(join(scope, '/'));
}

export interface Snippet extends FoundAt {
  readonly startLine: number;
  readonly endLine: number;
  readonly snippet: string;
}

/** A line of machine-made text can be as long as the file. */
const MOST_SNIPPET = 4_000;

/** What is around each place, a file read once. A file that has gone meanwhile has no snippets. */
export async function snippetsOf(folder: string, found: readonly FoundAt[], context: number): Promise<Snippet[]> {
  const snippets: Snippet[] = [];
  let last: { readonly path: string; readonly lines: readonly string[] } | undefined;
  for (const { path, line } of found) {
    if (last?.path !== path) {
      const bytes = await readBytes(folder, path).catch(() => undefined);
      last = { path, lines: linesOf(bytes?.toString('utf8') ?? '') };
    }
    const startLine = Math.max(line - context, 1);
    const endLine = Math.min(line + context, last.lines.length);
    if (endLine < line) continue;
    const snippet = last.lines.slice(startLine - 1, endLine).join('');
    snippets.push({ path, line, startLine, endLine, snippet: snippet.slice(0, MOST_SNIPPET) });
  }
  return snippets;
}
