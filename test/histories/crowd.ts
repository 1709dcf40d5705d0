/**
 * Crowd: clients of one room who write, read, join and die over links that somebody else harms. What they asked and were answered
 * is one half of a history; the log of the store is the other one.
 */
import { isDeepStrictEqual } from 'node:util';
import { decode } from '@msgpack/msgpack';
import {
  type RoomClient,
  type RoomId,
  type Store,
  createReplica,
  decodePack,
  fromBase64,
  generateKeys,
  keepRoom,
  toHex,
} from '@weft/core';
import WebSocket from 'ws';
import type { Random } from '../convergence/random.js';
import type { History, Join, Log, Logged, Operation, Seen, Write } from './history.js';

const REGISTERS = ['docs/a', 'docs/b', 'docs/c'];
const LIST = 'docs/list';
/** Writes of one client that wait for their answers. */
const MOST_WAITING = 40;
/** So long a join is waited for. */
const JOIN_MS = 5000;

export interface CrowdParts {
  readonly room: string;
  readonly random: Random;
  /** Port to which each client connects, asked for whenever it does. */
  readonly ports: readonly (() => number)[];
  /** Port for those who join once. */
  readonly joinPort: () => number;
  /** Longest that a client does nothing, in milliseconds, and longest between two joins. */
  readonly idleMs: number;
  readonly joinMs: number;
}

interface Client {
  readonly name: string;
  readonly place: number;
  readonly room: RoomClient;
  waiting: number;
  isDead: boolean;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class Crowd {
  readonly operations: Operation[] = [];
  readonly #parts: CrowdParts;
  readonly #clients: Client[] = [];
  #moment = 0;
  #named = 0;
  joins = 0;
  deaths = 0;
  /** Time of the last write that was acknowledged, by the clock of this process. */
  ackedAt = 0;
  /** What was not well with the last join of `last`. */
  #lastJoin: string | undefined;

  constructor(parts: CrowdParts) {
    this.#parts = parts;
    for (const place of parts.ports.keys()) this.#enter(place);
  }

  get room(): string {
    return this.#parts.room;
  }

  get acknowledged(): number {
    return this.operations.filter((one) => one.kind !== 'read' && one.until !== undefined).length;
  }

  /** Clients that have not got everything, and who joined last where that failed or found less than others have. */
  get waiting(): readonly string[] {
    const late = this.#alive.flatMap(({ name, room }) =>
      room.synced ? [] : [`${this.room} ${name}: ${room.state}, ${room.unconfirmed} nodes, ${String(room.lastError)}`],
    );
    return this.#lastJoin === undefined ? late : [...late, `${this.room} ${this.#lastJoin}`];
  }

  /** Everybody works for as long as it is on. */
  async works(isOn: () => boolean): Promise<void> {
    await Promise.all(
      [...this.#parts.ports.keys()].map((place) => this.#work(place, isOn)).concat(this.#joinOften(isOn)),
    );
  }

  /** All of them die; others take their places. */
  dies(): void {
    for (const client of this.#alive) this.#die(client);
  }

  /** What everybody has, if all have the same. */
  async last(): Promise<{ readonly isSame: boolean } & Pick<History, 'last' | 'lastNodes'>> {
    const join = await this.#join();
    const alive = this.#alive;
    const states = new Set(alive.map(({ room }) => (room.synced ? room.replica.stateHash : undefined)));
    // Whoever joined did so before the last of it came.
    const hasJoinedLate = alive.some(
      ({ room }) => hasJoined(room) && isDeepStrictEqual(seenIn(room.replica), join.seen),
    );
    const isSame = hasJoinedLate && states.size === 1 && !states.has(undefined);
    if (hasJoinedLate) this.#lastJoin = undefined;
    else
      this.#lastJoin = `${join.client}: ${join.seen ? 'found what nobody else has' : `did not join, ${join.failure}`}`;
    const last = alive.flatMap(({ name, room }) =>
      hasJoined(room) ? [{ who: name, seen: seenIn(room.replica) }] : [],
    );
    const joined = join.seen ? [{ who: join.client, seen: join.seen }] : [];
    return { isSame, last: [...last, ...joined], lastNodes: isSame ? join.nodes : undefined };
  }

  close(): void {
    for (const { room } of this.#clients) room.close();
  }

  get #alive(): readonly Client[] {
    return this.#clients.filter(({ isDead }) => !isDead);
  }

  #enter(place: number): void {
    const port = this.#parts.ports[place]!;
    const room = keepRoom({
      open: () => new WebSocket(`ws://127.0.0.1:${port()}/ws/${this.#parts.room}`),
      keys: generateKeys(),
      retry: { firstMs: 50, mostMs: 500 },
    });
    room.joined.catch(() => undefined); // told by what was not answered
    this.#clients.push({ name: `c${++this.#named}`, place, room, waiting: 0, isDead: false });
  }

  async #work(place: number, isOn: () => boolean): Promise<void> {
    const { random, idleMs } = this.#parts;
    while (isOn()) {
      await sleep(random.below(idleMs));
      const client = this.#clients.findLast((one) => one.place === place)!;
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
    this.deaths++;
    this.#enter(client.place);
  }

  #write(client: Client, kind: Write['kind']): void {
    const { replica } = client.room;
    const at = ++this.#moment;
    const value = `${client.name}-${at}`;
    const key = kind === 'set' ? this.#parts.random.pick(REGISTERS) : LIST;
    const write: Write = { client: client.name, kind, key, value, at };
    this.operations.push(write);
    if (kind === 'set') replica.set(key, value);
    else replica.list(key).insert(replica.list(key).length, value);
    client.waiting++;
    client.room.push().then(
      () => {
        client.waiting--;
        write.until = ++this.#moment;
        this.ackedAt = performance.now();
      },
      () => client.waiting--, // nobody knows whether it is kept
    );
  }

