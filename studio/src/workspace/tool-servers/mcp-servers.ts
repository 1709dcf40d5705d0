/**
 * Servers of tools over the Model Context Protocol. A connection is kept for a server and a unit together, since what a server keeps
 * in mind is of one unit; it ends with the unit, when it was not used for a while, and when a call goes wrong.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { refusal } from '../../reasons.js';
import { addressFault } from '../files/allowed-address.js';
import type { NodeProcesses } from '../programs/node-processes.js';
import type { Connection } from './connection.js';
import type { Reach, ServedTool, ServerAnswer, ServerAsked, ToolServers } from './tool-servers.js';
import { removeTree } from '../files/remove-tree.js';

export interface ToolServerOptions {
  /** Hosts, besides this machine, that servers may be reached at over https. */
  readonly toolHosts?: readonly string[];
}

const MOST_CONNECTIONS = 32;
const IDLE_MS = 10 * 60_000;
/** Time limit of a start, which may bring packages first. */
const LONGEST_START_MS = 60_000;

interface Kept {
  readonly workUnitId: string;
  /** Digest of how it is reached: a server that was added anew is reached anew. */
  readonly reached: string;
  readonly opened: Promise<Connection>;
  underWay: number;
  idle: NodeJS.Timeout | undefined;
}

export class McpServers implements ToolServers {
  readonly #processes: NodeProcesses;
  readonly #folder: string;
  readonly #hosts: readonly string[];
  /** By server and unit, the one that was used longest ago first. */
  readonly #kept = new Map<string, Kept>();
  readonly #closing = new Set<Promise<void>>();

  /** `folder` holds the empty folders of programs; it is emptied here. */
  constructor(processes: NodeProcesses, folder: string, { toolHosts = [] }: ToolServerOptions = {}) {
    this.#processes = processes;
    this.#folder = folder;
    this.#hosts = toolHosts;
  }

  async recover(): Promise<void> {
    await removeTree(this.#folder);
  }

  async list(reach: Reach, timeoutMs: number): Promise<readonly ServedTool[]> {
    const connection = await this.#open(reach, timeoutMs);
    try {
      return await connection.tools(timeoutMs);
    } finally {
      await connection.close();
    }
  }

  async call({ reach, ...asked }: ServerAsked): Promise<ServerAnswer> {
    const key = JSON.stringify([asked.workUnitId, asked.server]);
    const kept = await this.#taken(key, asked, reach);
    try {
      const connection = await kept.opened;
      return await connection.call(asked);
    } catch (error) {
      // Nobody knows what it does now: the next call begins it anew.
      this.#drop(key, kept);
      throw error;
    } finally {
      kept.underWay -= 1;
      if (kept.underWay === 0 && this.#kept.get(key) === kept)
        kept.idle = setTimeout(() => this.#drop(key, kept), IDLE_MS).unref();
    }
  }

  end(workUnitId: string): void {
    for (const [key, kept] of this.#kept) if (kept.workUnitId === workUnitId) this.#drop(key, kept);
  }

  async close(): Promise<void> {
    for (const [key, kept] of this.#kept) this.#drop(key, kept);
    await Promise.all(this.#closing);
  }

  /** Connection for one call, which counts as being at work from here on. */
  async #taken(key: string, { workUnitId }: Omit<ServerAsked, 'reach'>, reach: Reach): Promise<Kept> {
    const reached = createHash('sha256').update(JSON.stringify(reach)).digest('hex');
    const known = this.#kept.get(key);
    const isUsable = known?.reached === reached && (await isOpen(known));
    if (known && !isUsable) this.#drop(key, known);
    // Another call may have connected meanwhile.
    const before = this.#kept.get(key);
    if (before?.reached === reached) {
      this.#kept.delete(key);
      this.#kept.set(key, before);
      clearTimeout(before.idle);
      before.underWay += 1;
      return before;
    }
    this.#makeRoom();
    const opened = this.#open(reach, LONGEST_START_MS);
    opened.catch(() => undefined);
    const kept: Kept = { workUnitId, reached, opened, underWay: 1, idle: undefined };
    this.#kept.set(key, kept);
    return kept;
  }

  #makeRoom(): void {
    if (this.#kept.size < MOST_CONNECTIONS) return;
    const [unused] = [...this.#kept].filter(([, { underWay }]) => underWay === 0);
    if (!unused)
      throw refusal(
        'reject.tool_server_unreachable',
        `${MOST_CONNECTIONS} servers are at work already; try again later`,
      );
    this.#drop(...unused);
  }

  async #open(reach: Reach, timeoutMs: number): Promise<Connection> {
    // A server that was added before is asked about too: what the operator allows may have changed.
    const fault = 'url' in reach ? addressFault(reach.url, this.#hosts) : undefined;
    if (fault !== undefined) throw refusal('reject.tool_server_address', fault);
    const folder = join(this.#folder, randomBytes(12).toString('hex'));
    const closed = (): Promise<void> => removeTree(folder);
    if ('command' in reach && reach.folder === undefined) await mkdir(folder, { recursive: true, mode: 0o700 });
    // Loaded where it is needed: most studios have no such server.
    const { Connection } = await import('./connection.js');
    return Connection.open(reach, { processes: this.#processes, folder, closed }, timeoutMs);
  }

  #drop(key: string, kept: Kept): void {
    if (this.#kept.get(key) === kept) this.#kept.delete(key);
    clearTimeout(kept.idle);
    const closing: Promise<void> = kept.opened
      .then((connection) => connection.close())
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

async function isOpen({ opened }: Kept): Promise<boolean> {
  return opened.then(
    (connection) => connection.isOpen,
    () => false,
  );
}
