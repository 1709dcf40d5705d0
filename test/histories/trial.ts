/**
 * A trial: a real server over a real folder, and clients who write, read and join while the server is killed, stands still and finds
 * its disk full, and links are cut, slow or deaf. What they asked and were answered is a history, beside the log of the folder.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decode } from '@msgpack/msgpack';
import {
  type KeyPair,
  type RoomClient,
  type RoomId,
  createReplica,
  decodePack,
  fromBase64,
  generateKeys,
  keepRoom,
  toHex,
} from '@weft/core';
import { levelStore } from '@weft/core/level';
import { onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { Random } from '../convergence/random.js';
import { type ServedProcess, serveProcess } from '../faults/serving.js';
import { CutLink } from '../support/cut-link.js';
import { tempFolder } from '../support/temp-folder.js';
import { type Violation, check } from './check.js';
import type { History, Join, Log, Logged, Operation, Seen, Write } from './history.js';

const run = promisify(execFile);
const ROOM = 'room' as RoomId;
const CLIENTS = 4;
const REGISTERS = ['docs/a', 'docs/b', 'docs/c'];
const LIST = 'docs/list';
/** Writes of one client that wait for their answers. */
const MOST_WAITING = 40;
/** So long a join is waited for. */
const JOIN_MS = 5000;
/** So long all may take to have everything, once nothing is harmed any more. */
const REST_MS = 90_000;

export interface Figures {
  operations: number;
  acknowledged: number;
  joins: number;
  kills: number;
  stops: number;
  fullDisks: number;
  partitions: number;
  deaths: number;
}

export interface TrialOptions {
  readonly seed: number;
  /** Whether a server that starts again finds what the one before the last had left. */
  readonly isForgetful?: boolean;
}

export interface Ended extends Figures {
  /** Clients that have not got everything, though nothing is harmed any more. */
  readonly waiting: readonly string[];
  readonly history: History;
  readonly violations: readonly Violation[];
}

interface Client {
  readonly name: string;
  readonly keys: KeyPair;
  readonly link: CutLink;
  readonly room: RoomClient;
  waiting: number;
  isDead: boolean;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class Trial {
  readonly #random: Random;
  readonly #folder: string;
  readonly #operations: Operation[] = [];
  readonly #clients: Client[] = [];
  readonly #links: CutLink[];
  readonly #figures: Figures = {
    operations: 0,
    acknowledged: 0,
    joins: 0,
    kills: 0,
    stops: 0,
    fullDisks: 0,
    partitions: 0,
    deaths: 0,
  };
  #served: ServedProcess;
  #moment = 0;
  #named = 0;
  #isOver = false;
  readonly #isForgetful: boolean;

