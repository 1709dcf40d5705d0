import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../bytes/bytes.js';
import { type PackedNode, addNodes, nodeAt } from '../packs/packed-node.js';
import { nodeId } from '../testing/nodes.js';
import { NodeTable } from './node-table.js';
import type { Op } from './op.js';

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
