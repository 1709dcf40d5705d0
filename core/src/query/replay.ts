/** What was written, node by node, in the order of the log, or from an origin on. Rules RP1 to RP4. */
import { z } from 'zod';
import type { Globs } from '../access/glob.js';
import { fromUtf8, toHex } from '../codec/bytes/bytes.js';
import type { Json } from '../codec/bytes/canonical-json.js';
import { decodeValue, encodeValue } from '../codec/bytes/msgpack.js';
import type { ElementRef, Op } from '../codec/nodes/op.js';
import { Pauses } from '../concurrency/pauses.js';
import type { WinningKey } from '../crdt/resolution.js';
import type { NodeDescription } from '../room/reading/room-nodes.js';
import type { Room } from '../room/room.js';
import { invalid } from './descriptor.js';
import { jsonOf } from './json.js';
import type { Origin, Origins } from './origin.js';
import { PAGE, clamped } from './pages.js';

export interface ReplayItem extends NodeDescription {
  readonly touchedKeys: readonly string[];
  /** Absent where they are too many for an answer. */
  readonly ops: readonly Json[] | undefined;
  /** Its ops were given up: there is only its header. */
  readonly isPruned?: boolean;
  /** The checkpoint that the node is of an origin of: its ops are what stood then. */
  readonly origin?: Pick<Origin, 'seq' | 'hash'>;
}

export interface ReplayRange {
  readonly items: readonly ReplayItem[];
  readonly limit: number;
  readonly next: string | null;
}

export interface ReplayRequest {
  readonly keyPrefix: string;
  /** Absent, a replay without a cursor starts from the newest origin, if there is one. */
  readonly fromLamport?: number | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Characters of ops on a page, and of one node's. */
const UNITS = 1024 * 1024;

/** A log position, or one of an origin's nodes. */
type Start = { readonly seq: number } | { readonly origin: Origin; readonly at: number };

export async function replay(
  room: Room,
  origins: Origins,
  request: ReplayRequest,
  readable: Globs | undefined,
): Promise<ReplayRange> {
  const page = new Page(clamped(request.limit, PAGE.most));
  const start = startOf(request, room.seq, origins, readable);
  if (!('seq' in start)) {
    const next = readOrigin(room, origins, start, request, page);
    return { items: page.items, limit: page.limit, next };
  }
  const { to, end } = await readLog(room, start.seq, request, readable, page);
  return { items: page.items, limit: page.limit, next: to < end ? `seq:${to}` : null };
}

/** One page of the log from a position on, and the position behind it: the end of the log where nothing is left. [RP5] */
export async function writtenFrom(
  room: Room,
  from: number,
  request: Pick<ReplayRequest, 'keyPrefix' | 'limit'>,
  readable: Globs | undefined,
): Promise<{ readonly items: readonly ReplayItem[]; readonly to: number }> {
  const page = new Page(clamped(request.limit, PAGE.most));
  const { to } = await readLog(room, from, request, readable, page);
  return { items: page.items, to };
}

class Page {
  readonly limit: number;
  readonly items: ReplayItem[] = [];
  #units = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get isFull(): boolean {
    return this.items.length >= this.limit || this.#units >= UNITS;
  }

