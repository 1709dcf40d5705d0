/**
 * Language server client for one folder. Before each question the server is told which files have changed on disk, so answers
 * are current without a file watcher.
 */
import { lstat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Rejection } from '@weft/core';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { z } from 'zod';
import { refusal } from '../../reasons.js';
import { readRegular } from '../files/no-links.js';
import type { Group, NodeProcesses } from '../programs/node-processes.js';
import type { LanguageServer } from './symbols.js';

const TIMEOUT_MS = 60_000;
const MOST_OPEN_BYTES = 1 << 20;
/** Files opened where no project file groups them. */
const MOST_LOOSE = 300;
const PROJECT_FILE = /(^|\/)[tj]sconfig(\.[^/]*)?\.json$/;
const [CREATED, CHANGED, DELETED] = [1, 2, 3];
const CAPABILITIES = {
  general: { positionEncodings: ['utf-16'] },
  workspace: { didChangeWatchedFiles: { dynamicRegistration: true }, symbol: {}, configuration: true },
  textDocument: {
    definition: {},
    references: {},
    implementation: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
  },
};

export class NodeLanguageServer {
  readonly #server: LanguageServer;
  readonly #folder: string;
  readonly #connection: MessageConnection;
  readonly #group: Group;
  /** Last seen state of each file. */
  readonly #seen = new Map<string, string>();
  /** Version of each open document. */
  readonly #open = new Map<string, number>();

  private constructor(server: LanguageServer, folder: string, connection: MessageConnection, group: Group) {
    this.#server = server;
    this.#folder = folder;
    this.#connection = connection;
    this.#group = group;
  }

  static async start(processes: NodeProcesses, server: LanguageServer, folder: string): Promise<NodeLanguageServer> {
    const { StreamMessageReader, StreamMessageWriter, createMessageConnection } = await import('vscode-jsonrpc/node');
    const [program = '', ...args] = server.command;
    let connection: MessageConnection | undefined;
    const group = await processes.start({
      folder,
      program,
      args,
      hear: ({ stdin, stdout, stderr }) => {
        stderr.resume();
        connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
        // The process shows how it ends.
        connection.onError(() => undefined);
        connection.onRequest((method, params) => answerOf(method, params));
        connection.listen();
      },
    });
    if (!connection) throw new Error('the program was started without being heard');
    const started = new NodeLanguageServer(server, folder, connection, group);
    void group.gone.then(() => connection?.dispose());
    const uri = pathToFileURL(folder).href;
    const given = { rootUri: uri, workspaceFolders: [{ uri, name: 'workspace' }], capabilities: CAPABILITIES };
    await started.#request('initialize', { processId: process.pid, ...given });
    await connection.sendNotification('initialized', {});
    return started;
  }

  /** Resolves when nothing of it is left. */
  get gone(): Promise<unknown> {
    return this.#group.gone;
  }

  stop(): Promise<void> {
    return this.#group.stop();
  }