  private constructor(
    { seed, isForgetful = false }: TrialOptions,
    folder: string,
    served: ServedProcess,
    links: CutLink[],
  ) {
    this.#isForgetful = isForgetful;
    [this.#random, this.#folder, this.#served, this.#links] = [new Random(seed), folder, served, links];
  }

  static async of(options: TrialOptions): Promise<Trial> {
    const folder = join(await tempFolder(), 'data');
    const served = await serveProcess('--store', folder);
    const links: CutLink[] = [];
    // The last one is for those who join.
    for (let i = 0; i <= CLIENTS; i++) links.push(await CutLink.before(portOf(served)));
    const trial = new Trial(options, folder, served, links);
    onTestFinished(() => trial.#close());
    return trial;
  }

  /** Everybody works and everything is harmed for so long; then all is well, everybody gets everything, and the history is checked. */
  async lasts(ms: number): Promise<Ended> {
    for (let i = 0; i < CLIENTS; i++) this.#enter(this.#links[i]!);
    const until = Date.now() + ms;
    const isOn = (): boolean => Date.now() < until;
    const working = this.#links.slice(0, CLIENTS).map((link) => this.#work(link, isOn));
    await Promise.all([...working, this.#joinOften(isOn), this.#harm(isOn)]);
    // Whoever lives on sends again what the disk has forgotten.
    if (this.#isForgetful) for (const link of this.#links.slice(0, CLIENTS)) this.#die(this.#clientAt(link));
    const last = await this.#rest();
    const waiting = this.#clients.flatMap(({ name, room, isDead }) =>
      isDead || room.synced ? [] : [`${name}: ${room.state}, ${room.unconfirmed} nodes, ${String(room.lastError)}`],
    );
    await this.#served.weft.kill('SIGTERM');
    const history = { operations: this.#operations, log: await logOf(this.#folder), last };
    this.#figures.operations = this.#operations.length;
    this.#figures.acknowledged = this.#operations.filter(
      (one) => one.kind !== 'read' && one.until !== undefined,
    ).length;
    return { ...this.#figures, history, waiting, violations: check(history) };
  }

  async #close(): Promise<void> {
    this.#isOver = true;
    for (const { room } of this.#clients) room.close();
    for (const link of this.#links) await link.close();
  }

  #enter(link: CutLink): Client {
    const keys = generateKeys();
    const room = keepRoom({
      open: () => new WebSocket(`ws://127.0.0.1:${link.port}/ws/${ROOM}`),
      keys,
      retry: { firstMs: 50, mostMs: 500 },
    });
    room.joined.catch(() => undefined); // told by what was not answered
    const client = { name: `c${++this.#named}`, keys, link, room, waiting: 0, isDead: false };
    this.#clients.push(client);
    return client;
  }

  #clientAt(link: CutLink): Client {
    return this.#clients.findLast((client) => client.link === link)!;
  }

  async #work(link: CutLink, isOn: () => boolean): Promise<void> {
    const random = this.#random;
    while (isOn()) {
      await sleep(random.below(25));
      const client = this.#clientAt(link);
      if (!hasJoined(client.room)) continue;
      const kind = random.below(1000);
      if (kind < 4) this.#die(client);
      else if (kind < 250) this.#read(client);
      else if (client.waiting < MOST_WAITING) this.#write(client, kind < 600 ? 'set' : 'append');
    }
  }

  /** A client ends, with all that it has not sent; somebody else takes its place. */
  #die(client: Client): void {
    client.isDead = true;
    client.room.close();
    this.#figures.deaths++;
    this.#enter(client.link);
  }

  #write(client: Client, kind: Write['kind']): void {
    const { replica } = client.room;
    const at = ++this.#moment;
    const value = `${client.name}-${at}`;
    const key = kind === 'set' ? this.#random.pick(REGISTERS) : LIST;
    const write: Write = { client: client.name, kind, key, value, at };
    this.#operations.push(write);
    if (kind === 'set') replica.set(key, value);
    else replica.list(key).insert(replica.list(key).length, value);
    client.waiting++;
    client.room.push().then(
      () => {
        client.waiting--;
        write.until = ++this.#moment;
      },
      () => client.waiting--, // nobody knows whether it is kept
    );
  }

  #read({ name, room }: Client): void {
    const at = ++this.#moment;
    this.#operations.push({ client: name, kind: 'read', at, until: at, seen: seenIn(room.replica) });
  }

  async #joinOften(isOn: () => boolean): Promise<void> {
    while (isOn()) {
      await sleep(20 + this.#random.below(200));
      await this.#join();
    }
  }

