import { describe, expect, it } from 'vitest';
import { encodeValue } from '../codec/bytes/msgpack.js';
import type { ElementRef, Op } from '../codec/nodes/op.js';
import { encodeNode } from '../codec/testing/nodes.js';
import { type NodeId, type PublicKey, NO_ROOM, weightOf } from './node.js';
import { type Node, packNode, tableOf } from './testing/nodes.js';

const wide = '\u20ac'.repeat(1000);
const foreign = (fill: number): ElementRef => ({ node: new Uint8Array(32).fill(fill), offset: 2 ** 30 });
const beside = (ref: ElementRef) => ({ ref, side: 'right' }) as const;

describe('the weight of a node', () => {
  it.each<[string, Op]>([
    ['a short value', { kind: 'set', key: 'k', value: encodeValue(1) }],
    ['a long value', { kind: 'set', key: wide, value: encodeValue(wide) }],
    ['a delete', { kind: 'delete', key: wide }],
    ['a blob', { kind: 'set-blob', key: wide, hash: new Uint8Array(32) }],
    ['a keystroke', { kind: 'text-insert', key: 'k', anchor: beside(0), text: 'a' }],
    ['a text', { kind: 'text-insert', key: wide, anchor: beside(foreign(9)), text: wide }],
    ['a deletion', { kind: 'list-delete', key: wide, last: foreign(1), count: 2 ** 30 }],
    ['a move', { kind: 'list-move', key: wide, item: foreign(1), anchor: beside(foreign(2)) }],
    [
      'many items',
      {
        kind: 'list-insert',
        key: wide,
        anchor: beside(foreign(9)),
        values: Array.from({ length: 70_000 }, () => encodeValue(1)),
      },
    ],
  ])('[ND5] is at least as much as its bytes: %s', (_, op) => {
    const names = Array.from({ length: 256 }, (__, i) => (i + 1).toString(16).padStart(64, '0') as NodeId);
    for (const parents of [[], names]) {
      for (const ops of [[op], Array.from({ length: 20 }, () => op)]) {
        const id = 'f'.repeat(64) as NodeId;
        const node: Node = { id, room: NO_ROOM, author: 'a'.repeat(64) as PublicKey, parents, wallMs: 2 ** 48, ops };
        expect(weightOf(tableOf([node]), 0)).toBeGreaterThanOrEqual(encodeNode(packNode(node)).length);
      }
    }
  });
});
