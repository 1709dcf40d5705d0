/** Language server pool: few at a time, stopped when idle. */
import { realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rejection } from '@weft/core';
import { refusal } from '../../reasons.js';
import { readBytes } from '../files/file-in-folder.js';
import { NodeLanguageServer } from './node-language-server.js';
import type { NodeProcesses } from '../programs/node-processes.js';
import {
  type DocumentSymbol,
  DocumentSymbols,
  type FileSymbols,
  type LanguageServer,
  type Location,
  Locations,
  type Position,
  type SymbolLocation,
  type SymbolQuery,
  type Symbols,
  WorkspaceSymbols,
  declared,
  findWord,
  outlineOf,
  symbolAt,
  wordAt,
  wordStarts,
} from './symbols.js';

const IDLE_MS = 5 * 60_000;
const MOST_SERVERS = 4;
/** Sites looked at for one symbol name. */
const MOST_NAMESAKES = 20;

export interface SymbolsOptions {
  readonly servers?: readonly LanguageServer[];
  readonly idleMs?: number;
}

interface Kept {
  readonly server: Promise<NodeLanguageServer>;
  timer: NodeJS.Timeout | undefined;
  busy: number;
}

export class NodeSymbols implements Symbols {
  readonly #processes: NodeProcesses;
  readonly #servers: readonly LanguageServer[];
  readonly #idleMs: number;
  /** Servers, least recently used first. */
  readonly #kept = new Map<string, Kept>();

  constructor(processes: NodeProcesses, { servers = [], idleMs = IDLE_MS }: SymbolsOptions = {}) {
    this.#processes = processes;
    // Configured servers come first.
    this.#servers = [...servers, typescriptServer(createRequire(import.meta.url))];
    this.#idleMs = idleMs;
  }

