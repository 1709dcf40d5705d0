/** What was written, node by node, in the order of the log. Rules RP1 to RP3. */
import type { Globs } from '../access/glob.js';
import type { ElementRef, Op } from '../codec/op.js';
import { toHex } from '../codec/bytes.js';
import type { Json } from '../codec/canonical-json.js';
import type { NodeDescription } from '../room/nodes.js';
import { Pauses } from '../room/pauses.js';
import type { Room } from '../room/room.js';
import { invalid } from './descriptor.js';
import { jsonOf } from './json.js';
import { PAGE, clamped } from './pages.js';

export interface ReplayItem extends NodeDescription {
  readonly touchedKeys: readonly string[];
  /** Absent where they are too many for an answer. */
  readonly ops: readonly Json[] | undefined;
}

export interface ReplayRange {
  readonly items: readonly ReplayItem[];
  readonly limit: number;
  readonly next: string | null;
}

export interface ReplayRequest {
  readonly keyPrefix: string;
  readonly fromLamport: number;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Characters of ops on a page, and of one node's. */
const UNITS = 1024 * 1024;

export async function replay(room: Room, request: ReplayRequest, readable: Globs | undefined): Promise<ReplayRange> {
  const { keyPrefix, fromLamport } = request;
  const limit = clamped(request.limit, PAGE.most);
  const sight = room.nodes.sight({ readable });
  const isWanted = (key: string): boolean => key.startsWith(keyPrefix);
  const pauses = new Pauses();
  const items: ReplayItem[] = [];
  const end = room.seq;
  let at = placeOf(request.cursor, end);
  for (let units = 0; at < end && items.length < limit && units < UNITS; at++) {
    if (pauses.due(1 + room.nodes.opsIn(at, at + 1))) await pauses.take();
    const description = room.nodes.describe(at);
    if (description.lamport < fromLamport || sight?.has(at)) continue;
    const found = room.nodes.opsOf(at, isWanted);
    if (found.length === 0 && keyPrefix !== '') continue;
    const ops = found.map(opAsJson);
    const size = JSON.stringify(ops).length;
    const touchedKeys = [...new Set(found.map(({ key }) => key))];
    if (items.length > 0 && size <= UNITS && units + size > UNITS) break;
    items.push({ ...description, touchedKeys, ops: size > UNITS ? undefined : ops });
    units += size > UNITS ? 0 : size;
  }
  return { items, limit, next: at < end ? `seq:${at}` : null };
}

function placeOf(cursor: string | undefined, end: number): number {
  if (cursor === undefined) return 0;
  const place = Number(/^seq:(0|[1-9]\d{0,15})$/.exec(cursor)?.[1] ?? Number.NaN);
  if (!(place <= end)) throw invalid('cursor: not of this log');
  return place;
}

/** As it was written: elements are named as the author named them. */
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
  }
}

function anchorAsJson({ ref, side }: { readonly ref: ElementRef | null; readonly side: string }): Json {
  return { ref: ref === null ? null : elementAsJson(ref), side };
}

function elementAsJson(ref: ElementRef): Json {
  return typeof ref === 'number' ? ref : { node: toHex(ref.node), offset: ref.offset };
}