  uriOf(path: string): string {
    return pathToFileURL(join(this.#folder, path)).href;
  }

  async ask<Out>(method: string, params: object, out: z.ZodType<Out>): Promise<Out> {
    return out.parse(await this.#request(method, params));
  }

  /** Announces changed files. `path` is a file that the question is about. */
  async refresh(files: readonly string[], path: string | undefined): Promise<void> {
    const changes = await this.#changes(files);
    if (changes.length > 0) await this.#tell('workspace/didChangeWatchedFiles', { changes });
    for (const [opened, version] of [...this.#open]) {
      if (!changes.some(({ uri }) => uri === this.uriOf(opened))) continue;
      await this.#tell('textDocument/didClose', { textDocument: { uri: this.uriOf(opened) } });
      this.#open.delete(opened);
      if (this.#seen.has(opened)) await this.#give(opened, version + 1);
    }
    for (const one of [
      ...firstOfEachProject(files, (file) => this.#isMine(file)),
      ...(path === undefined ? [] : [path]),
    ])
      if (!this.#open.has(one)) await this.#give(one, 1);
  }

  #isMine(path: string): boolean {
    return this.#server.extensions.includes(extname(path));
  }

  async #changes(files: readonly string[]): Promise<{ uri: string; type: number }[]> {
    const now = new Map<string, string>();
    for (const path of files) {
      if (!this.#isMine(path) && !path.endsWith('.json')) continue;
      const found = await lstat(join(this.#folder, path)).catch(() => undefined);
      if (found?.isFile()) now.set(path, `${found.mtimeMs} ${found.size} ${found.ino}`);
    }
    const isFirst = this.#seen.size === 0;
    const changes: { uri: string; type: number }[] = [];
    for (const [path, seen] of now) {
      const before = this.#seen.get(path);
      if (before !== seen && !isFirst)
        changes.push({ uri: this.uriOf(path), type: (before === undefined ? CREATED : CHANGED) ?? 0 });
    }
    for (const path of this.#seen.keys())
      if (!now.has(path)) changes.push({ uri: this.uriOf(path), type: DELETED ?? 0 });
    this.#seen.clear();
    for (const [path, seen] of now) this.#seen.set(path, seen);
    return changes;
  }

  async #give(path: string, version: number): Promise<void> {
    const bytes = await readRegular(this.#folder, path, MOST_OPEN_BYTES).catch(() => undefined);
    if (bytes === undefined) return;
    const text = bytes.toString('utf8');
    const { languageId } = this.#server;
    const textDocument = { uri: this.uriOf(path), languageId: dialectOf(path) ?? languageId, version, text };
    await this.#tell('textDocument/didOpen', { textDocument });
    this.#open.set(path, version);
  }

  async #tell(method: string, params: object): Promise<void> {
    await this.#guarded(method, this.#connection.sendNotification(method, params));
  }

  #request(method: string, params: object): Promise<unknown> {
    return this.#guarded(method, this.#connection.sendRequest(method, params));
  }

  /** Kills a server that does not answer: the next question starts a new one. */
  async #guarded<T>(method: string, asked: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const failed = (why: string): Error =>
      refusal('reject.language_server_failed', `the server for ${this.#server.languageId} ${why}`, { method });
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(failed('did not answer')), TIMEOUT_MS);
    });
    const ended = this.#group.gone.then((): never => {
      throw failed('has ended');
    });
    ended.catch(() => undefined);
    try {
      return await Promise.race([asked, late, ended]);
    } catch (error) {
      void this.stop();
      throw error instanceof Rejection ? error : failed(`failed: ${String(error)}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Default answers to requests that servers send to an editor. */
function answerOf(method: string, params: unknown): unknown {
  if (method !== 'workspace/configuration') return null;
  const items = (params as { items?: unknown } | undefined)?.items;
  return Array.isArray(items) ? items.map(() => null) : [];
}

/** First file of each project, which makes a server look at the whole project. */
function firstOfEachProject(files: readonly string[], isMine: (path: string) => boolean): string[] {
  const projects = files.filter((path) => PROJECT_FILE.test(path)).map((path) => path.replace(/[^/]*$/, ''));
  const first = new Map<string, string>();
  const loose: string[] = [];
  for (const path of files.filter(isMine)) {
    const project = projects.filter((one) => path.startsWith(one)).sort((a, b) => b.length - a.length)[0];
    if (project === undefined) loose.push(path);
    else if (!first.has(project)) first.set(project, path);
  }
  return [...first.values(), ...loose.slice(0, MOST_LOOSE)];
}

function dialectOf(path: string): string | undefined {
  return {
    '.tsx': 'typescriptreact',
    '.jsx': 'javascriptreact',
    '.js': 'javascript',
    '.mjs': 'javascript',
    '.cjs': 'javascript',
  }[extname(path)];
}
