/** Symbol port: where symbols are defined, used and implemented, answered by language servers or not at all. */
import { z } from 'zod';

export const SYMBOL_QUESTIONS = ['definition', 'references', 'implementation'] as const;

export interface SymbolQuery {
  readonly question: (typeof SYMBOL_QUESTIONS)[number];
  /** Name. Needed without a position. */
  readonly symbol?: string | undefined;
  readonly path?: string | undefined;
  /** Line from 1; so is the column. */
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

/** Symbol that a file declares, or a member of one. */
export interface OutlineSymbol {
  readonly name: string;
  /** Line from 1. */
  readonly line: number;
  /** Symbols that it is in. */
  readonly depth: number;
  readonly kind?: string;
}

export interface FileSymbols {
  readonly path: string;
  readonly symbols: readonly OutlineSymbol[];
}

export interface Symbols {
  /** What these of the files declare, as far as anything here knows their language. Refuses where it knows none of them. */
  outline(folder: string, files: readonly string[], paths: readonly string[]): Promise<readonly FileSymbols[]>;
  /** Finds symbols. Only `files` count. Refuses languages that nothing here knows. */
  find(
    folder: string,
    files: readonly string[],
    query: SymbolQuery,
  ): Promise<{ readonly locations: readonly SymbolLocation[]; readonly truncated: boolean }>;
}

/** Language server: a program that speaks the language server protocol over stdin and stdout. */
export interface LanguageServer {
  /** Language id of the protocol. */
  readonly languageId: string;
  /** File extensions, with the dot. */
  readonly extensions: readonly string[];
  readonly command: readonly string[];
  /** What to do where the program is missing. */
  readonly advice?: string;
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

/** Locations: one, several, or none, in either form of the protocol. */
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
  // The older, flat form does not say what contains what.
  .catch([])
  .transform((found) => found ?? []);

/** Symbol kinds by number, which begins with 1. */
const KINDS = [
  ...['file', 'module', 'namespace', 'package', 'class', 'method', 'property', 'field', 'constructor', 'enum'],
  ...['interface', 'function', 'variable', 'constant', 'string', 'number', 'boolean', 'array', 'object', 'key', 'null'],
  ...['enum member', 'struct', 'event', 'operator', 'type parameter'],
];

/** Kinds whose members are seen from outside. */
const OPEN: readonly string[] = ['module', 'namespace', 'package', 'class', 'enum', 'interface', 'object', 'struct'];

/** Symbols and their members; not what stands inside of functions. */
export function outlineOf(symbols: readonly DocumentSymbol[], depth = 0): OutlineSymbol[] {
  return symbols.flatMap(({ name, kind: number, selectionRange, children = [] }) => {
    const kind = KINDS[number - 1];
    const one = { name, line: selectionRange.start.line + 1, depth, ...(kind === undefined ? {} : { kind }) };
    return [one, ...(OPEN.includes(kind ?? '') ? outlineOf(children, depth + 1) : [])];
  });
}

/** Kind of the symbol that is declared at a position, and its container. */
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

/** Positions at which symbols of this name are declared. */
export function declared(symbols: readonly DocumentSymbol[], name: string): Position[] {
  return symbols.flatMap((one) => [
    ...(one.name === name ? [one.selectionRange.start] : []),
    ...declared(one.children ?? [], name),
  ]);
}

const WORD = /[\p{L}\p{N}_$]+/gu;

/** Word at a position of a line, or the next one. */
export function wordAt(line: string, character: number): string {
  for (const match of line.matchAll(WORD)) if (match.index + match[0].length > character) return match[0];
  return '';
}

/** Where the words of a line begin. */
export function wordStarts(line: string): number[] {
  return [...line.matchAll(WORD)].map(({ index }) => index);
}

/** First occurrence of a whole word at or after a position. */
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
