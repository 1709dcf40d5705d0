/** Text search port: occurrences in the files of a folder, except those that git ignores. */
import { join } from 'node:path';
import { refusal } from '../../reasons.js';
import { readBytes, textOf } from './file-in-folder.js';
import { linesOf } from './text-window.js';

export interface TextQuery {
  readonly text: string;
  readonly isRegex: boolean;
  readonly caseSensitive: boolean;
  /** Folder or file to search below. */
  readonly scope: string;
  readonly matches: (path: string) => boolean;
  readonly most: number;
}

export interface FoundAt {
  readonly path: string;
  /** Line number, from 1. */
  readonly line: number;
}

export interface TextSearch {
  /** Finds occurrences, by path and line; `truncated` when there are more than `most`. Only `files` are searched. */
  find(
    folder: string,
    files: readonly string[],
    query: TextQuery,
  ): Promise<{ readonly found: readonly FoundAt[]; readonly truncated: boolean }>;
}

/** Search for a text without a program. Regular expressions are refused: one could run for ever here. */
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

/** Length limit of a line: a generated one can be as long as its file. */
const MOST_SNIPPET = 4_000;

/** Snippets around each occurrence; each file is read once. A file that has disappeared has none. */
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
