/** Where symbols are defined, used and implemented: answered by what knows the language, or not at all. */
import { z } from 'zod';

export const SYMBOL_QUESTIONS = ['definition', 'references', 'implementation'] as const;

export interface SymbolQuery {
  readonly question: (typeof SYMBOL_QUESTIONS)[number];
  /** A name. Needed where no place is given. */
  readonly symbol?: string | undefined;
  readonly path?: string | undefined;
  /** From 1, as the column. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly most: number;
}

export interface SymbolLocation {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly symbolName: string;
  readonly containingSymbol?: string;
  readonly kind?: string;
}

export interface Symbols {
  /** `files` are all that count. Refuses languages that nothing here knows. */
  find(
    folder: string,
    files: readonly string[],
    query: SymbolQuery,
  ): Promise<{ readonly locations: readonly SymbolLocation[]; readonly truncated: boolean }>;
}

/** A program that speaks the language server protocol over its input and output. */
export interface LanguageServer {
  /** As the protocol names the language. */
  readonly languageId: string;
  /** With the dot. */
  readonly extensions: readonly string[];
  readonly command: readonly string[];
}

const Position = z.object({ line: z.number(), character: z.number() });
const Range = z.object({ start: Position, end: Position });
export type Position = z.infer<typeof Position>;
type Range = z.infer<typeof Range>;

const Location = z.object({ uri: z.string(), range: Range });
export type Location = z.infer<typeof Location>;
const Link = z
  .object({ targetUri: z.string(), targetSelectionRange: Range })
  .transform(({ targetUri, targetSelectionRange }) => ({ uri: targetUri, range: targetSelectionRange }));

/** One place, several, or none, in either of the two forms that the protocol knows. */
export const Locations = z
  .union([z.array(z.union([Location, Link])), Location, z.null()])
  .transform((found): Location[] => (found === null ? [] : Array.isArray(found) ? found : [found]));

export const WorkspaceSymbols = z
  .array(z.object({ name: z.string(), location: Location }))
  .nullable()
  .transform((found) => found ?? []);

export interface DocumentSymbol {
  readonly name: string;
  readonly kind: number;
  readonly range: Range;
  readonly selectionRange: Range;
  readonly children?: readonly DocumentSymbol[] | undefined;
}
const DocumentSymbol: z.ZodType<DocumentSymbol> = z.object({
  name: z.string(),
  kind: z.number(),
  range: Range,
  selectionRange: Range,
  children: z.lazy(() => z.array(DocumentSymbol)).optional(),
});
export const DocumentSymbols = z
  .array(DocumentSymbol)
  .nullable()
  // The older, flat form says nothing of what contains what.
  .catch([])
  .transform((found) => found ?? []);

/** In the order of their numbers, which begin with 1. */
const KINDS = [
  ...['file', 'module', 'namespace', 'package', 'class', 'method', 'property', 'field', 'constructor', 'enum'],
  ...['interface', 'function', 'variable', 'constant', 'string', 'number', 'boolean', 'array', 'object', 'key', 'null'],
  ...['enum member', 'struct', 'event', 'operator', 'type parameter'],
];

/** What the symbol at a place is, if it is declared there, and what it is in. */
export function symbolAt(
  symbols: readonly DocumentSymbol[],
  position: Position,
): { readonly kind?: string; readonly containingSymbol?: string } {
  let inside: DocumentSymbol | undefined;
  let among: readonly DocumentSymbol[] = symbols;
  for (;;) {
    const found = among.find(({ range }) => holds(range, position));
    const container = inside === undefined ? {} : { containingSymbol: inside.name };
    if (!found) return container;
    if (isAt(found.selectionRange.start, position)) {
      const kind = KINDS[found.kind - 1];
      return { ...container, ...(kind === undefined ? {} : { kind }) };
    }
    inside = found;
    among = found.children ?? [];
  }
}

/** The places at which symbols of this name are declared. */
export function declared(symbols: readonly DocumentSymbol[], name: string): Position[] {
  return symbols.flatMap((one) => [
    ...(one.name === name ? [one.selectionRange.start] : []),
    ...declared(one.children ?? [], name),
  ]);
}

const WORD = /[\p{L}\p{N}_$]+/gu;

/** The word at a place of a line, or the one that begins next. */
export function wordAt(line: string, character: number): string {
  for (const match of line.matchAll(WORD)) if (match.index + match[0].length > character) return match[0];
  return '';
}

/** Where a word first stands by itself, at or after a place. */
export function findWord(lines: readonly string[], word: string, from: Position): Position | undefined {
  for (let line = from.line; line < lines.length; line++)
    for (const match of (lines[line] ?? '').matchAll(WORD))
      if (match[0] === word && (line > from.line || match.index >= from.character))
        return { line, character: match.index };
  return undefined;
}

function holds({ start, end }: Range, position: Position): boolean {
  return compare(start, position) <= 0 && compare(position, end) <= 0;
}

function isAt(one: Position, other: Position): boolean {
  return compare(one, other) === 0;
}

function compare(one: Position, other: Position): number {
  return one.line - other.line || one.character - other.character;
}
