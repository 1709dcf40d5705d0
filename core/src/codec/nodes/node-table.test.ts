import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from '../bytes/byte-reader.js';
import { ByteWriter } from '../bytes/byte-writer.js';
import { toHex } from '../bytes/bytes.js';
import { loadPacked, savePacked } from '../bytes/packed-column.js';
import { type PackedNode, addNodes, nodeAt } from '../packs/packed-node.js';
import { nodeId } from '../testing/nodes.js';
import { lending, letGo, takeBack } from './dormant.js';
import { NodeTable } from './node-table.js';
import { OP_SET } from './op-kinds.js';
import type { Op } from './op.js';
import { WHOLE, loadTable, saveTable } from './saved-table.js';

const bytes = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

/** Ops of which some name other nodes, some have content, some neither. */
function opsOf(kind: number, ref: Uint8Array): Op[] {
  const far = { node: ref, offset: 3 };
  if (kind === 0) return [];
  if (kind === 1) return [{ kind: 'delete', key: 'a' }];
  if (kind === 2) return [{ kind: 'set', key: 'b', value: Uint8Array.of(0xa3, 0x61, 0x62, 0x63) }];
  if (kind === 3) return [{ kind: 'text-insert', key: 't', anchor: { ref: far, side: 'right' }, text: 'héllo' }];
  const anchor = { ref: { node: bytes(200), offset: 1 }, side: 'left' } as const;
  return [
    { kind: 'list-move', key: 'l', item: far, anchor },
    { kind: 'delete', key: 'c' },
  ];
}

const shapes = fc.array(
  fc.record({ kind: fc.nat(4), prev: fc.nat(6), parent: fc.nat(12), author: fc.nat(2), kept: fc.boolean() }),
  { minLength: 1, maxLength: 24 },
);
type Shape = typeof shapes extends fc.Arbitrary<infer T> ? T : never;

function nodesOf(drawn: Shape): PackedNode[] {
  const nodes: PackedNode[] = [];
  for (const [index, { kind, prev, parent, author }] of drawn.entries()) {
    const before = nodes[index - prev - 1];
    const joined = nodes[index - parent - 1];
    const other = joined && joined !== before ? [joined.id] : [];
    const links = { ...(before ? { prev: before.id } : {}), parents: other.length > 0 ? other : [bytes(100 + index)] };
    const ops = opsOf(before ? kind : Math.max(kind, 1), joined?.id ?? bytes(150));
    const wall = kind % 2 === 0 ? { wallMs: index } : {};
    const unique: Op = { kind: 'delete', key: `${index}` };
    const fields = {
      room: bytes(1),
      author: bytes(2 + author),
      ...links,
      ...wall,
      ops: kind % 2 === 0 ? ops : [...ops, unique],
    };
    nodes.push({ ...fields, id: nodeId(fields), counter: 0 });
  }
  return nodes;
}

/** These nodes as those of a room are: all that they name is among them. */
function closed(nodes: readonly PackedNode[]): PackedNode[] {
  const made: PackedNode[] = [];
  for (const [index, { room, author, ops }] of nodes.entries()) {
    const before = made.at(-1);
    const links = before && toHex(before.author) === toHex(author) ? { prev: before.id, parents: [] } : {};
    const own = ops.filter(({ kind }) => kind === 'set' || kind === 'delete');
    const anchor = { ref: before ? { node: before.id, offset: 0 } : null, side: 'right' } as const;
    const edit: Op = { kind: 'text-insert', key: 't', anchor, text: `é${index}` };
    const fields = { room, author, parents: before ? [before.id] : [], ...links, ops: [...own, edit] };
    made.push({ ...fields, id: nodeId(fields), counter: index });
  }
  return made;
}

/** Copies: contents are views of the table. */
const all = (table: NodeTable): PackedNode[] =>
  Array.from({ length: table.size }, (_, place) => structuredClone(nodeAt(table, place)));

describe('a table of which some nodes are kept', () => {
  it('[PK2] holds these, as they were, in their order, and goes on', () => {
    fc.assert(
      fc.property(shapes, fc.boolean(), (drawn, isSearched) => {
        const nodes = nodesOf(drawn);
        const table = addNodes(nodes);
        const kept = drawn.map(({ kept }) => kept);
        if (isSearched) expect(table.index.hasRepeats).toBe(false);
        const before = all(table).filter((_, place) => kept[place]);
        const places = table.retain(Uint8Array.from(kept, Number));
        expect(all(table)).toEqual(before);
        expect([...places].filter((place) => place >= 0)).toEqual(before.map((_, place) => place));
        for (const [place, { id }] of before.entries()) {
          const words = new NodeTable();
          const at = words.outsideNumber(table.ids.values, place * 8);
          expect([toHex(id), table.index.find(words.outside.values, at * 8)]).toEqual([
            toHex(nodeAt(table, place).id),
            place,
          ]);
        }
        const again = table.retain(new Uint8Array(table.size));
        expect([table.size, table.ops, again.length]).toEqual([0, 0, before.length]);
      }),
      { numRuns: 250 },
    );
  });
});

describe('a table that is written down for this machine', () => {
  it.each([
    ['whole', WHOLE],
    ['packed', { save: savePacked, load: loadPacked }],
  ])('[ST10] is read as it was, %s', (_, form) => {
    fc.assert(
      fc.property(shapes, (drawn) => {
        const table = addNodes(closed(nodesOf(drawn)));
        const [out, read] = [new ByteWriter(), new NodeTable()];
        saveTable(table, out, form);
        const input = new ByteReader(out.finish());
        loadTable(read, input, form);
        input.end();
        expect(all(read)).toEqual(all(table));
      }),
      { numRuns: 100 },
    );
  });
});

describe('values of a table', () => {
  it('[DV1] that leave memory leave all others as they were, and are there again when they are taken back', () => {
    fc.assert(
      fc.property(shapes, fc.array(fc.boolean(), { minLength: 50, maxLength: 50 }), (drawn, chosen) => {
        const table = addNodes(nodesOf(drawn));
        const before = all(table);
        const sets = Array.from({ length: table.ops }, (_, op) => op).filter((op) => table.kind(op) === OP_SET);
        const gone = sets.filter((_, at) => chosen[at % chosen.length]);
        const values = new Map(gone.map((op) => [op, table.contentOf(op).slice()]));
        const bytes = [...values.values()].reduce((sum, { length }) => sum + length, 0);
        const length = table.content.length;
        letGo(table, gone);
        expect([table.dormantBytes, table.content.length]).toEqual([bytes, length - bytes]);
        for (const op of gone) expect(table.isDormant(op)).toBe(true);
        expect(lending(table, values, () => all(table))).toEqual(before);
        lending(table, values, () => takeBack(table));
        expect([all(table), table.dormantBytes, table.content.length]).toEqual([before, 0, length]);
      }),
      { numRuns: 100 },
    );
  });
});

it('[ST10] a table tells whether a text is marked in it', () => {
  const ref = { node: bytes(200), offset: 0 };
  const mark: Op = {
    kind: 'text-mark',
    key: 't',
    from: { ref, side: 'left' },
    to: { ref, side: 'right' },
    name: 'bold',
    value: Uint8Array.of(0xc3),
  };
  const fields = { room: bytes(1), author: bytes(2), parents: [bytes(3)] };
  const tables = [opsOf(3, bytes(150)), [...opsOf(3, bytes(150)), mark]].map((ops) =>
    addNodes([{ ...fields, ops, id: nodeId({ ...fields, ops }), counter: 0 }]),
  );
  expect(tables.map(({ hasMarks }) => hasMarks)).toEqual([false, true]);
});