  /** False when it takes no more: the item is for the next page. */
  add(item: Omit<ReplayItem, 'touchedKeys' | 'ops'>, keys: readonly string[], ops: readonly Json[]): boolean {
    const size = JSON.stringify(ops).length;
    if (this.items.length > 0 && size <= UNITS && this.#units + size > UNITS) return false;
    this.items.push({ ...item, touchedKeys: [...new Set(keys)], ops: size > UNITS ? undefined : ops });
    this.#units += size > UNITS ? 0 : size;
    return true;
  }
}

async function readLog(
  room: Room,
  from: number,
  { keyPrefix, fromLamport = 0 }: Pick<ReplayRequest, 'keyPrefix' | 'fromLamport'>,
  readable: Globs | undefined,
  page: Page,
): Promise<{ readonly to: number; readonly end: number }> {
  const sight = room.packed.sight({ readable });
  const isWanted = (key: string): boolean => key.startsWith(keyPrefix);
  const pauses = new Pauses();
  const end = room.seq;
  let at = from;
  for (; at < end && !page.isFull; at++) {
    if (pauses.due(1 + room.written.opsIn(at, at + 1))) await pauses.take();
    const description = room.nodes.describe(at);
    if (description.lamport < fromLamport || sight?.has(at)) continue;
    const written = room.written.read(at, isWanted);
    const found = written instanceof Promise ? await written : written;
    if (found.length === 0 && keyPrefix !== '') continue;
    const keys = found.map(({ key }) => key);
    const item = room.hasHeadersIn(at, at + 1) ? { ...description, isPruned: true } : description;
    if (!page.add(item, keys, found.map(opAsJson))) break;
  }
  return { to: at, end };
}

function readOrigin(
  room: Room,
  origins: Origins,
  { origin, at: from }: Extract<Start, { origin: Origin }>,
  { keyPrefix }: ReplayRequest,
  page: Page,
): string {
  const { nodes, seq, hash } = origin;
  let at = from;
  while (at < nodes.length && !page.isFull) {
    const { keys, next } = origins.read(origin, at);
    const found = keys.filter(({ key }) => key.startsWith(keyPrefix));
    const item = { ...room.nodes.describe(nodes[next - 1]!), origin: { seq, hash } };
    const isWanted = found.length > 0 || keyPrefix === '';
    if (
      isWanted &&
      !page.add(
        item,
        found.map(({ key }) => key),
        found.map(winningAsJson),
      )
    )
      break;
    at = next;
  }
  return at < nodes.length ? `origin:${nodes.at(-1)!}.${at}` : `seq:${seq}`;
}

/** Finds where a replay goes on. Whoever may not read everything is not sent origins, and reads the log. */
function startOf(
  { cursor, fromLamport }: ReplayRequest,
  end: number,
  origins: Origins,
  readable: Globs | undefined,
): Start {
  const { newest } = origins;
  if (cursor === undefined)
    return newest && fromLamport === undefined && !readable ? { origin: newest, at: 0 } : { seq: 0 };
  const [, last, at] = /^origin:([1-9]\d{0,15})\.([1-9]\d{0,7})$/.exec(cursor) ?? [];
  const origin = readable ? undefined : origins.endingAt(Number(last));
  if (origin && Number(at) < origin.nodes.length) return { origin, at: Number(at) };
  const seq = Number(/^seq:(0|[1-9]\d{0,15})$/.exec(cursor)?.[1] ?? Number.NaN);
  if (!(seq <= end)) throw invalid('cursor: not of this log');
  return { seq };
}

/** An op as it was written: elements are named as the author named them. */
function opAsJson(op: Op): Json {
  const { kind, key } = op;
  switch (op.kind) {
    case 'set':
      return { kind, key, value: jsonOf(op.value) };
    case 'delete':
      return { kind, key };
    case 'set-blob':
      return { kind, key, hash: toHex(op.hash) };
    case 'text-insert':
      return { kind, key, anchor: anchorAsJson(op.anchor), text: op.text };
    case 'list-insert':
      return { kind, key, anchor: anchorAsJson(op.anchor), values: op.values.map(jsonOf) };
    case 'text-delete':
    case 'list-delete':
      return { kind, key, last: elementAsJson(op.last), count: op.count };
    case 'list-move':
      return { kind, key, item: elementAsJson(op.item), anchor: anchorAsJson(op.anchor) };
    case 'text-mark': {
      const [from, to] = [anchorAsJson(op.from), anchorAsJson(op.to)];
      return { kind, key, from, to, name: op.name, value: jsonOf(op.value) };
    }
  }
}

/** What stood, as if it had just been written. */
function winningAsJson({ key, kind, bytes }: WinningKey): Json {
  const anchor = { ref: null, side: 'right' };
  switch (kind) {
    case 'register':
      return { kind: 'set', key, value: jsonOf(bytes) };
    case 'deleted':
      return { kind: 'delete', key };
    case 'blob':
      return { kind: 'set-blob', key, hash: toHex(bytes) };
    case 'text':
      return { kind: 'text-insert', key, anchor, text: fromUtf8(bytes) };
    case 'list': {
      const items: unknown[] = z.array(z.unknown()).parse(decodeValue(bytes));
      return { kind: 'list-insert', key, anchor, values: items.map((item) => jsonOf(encodeValue(item))) };
    }
  }
}

function anchorAsJson({ ref, side }: { readonly ref: ElementRef | null; readonly side: string }): Json {
  return { ref: ref === null ? null : elementAsJson(ref), side };
}

function elementAsJson(ref: ElementRef): Json {
  return typeof ref === 'number' ? ref : { node: toHex(ref.node), offset: ref.offset };
}