  async #join(): Promise<Join> {
    const one: Join = { client: `new-${++this.#named}`, kind: 'join', at: ++this.#moment };
    this.#operations.push(one);
    const found = await joinOnce(this.#links.at(-1)!.port).catch(() => undefined); // cut, or too slow
    if (!found) return one;
    this.#figures.joins++;
    return Object.assign(one, found, { until: ++this.#moment });
  }

  /** One harm after the other, each kind in its turn. */
  async #harm(isOn: () => boolean): Promise<void> {
    const random = this.#random;
    const link = (): CutLink => random.pick(this.#links);
    const harms = [
      () => this.#restart(),
      () => this.#partition(link(), random.below(800)),
      () => this.#standStill(random.below(1500)),
      () => void (link().delayMs = random.below(80)),
      () => this.#fillDisk(200 + random.below(800)),
      () => this.#partition(link(), random.below(800)),
    ];
    for (let turn = 0; isOn(); turn++) {
      await sleep(100 + random.below(800));
      await harms[turn % harms.length]!();
    }
  }

  async #restart(): Promise<void> {
    this.#figures.kills++;
    await this.#served.weft.kill('SIGKILL');
    if (this.#isForgetful) await this.#forget();
    this.#served = await serveProcess('--store', this.#folder);
    for (const link of this.#links) link.aim(portOf(this.#served));
  }

  /** The disk has again what it had when the server died the last time. */
  async #forget(): Promise<void> {
    const [before, now] = [`${this.#folder}-before`, `${this.#folder}-now`];
    await cp(this.#folder, now, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    if (existsSync(before)) {
      await rm(this.#folder, { recursive: true });
      await cp(before, this.#folder, { recursive: true });
      await rm(before, { recursive: true });
    }
    await rename(now, before);
  }

  async #standStill(ms: number): Promise<void> {
    this.#figures.stops++;
    this.#served.weft.signal('SIGSTOP');
    await sleep(ms);
    this.#served.weft.signal('SIGCONT');
  }

  /** No file of the server's may grow: what its disk says then is that this does not fit. */
  async #fillDisk(ms: number): Promise<void> {
    this.#figures.fullDisks++;
    await this.#limitFiles('1');
    await sleep(ms);
    await this.#limitFiles('unlimited');
  }

  async #limitFiles(bytes: string): Promise<void> {
    await run('prlimit', ['--pid', String(this.#served.weft.pid), `--fsize=${bytes}:unlimited`]);
  }

  async #partition(link: CutLink, ms: number): Promise<void> {
    this.#figures.partitions++;
    const mode = this.#random.pick(['pass', 'deaf', 'closed'] as const);
    link.become(mode);
    if (mode !== 'deaf') link.cut();
    await sleep(ms);
    link.become('pass');
    link.cut(); // what a deaf link has lost is missing in the middle
  }

  /** Nothing is harmed any more; answers what everybody has when all have the same. */
  async #rest(): Promise<History['last']> {
    for (const link of this.#links) [link.delayMs] = [0, link.become('pass')];
    await this.#restart();
    const alive = this.#clients.filter(({ isDead }) => !isDead);
    const until = Date.now() + REST_MS;
    for (;;) {
      const join = await this.#join();
      const rooms = alive.map(({ room }) => room);
      const states = new Set(rooms.map((room) => (room.synced ? room.replica.stateHash : undefined)));
      const isSame = join.seen !== undefined && states.size === 1 && !states.has(undefined);
      if (!isSame && !this.#isOver && Date.now() < until) {
        await sleep(50);
        continue;
      }
      const last = alive.flatMap(({ name, room }) =>
        hasJoined(room) ? { who: name, seen: seenIn(room.replica) } : [],
      );
      return join.seen ? [...last, { who: join.client, seen: join.seen }] : last;
    }
  }
}

function portOf({ audience }: ServedProcess): number {
  return Number(audience.split(':')[1]);
}

function hasJoined(room: RoomClient): boolean {
  try {
    return room.replica !== undefined;
  } catch {
    return false;
  }
}

function seenIn(replica: RoomClient['replica']): Seen {
  const registers: Record<string, string> = {};
  for (const key of REGISTERS) {
    const value = replica.get(key);
    if (value !== undefined) registers[key] = String(value);
  }
  const list = replica.list(LIST);
  return { registers, list: ('toArray' in list ? list.toArray() : list).map(String) };
}

/** All of the room over a connection of its own; rejects when it does not come in time. */
async function joinOnce(port: number): Promise<{ readonly seq: number; readonly seen: Seen }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/${ROOM}`);
  const timer = setTimeout(() => socket.terminate(), JOIN_MS);
  try {
    const frames = await new Promise<readonly Record<string, unknown>[]>((resolve, reject) => {
      const all: Record<string, unknown>[] = [];
      socket.on('open', () => socket.send(JSON.stringify({ type: 'hello' })));
      socket.on('message', (data: Buffer) => {
        const frame = JSON.parse(String(data)) as Record<string, unknown>;
        all.push(frame);
        if (frame['type'] === 'pack' && frame['final'] === true) resolve(all);
      });
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the connection was closed')));
    });
    const welcome = frames.find(({ type }) => type === 'welcome')!;
    const replica = await createReplica({ genesis: fromBase64(String(welcome['genesis'])), keys: generateKeys() });
    for (const { type, nodes } of frames) if (type === 'pack') await replica.receive(fromBase64(String(nodes)));
    return { seq: Number(welcome['canonical_seq']), seen: seenIn(replica) };
  } finally {
    clearTimeout(timer);
    socket.terminate();
  }
}

/** The log as the folder has it, read without a host. */
async function logOf(folder: string): Promise<Log> {
  const store = levelStore(folder);
  await store.open();
  const records: { seq: number; count: number }[] = [];
  const nodes: Logged[] = [];
  const lamports = new Map<string, number>();
  try {
    for await (const { seq, count, pack } of store.log.read(ROOM, 0)) {
      records.push({ seq, count });
      for (const { id, author, prev, parents, ops } of decodePack(pack).nodes) {
        const before = [...parents, ...(prev ? [prev] : [])].map((parent) => lamports.get(toHex(parent)) ?? 0);
        const lamport = Math.max(-1, ...before) + 1;
        lamports.set(toHex(id), lamport);
        const writes = ops.flatMap((op): Logged['writes'] => {
          if (op.kind === 'set' && REGISTERS.includes(op.key))
            return [{ kind: 'set', key: op.key, value: String(decode(op.value)) }];
          if (op.kind !== 'list-insert') return [];
          return op.values.map((value) => ({ kind: 'append', key: op.key, value: String(decode(value)) }));
        });
        nodes.push({ id: toHex(id), author: toHex(author), lamport, writes });
      }
    }
    return { records, nodes };
  } finally {
    await store.close();
  }
}
