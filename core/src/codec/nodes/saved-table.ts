/**
 * Tables as they are written down for this machine alone, and read again: whoever reads one that was changed gets a `DecodeError`, or
 * a table whose numbers stay among what is there.
 */
import type { ByteReader } from '../bytes/byte-reader.js';
import type { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError } from '../bytes/bytes.js';
import { LogColumn, piecesOf } from '../bytes/log-column.js';
import { loadColumn, saveColumn } from '../bytes/saved-column.js';
import { DIGEST_WORDS } from '../sha256/words.js';
import { Identity } from './identity.js';
import { expectAlike, expectBefore, expectEnds, expectWithin } from './loaded-columns.js';
import { NONE, type NodeTable, outside } from './node-table.js';
import { loadKeys, saveKeys } from './saved-keys.js';

/** Below all references: they are saved as their distance from it. */
const OUTSIDE_LEAST = -(2 ** 31);
const MOST_IDENTITIES = 2 ** 26;
const MOST_NUMBERS = 2 ** 29;
const BYTES = Int32Array.BYTES_PER_ELEMENT;

/** Columns of nodes and of ops, in the order in which they are written down. */
const OF_NODES = ['identity', 'prev', 'parentsEnd', 'opsEnd', 'counter'] as const;
const OF_OPS = ['heads', 'ref', 'at', 'count', 'contentEnd'] as const;

/** How columns are written down, and read again. */
export interface ColumnForm {
  save(column: LogColumn, out: ByteWriter): void;
  load(input: ByteReader): LogColumn;
}

/** Columns as arrays, as `saveColumn`. */
export const WHOLE: ColumnForm = {
  save(column, out) {
    out.varint(column.length);
    out.bytes(new Uint8Array(column.slice(0, column.length).buffer));
  },
  load(input) {
    const count = input.count(BYTES, MOST_NUMBERS);
    return LogColumn.of(new Int32Array(new Uint8Array(input.bytes(count * BYTES)).buffer));
  },
};

/** Puts packed columns, or whatever is made of each, in the place of all. */
export function replaceColumns(
  table: NodeTable,
  by: Readonly<Record<'nodes' | 'parents' | 'ops', (column: LogColumn) => LogColumn>>,
): void {
  for (const name of OF_NODES) table[name] = by.nodes(table[name]);
  table.parents = by.parents(table.parents);
  for (const name of OF_OPS) table[name] = by.ops(table[name]);
}

/** All closed nodes with their ids, but for those that lie in files. */
export function saveTable(table: NodeTable, out: ByteWriter, form: ColumnForm): void {
  const { identities, keys, ids, parents, outside: others, columns, content, walls, withheld, anchors } = table;
  out.varint(identities.list.length);
  for (const { room, author } of identities.list) {
    out.bytes(room);
    out.bytes(author);
  }
  saveKeys(keys, out);
  saveColumn(ids, out);
  for (const column of [...columns.nodes, parents]) form.save(column, out);
  saveColumn(others, out);
  for (const column of columns.ops) form.save(column, out);
  out.sized(content.view());
  for (const notes of [walls, withheld]) {
    out.varint(notes.size);
    for (const [place, note] of notes) {
      out.varint(place);
      out.varint(note);
    }
  }
  out.varint(anchors.size);
  for (const [op, { ref, at }] of anchors) {
    out.varint(op);
    out.varint(ref - OUTSIDE_LEAST);
    out.varint(at);
  }
}

/** Into a table that is empty but for ids that lie in files; how many bytes are dormant is counted where it is not said. */
export function loadTable(table: NodeTable, input: ByteReader, form: ColumnForm, dormantBytes?: number): void {
  const { identities, keys, ids, outside: others, content, walls, withheld, anchors } = table;
  for (let left = input.count(64, MOST_IDENTITIES); left > 0; left--)
    identities.number(new Identity(input.bytes(32).slice(), input.bytes(32).slice()));
  loadKeys(keys, input);
  loadColumn(ids, input);
  for (const name of OF_NODES) table[name] = form.load(input);
  table.parents = form.load(input);
  loadColumn(others, input);
  for (const name of OF_OPS) table[name] = form.load(input);
  content.bytes(input.sized());
  expectSound(table);
  table.dormantBytes = dormantBytes ?? countDormant(table);
  for (const notes of [walls, withheld])
    for (let left = input.count(2, table.size); left > 0; left--) notes.set(placeIn(table, input), input.varint());
  for (let left = input.count(3, table.ops); left > 0; left--)
    anchors.set(input.varint(), { ref: input.varint() + OUTSIDE_LEAST, at: input.varint() });
}

function countDormant(table: NodeTable): number {
  let bytes = 0;
  for (let op = 0; op < table.ops; op++) if (table.isDormant(op)) bytes += table.count.get(op);
  return bytes;
}

function placeIn(table: NodeTable, input: ByteReader): number {
  const place = input.varint();
  if (place >= table.size) throw new DecodeError('a saved table has a note on no node');
  return place;
}

/** Throws `DecodeError` for columns that cannot be those of a graph, whose nodes stand on nodes before them. */
function expectSound(table: NodeTable): void {
  const { size, ops, columns } = table;
  const [heads] = columns.ops;
  expectAlike((size - table.filedTo) * DIGEST_WORDS, [table.ids]);
  expectAlike(size, columns.nodes);
  expectAlike(ops, columns.ops);
  if (table.outside.length % DIGEST_WORDS > 0) throw new DecodeError('a saved table has part of an id');
  expectWithin(table.identity, 0, table.identities.list.length);
  expectBefore(table.prev, NONE);
  expectEnds(table.parentsEnd, table.parents.length);
  expectWithin(table.parents, 0, size);
  for (const node of nodesWithParents(table))
    for (let i = table.firstParent(node); i < table.parentsEnd.get(node); i++)
      if (table.parents.get(i) >= node) throw new DecodeError('a saved table has a node on a later one');
  expectEnds(table.opsEnd, ops);
  expectWithin(heads!, 0, table.keys.names.length * 16);
  expectWithin(table.ref, outside(table.outside.length / DIGEST_WORDS - 1), size);
  expectEnds(table.contentEnd, table.content.length);
}

/** Nodes that have parents, ascending: found by parts of the column that say of many that they have none. */
export function* nodesWithParents({ parentsEnd }: NodeTable): Generator<number> {
  let end = 0;
  for (const { from, to, base, step, above } of piecesOf(parentsEnd)) {
    if (step === 0 && above === 0 && base === end) continue;
    for (let node = from; node < to; node++) {
      if (parentsEnd.get(node) > end) yield node;
      end = parentsEnd.get(node);
    }
  }
}