  async find(named: string, files: readonly string[], query: SymbolQuery) {
    // Servers answer with real paths.
    const folder = await realpath(named);
    const known = new Set(files);
    const found: SymbolLocation[] = [];
    for (const server of this.#serversFor(files, query)) {
      const locations = await this.#with(server, folder, async (running) => {
        await running.refresh(files, query.path);
        return ask(running, folder, known, query);
      });
      found.push(...locations);
    }
    return { locations: found.slice(0, query.most), truncated: found.length > query.most };
  }

  async outline(named: string, files: readonly string[], paths: readonly string[]) {
    const folder = await realpath(named);
    const found: FileSymbols[] = [];
    for (const server of this.#serversFor(paths, {})) {
      const mine = paths.filter((path) => server.extensions.includes(extname(path)));
      await this.#with(server, folder, async (running) => {
        await running.refresh(files, undefined);
        for (const path of mine) found.push({ path, symbols: outlineOf(await symbolsIn(running, path)) });
      });
    }
    return found;
  }

  #serversFor(files: readonly string[], { path }: Pick<SymbolQuery, 'path'>): LanguageServer[] {
    const extensions = new Set((path === undefined ? files : [path]).map((one) => extname(one)));
    const found = this.#servers.filter((server) => server.extensions.some((extension) => extensions.has(extension)));
    // The first of several servers for a language.
    const chosen = found.filter(
      (server, i) =>
        !found.slice(0, i).some((other) => other.extensions.some((one) => server.extensions.includes(one))),
    );
    if (chosen.length > 0) return chosen;
    const supported = this.#servers.flatMap((server) => server.extensions);
    throw refusal('reject.language_unsupported', `no symbols are known of ${path ?? 'what lies here'}`, { supported });
  }

  async #with<T>(
    server: LanguageServer,
    folder: string,
    work: (running: NodeLanguageServer) => Promise<T>,
  ): Promise<T> {
    const key = `${server.languageId} ${folder}`;
    const kept = this.#kept.get(key) ?? this.#start(key, server, folder);
    clearTimeout(kept.timer);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    kept.busy += 1;
    try {
      return await work(await kept.server);
    } finally {
      kept.busy -= 1;
      if (kept.busy === 0) {
        kept.timer = setTimeout(() => this.#end(key), this.#idleMs);
        kept.timer.unref();
      }
    }
  }

  #start(key: string, server: LanguageServer, folder: string): Kept {
    const idle = [...this.#kept].filter(([, { busy }]) => busy === 0);
    for (const [other] of idle.slice(0, Math.max(this.#kept.size + 1 - MOST_SERVERS, 0))) this.#end(other);
    if (this.#kept.size >= MOST_SERVERS)
      throw refusal('reject.busy', `${MOST_SERVERS} language servers are at work; try again`);
    const kept: Kept = {
      server: NodeLanguageServer.start(this.#processes, server, folder).catch((error: unknown) => {
        throw advised(error, server);
      }),
      timer: undefined,
      busy: 0,
    };
    const forget = (): void => {
      clearTimeout(kept.timer);
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    };
    kept.server.then((running) => running.gone.then(forget), forget);
    return kept;
  }

  #end(key: string): void {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    clearTimeout(kept?.timer);
    kept?.server.then((running) => running.stop()).catch(() => undefined);
  }
}

async function ask(
  running: NodeLanguageServer,
  folder: string,
  known: ReadonlySet<string>,
  query: SymbolQuery,
): Promise<SymbolLocation[]> {
  const texts = new Texts(folder);
  const symbolsOf = (path: string) => symbolsIn(running, path);
  const sites = await sitesOf(running, texts, known, symbolsOf, query);
  const found: Location[] = [];
  // A named symbol is defined where it was found.
  if (query.question === 'definition' && query.path === undefined)
    found.push(...sites.map(({ path, at }) => ({ uri: running.uriOf(path), range: { start: at, end: at } })));
  else
    for (const { path, at } of sites) {
      const context = query.question === 'references' ? { context: { includeDeclaration: true } } : {};
      const params = { textDocument: { uri: running.uriOf(path) }, position: at, ...context };
      found.push(...(await running.ask(`textDocument/${query.question}`, params, Locations)));
    }
  const locations = new Map<string, SymbolLocation>();
  const outlines = new Map<string, readonly DocumentSymbol[]>();
  for (const { uri, range } of found) {
    const path = pathIn(folder, uri);
    const key = `${path}:${range.start.line}:${range.start.character}`;
    // Files of dependencies do not count. One more than wanted is collected, to know whether there are more.
    if (!known.has(path) || locations.has(key) || locations.size > query.most) continue;
    if (!outlines.has(path)) outlines.set(path, await symbolsOf(path));
    const lines = await texts.lines(path);
    locations.set(key, {
      path,
      line: range.start.line + 1,
      column: range.start.character + 1,
      symbolName: wordAt(lines[range.start.line] ?? '', range.start.character),
      ...symbolAt(outlines.get(path) ?? [], range.start),
    });
  }
  return [...locations.values()].sort((a, b) =>
    a.path === b.path ? a.line - b.line || a.column - b.column : a.path < b.path ? -1 : 1,
  );
}

function symbolsIn(running: NodeLanguageServer, path: string): Promise<readonly DocumentSymbol[]> {
  return running.ask('textDocument/documentSymbol', { textDocument: { uri: running.uriOf(path) } }, DocumentSymbols);
}

interface Site {
  readonly path: string;
  readonly at: Position;
}

/** Sites of the symbol in question. */
async function sitesOf(
  running: NodeLanguageServer,
  texts: Texts,
  known: ReadonlySet<string>,
  symbolsOf: (path: string) => Promise<readonly DocumentSymbol[]>,
  { symbol, path, line, column }: SymbolQuery,
): Promise<Site[]> {
  if (path === undefined) {
    const found = await running.ask('workspace/symbol', { query: symbol ?? '' }, WorkspaceSymbols);
    const sites: Site[] = [];
    for (const { name, location } of found.filter((one) => one.name === symbol)) {
      const inFile = pathIn(texts.folder, location.uri);
      if (!known.has(inFile) || sites.length === MOST_NAMESAKES) continue;
      // Some servers answer the whole declaration, with the name somewhere in it.
      const at = findWord(await texts.lines(inFile), name, location.range.start) ?? location.range.start;
      sites.push({ path: inFile, at });
    }
    return sites;
  }
  const lines = await texts.lines(path);
  if (line !== undefined && column !== undefined) return [{ path, at: { line: line - 1, character: column - 1 } }];
  if (line !== undefined) {
    const start = { line: line - 1, character: 0 };
    // A line without a name is about all that is named in it.
    if (symbol === undefined)
      return wordStarts(lines[start.line] ?? '')
        .slice(0, MOST_NAMESAKES)
        .map((character) => ({ path, at: { ...start, character } }));
    const at = findWord(lines.slice(0, line), symbol, start);
    return at ? [{ path, at }] : [];
  }
  const [declaration] = declared(await symbolsOf(path), symbol ?? '');
  const at = declaration ?? findWord(lines, symbol ?? '', { line: 0, character: 0 });
  return at ? [{ path, at }] : [];
}

/** Path of a file URI inside the folder; empty for any other URI. */
function pathIn(folder: string, uri: string): string {
  return uri.startsWith('file:') ? relative(folder, fileURLToPath(uri)).replaceAll('\\', '/') : '';
}

/** Line cache: each file is read once for a question. */
class Texts {
  readonly folder: string;
  readonly #lines = new Map<string, Promise<readonly string[]>>();

  constructor(folder: string) {
    this.folder = folder;
  }

  lines(path: string): Promise<readonly string[]> {
    const held = this.#lines.get(path) ?? this.#read(path);
    this.#lines.set(path, held);
    return held;
  }

  async #read(path: string): Promise<readonly string[]> {
    return ((await readBytes(this.folder, path))?.toString('utf8') ?? '').split('\n');
  }
}

/** The error, with what to do about it where the program of the server is missing. */
function advised(error: unknown, { advice }: LanguageServer): unknown {
  const isMissing = error instanceof Rejection && error.reason === 'reject.program_not_started';
  if (!isMissing || advice === undefined) return error;
  return refusal('reject.program_not_started', `${error.message}: ${advice}`, error.data);
}

/**
 * TypeScript's native compiler, of TypeScript 7 where that is installed beside us; else another server of the machine.
 * It is no dependency: it would be a third of an install, and only repositories in TypeScript need it.
 */
export function typescriptServer(packages: NodeRequire): LanguageServer {
  const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];
  const about = { languageId: 'typescript', extensions };
  const platform = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
  const found = resolved(platform, packages) ?? resolvedFor('typescript/package.json', platform, packages);
  if (found === undefined) {
    const advice = 'for symbols of TypeScript, run npm install typescript@7 where Weft is installed';
    return { ...about, command: ['typescript-language-server', '--stdio'], advice };
  }
  const program = join(dirname(found), 'lib', process.platform === 'win32' ? 'tsc.exe' : 'tsc');
  return { ...about, command: [program, '--lsp', '--stdio'] };
}

function resolved(name: string, packages: NodeRequire): string | undefined {
  try {
    return packages.resolve(name);
  } catch {
    return undefined;
  }
}

/** What the package that `owner` belongs to would find: npm may have put it inside of that. */
function resolvedFor(owner: string, name: string, packages: NodeRequire): string | undefined {
  const at = resolved(owner, packages);
  return at === undefined ? undefined : resolved(name, createRequire(at));
}