  #read({ name, room }: Client): void {
    const at = ++this.#moment;
    this.operations.push({ client: name, kind: 'read', at, until: at, seen: seenIn(room.replica) });
  }

  async #joinOften(isOn: () => boolean): Promise<void> {
    const { random, joinMs } = this.#parts;
    while (isOn()) {
      await sleep(20 + random.below(joinMs));
      await this.#join();
    }
  }

  async #join(): Promise<Join & { failure?: string }> {
    const one: Join & { failure?: string } = { client: `new-${++this.#named}`, kind: 'join', at: ++this.#moment };
    this.operations.push(one);
    try {
      const found = await joinOnce(this.#parts.joinPort(), this.#parts.room);
      this.joins++;
      return Object.assign(one, found, { until: ++this.#moment });
    } catch (error) {
      return { ...one, failure: String(error) }; // cut, or too slow
    }
  }
}

function hasJoined(room: RoomClient): boolean {
  try {
    return room.replica !== undefined;
  } catch {
    return false;
  }
}

/** What can be read of a room, in a client or in a host. */
interface Readable {
  get(key: string): unknown;
  list(key: string): readonly unknown[] | { toArray(): readonly unknown[] };
}

export function seenIn(replica: Readable): Seen {
  const registers: Record<string, string> = {};
  for (const key of REGISTERS) {
    const value = replica.get(key);
    if (value !== undefined) registers[key] = String(value);
  }
  const list = replica.list(LIST);
  return { registers, list: ('toArray' in list ? list.toArray() : list).map(String) };
}

/** All of the room over a connection of its own; rejects when it does not come in time. */
async function joinOnce(port: number, room: string): Promise<Required<Pick<Join, 'seq' | 'seen' | 'nodes'>>> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/${room}`);
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
    const genesis = fromBase64(String(welcome['genesis']));
    const replica = await createReplica({ genesis, keys: generateKeys() });
    const packs = frames.flatMap(({ type, nodes }) => (type === 'pack' ? [fromBase64(String(nodes))] : []));
    for (const pack of packs) await replica.receive(pack);
    const ids = new Set([genesis, ...packs].flatMap((pack) => decodePack(pack).nodes.map(({ id }) => toHex(id))));
    return { seq: Number(welcome['canonical_seq']), seen: seenIn(replica), nodes: ids.size };
  } finally {
    clearTimeout(timer);
    socket.terminate();
  }
}

/** The log of a room as a store that is open has it, read without a host. */
export async function logIn({ log }: Store, room: string): Promise<Log> {
  const records: { seq: number; count: number }[] = [];
  const nodes: Logged[] = [];
  const lamports = new Map<string, number>();
  for await (const { seq, count, pack } of log.read(room as RoomId, 0)) {
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
}
