import { describe, expect, it } from 'vitest';
import { fromHex } from '../codec/bytes/bytes.js';
import { decodeValue, encodeValue } from '../codec/bytes/msgpack.js';
import type { Anchor, ElementRef, Op } from '../codec/nodes/op.js';
import { Graph } from '../graph/graph.js';
import { type PublicKey, NO_ROOM } from '../graph/node.js';
import { type Node, addTo, identify, orders } from '../graph/testing/nodes.js';
import { Document } from './document.js';
import { StateHash } from './state-hash.js';

const [ann, bob, cy] = ['a', 'b', 'c'].map((letter) => letter.repeat(64) as PublicKey) as [
  PublicKey,
  PublicKey,
  PublicKey,
];

interface Links {
  readonly prev?: Node;
  readonly parents?: readonly Node[];
}
function make(author: PublicKey, { prev, parents = [] }: Links, ...ops: readonly Op[]): Node {
  const ids = parents.map(({ id }) => id).sort();
  return identify({ room: NO_ROOM, author, ...(prev ? { prev: prev.id } : {}), parents: ids, ops });
}

const start: Anchor = { ref: null, side: 'right' };
const right = (ref: ElementRef): Anchor => ({ ref, side: 'right' });
const left = (ref: ElementRef): Anchor => ({ ref, side: 'left' });
const of = ({ id }: Node, offset: number): ElementRef => ({ node: fromHex(id), offset });
const type = (anchor: Anchor, text: string, key = 't'): Op => ({ kind: 'text-insert', key, anchor, text });
const erase = (last: ElementRef, count = 1, key = 't'): Op => ({ kind: 'text-delete', key, last, count });
const list = (anchor: Anchor, ...items: readonly string[]): Op => ({
  kind: 'list-insert',
  key: 'l',
  anchor,
  values: items.map(encodeValue),
});
const drop = (last: ElementRef, count = 1): Op => ({ kind: 'list-delete', key: 'l', last, count });
const move = (item: ElementRef, anchor: Anchor): Op => ({ kind: 'list-move', key: 'l', item, anchor });

/** Text `t`, text `u` and list `l`, which must be the same in every order. */
function read(...nodes: readonly Node[]): { readonly t: string; readonly u: string; readonly l: string } {
  const answers = new Set<string>();
  for (const order of orders(nodes)) {
    const graph = new Graph();
    const document = new Document(graph, StateHash);
    for (const node of addTo(graph, order)) document.apply(node);
    const [t = '', u = ''] = ['t', 'u'].map((key) => document.textNamed(key)?.toString());
    const l = (document.listNamed('l')?.values() ?? []).map(decodeValue).join(' ');
    answers.add(JSON.stringify({ t, u, l }));
  }
  expect(answers.size).toBe(1);
  return JSON.parse([...answers][0] ?? '');
}

describe('siblings', () => {
  it('[SQ2] stand in the order of lamport first, on both sides', () => {
    const base = make(cy, {}, type(start, '.'));
    const early = [make(bob, { parents: [base] }, type(right(of(base, 0)), 'b'), type(left(of(base, 0)), 'B'))];
    const step = make(ann, { parents: [base] }, { kind: 'delete', key: 'k' });
    const late = make(ann, { prev: step }, type(right(of(base, 0)), 'a'), type(left(of(base, 0)), 'A'));
    expect(read(base, ...early, step, late).t).toBe('BA.ba');
  });

  it('[SQ2] stand in the order of their authors at one lamport, then of node ids, then of counters', () => {
    const base = make(cy, {}, type(start, '.'));
    const by = (author: PublicKey, text: string): Node =>
      make(author, { parents: [base] }, type(right(of(base, 0)), text), type(left(of(base, 0)), text));
    expect(read(base, by(bob, 'b'), by(ann, 'a'), by(cy, 'c')).t).toBe('abc.abc');
    const twins = ['x', 'y', 'z'].map((text) => by(ann, text));
    const byId = twins.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ ops }) => (ops[0] as { text: string }).text);
    expect(read(base, ...twins).t).toBe(`${byId.join('')}.${byId.join('')}`);
    const twice = make(ann, { parents: [base] }, ...['1', '2', '3'].map((text) => type(right(of(base, 0)), text)));
    expect(read(base, twice).t).toBe('.123');
  });

  it('[SQ1] are read left children, element, right children, each further unit the right child of the one before', () => {
    const base = make(ann, {}, type(start, 'ad'), type(right(0), 'b'), type(left(1), 'c'), type(left(0), '<'));
    // `d` is the first right child of `a`, so what comes later beside `a` is behind it and all that is under it.
    expect(read(base).t).toBe('<acdb');
  });
});

describe('an op that names what its author cannot have known', () => {
  const known = make(ann, {}, type(start, 'known'), type(start, 'other', 'u'), list(start, 'i', 'j'));
  const unseen = make(bob, {}, type(start, 'unseen'), list(start, 'k'));
  const before = (): string => read(known, unseen).t;

  it.each<[string, Op]>([
    ['text beside an element of a node that is here, but not in its past', type(right(of(unseen, 0)), 'xyz')],
    [
      'text beside an element that no node here has',
      type(right({ node: new Uint8Array(32).fill(9), offset: 0 }), 'xyz'),
    ],
    ['text beside an offset beyond the node', type(right(of(known, 12)), 'xyz')],
    ['text beside an element of another text', type(right(of(known, 5)), 'xyz')],
    ['text beside an item', type(left(of(known, 10)), 'xyz')],
    ['text beside an element that it inserts itself', type(right(0), 'xyz')],
    ['text beside an element that it may insert later', type(left(3), 'xyz')],
  ])('[SQ3] has no effect, and its elements are counted: %s', (_, op) => {
    const node = make(cy, { parents: [known] }, op, type(right(of(known, 4)), '!'), type(right(3), '?'));
    const after = make(cy, { prev: node }, type(right(4), '.'), erase(3));
    expect(read(known, unseen, node, after).t).toBe(before().replace('known', 'known?.'));
  });

  it.each<[string, Op]>([
    ['a deletion of a node not in its past', erase(of(unseen, 2), 2)],
    ['a deletion of a node that nobody has', erase({ node: new Uint8Array(32).fill(9), offset: 0 })],
    ['a deletion that ends beyond the node', erase(of(known, 12), 8)],
    ['a deletion of an element not yet inserted', erase(0)],
    ['a deletion of an element of another text', erase(of(known, 5))],
    ['a deletion of an item', erase(of(known, 11))],
    ['a deletion that begins before the first element', erase(of(known, 4), 6)],
    ['a deletion of items in a text', drop(of(known, 4), 5)],
    ['a deletion of items not in its past', drop(of(unseen, 6))],
    ['a move of an item not in its past', move(of(unseen, 6), start)],
    ['a move of a unit of text', move(of(known, 0), start)],
    ['a move beside an item not in its past', move(of(known, 10), right(of(unseen, 6)))],
    ['a move beside a unit of text', move(of(known, 10), left(of(known, 0)))],
    ['a move of an item not yet inserted', move(0, start)],
    ['a move beside its own place', move(of(known, 10), right(0))],
  ])('[SQ3] changes nothing: %s', (_, op) => {
    const node = make(cy, { parents: [known] }, op);
    expect(read(known, unseen, node)).toEqual(read(known, unseen));
  });

  it('[SQ3] spares everything when a deletion ends behind what its author has inserted', () => {
    for (const last of [7, 8, 2 ** 30]) {
      const node = make(cy, { parents: [known] }, type(start, 'written'), erase(last, 4), erase(last, 2 ** 30));
      expect(read(known, node).t).toBe(read(known, make(cy, { parents: [known] }, type(start, 'written'))).t);
    }
  });

  it('[SQ3] hides those of a deletion’s elements that the key has, whatever lies between them', () => {
    // 0-1 in `t`, 2-3 in `u`, 4 an item, 5-6 in `t`, and 7-8 without effect.
    const mixed = make(
      ann,
      {},
      type(start, 'ab'),
      type(start, 'cd', 'u'),
      list(start, 'i'),
      type(right(1), 'ef'),
      type(right(99), 'gh'),
    );
    for (const node of [
      make(bob, { parents: [mixed] }, erase(of(mixed, 8), 8)),
      make(ann, { prev: mixed }, erase(8, 8)),
      make(ann, { prev: mixed }, erase(5), erase(6), erase(1)),
    ]) {
      expect(read(mixed, node)).toEqual({ t: 'a', u: 'cd', l: 'i' });
    }
    expect(read(mixed, make(bob, { parents: [mixed] }, erase(of(mixed, 8), 9, 'u'))).u).toBe('');
    expect(read(mixed, make(bob, { parents: [mixed] }, drop(of(mixed, 8), 9)))).toEqual({ t: 'abef', u: 'cd', l: '' });
  });

  it('[SQ3] deletes backwards along prev links, through nodes and forks, also from somebody else’s element', () => {
    const first = make(ann, {}, type(start, 'abc'));
    const here = make(ann, { prev: first }, type(right(2), 'de'));
    const there = make(ann, { prev: first }, type(right(2), 'fg'));
    const base = [first, here, there];
    const text = read(...base).t;
    expect([...text].sort().join('')).toBe('abcdefg');
    const without = (units: string): string => [...text].filter((unit) => !units.includes(unit)).join('');
    expect(read(...base, make(bob, { parents: [there] }, erase(of(there, 0), 3))).t).toBe(without('bcf'));
    expect(read(...base, make(bob, { parents: [here] }, erase(of(here, 1), 5))).t).toBe(without('abcde'));
    expect(read(...base, make(ann, { prev: here }, erase(4, 3))).t).toBe(without('cde'));
    expect(read(...base, make(ann, { prev: there }, erase(4, 3))).t).toBe(without('cfg'));
    // The other branch is named by its node, as anybody's would be.
    expect(read(...base, make(ann, { prev: there, parents: [here] }, erase(of(here, 1), 2))).t).toBe(without('de'));
    expect(read(...base, make(ann, { prev: there }, erase(of(here, 1), 2))).t).toBe(text);
  });

  it('[SQ3] takes an element of the own chain also by its node', () => {
    const first = make(ann, {}, type(start, 'ac'));
    const next = make(ann, { prev: first }, type(right(of(first, 0)), 'b'), erase(of(first, 1)), type(right(2), 'd'));
    expect(read(first, next).t).toBe(
      read(make(ann, {}, type(start, 'ac'), type(right(0), 'b'), erase(1), type(right(2), 'd'))).t,
    );
  });
});

describe('moves', () => {
  const base = make(ann, {}, list(start, 'a', 'b', 'c'));
  const moved = (author: PublicKey, links: Links, ...ops: readonly Op[]): Node =>
    make(author, { parents: [base], ...links }, ...ops);

  it('[LS1] the greatest wins: by lamport, then author, then node id, then counter', () => {
    const toEnd = moved(ann, {}, move(of(base, 0), right(of(base, 2))));
    const toMiddle = moved(bob, {}, move(of(base, 0), left(of(base, 2))));
    expect(read(base, toEnd, toMiddle).l).toBe('b a c');
    const step = moved(ann, {}, { kind: 'delete', key: 'k' });
    const later = make(ann, { prev: step, parents: [base] }, move(of(base, 0), right(of(base, 2))));
    expect(read(base, step, later, toMiddle).l).toBe('b c a');
    const twins = ['k', 'l'].map((key) =>
      moved(cy, {}, { kind: 'delete', key }, move(of(base, 0), key === 'k' ? left(of(base, 2)) : right(of(base, 2)))),
    );
    const winner = twins.toSorted((a, b) => (a.id < b.id ? -1 : 1)).at(-1);
    expect(read(base, ...twins, toMiddle).l).toBe(winner === twins[0] ? 'b a c' : 'b c a');
    const both = moved(cy, {}, move(of(base, 0), right(of(base, 2))), move(of(base, 0), left(of(base, 2))));
    expect(read(base, both).l).toBe('b a c');
  });

  it('[LS1] a deleted item is nowhere, whoever moves it before, after or meanwhile', () => {
    const gone = moved(ann, {}, drop(of(base, 1)));
    const away = moved(bob, {}, move(of(base, 1), right(of(base, 2))));
    const again = make(cy, { parents: [gone, away] }, move(of(base, 1), start), drop(of(base, 1)));
    expect(read(base, gone, away).l).toBe('a c');
    expect(read(base, gone, away, again).l).toBe('a c');
  });

  it('[LS1] a place that an item has left still carries what was put beside it', () => {
    const away = moved(ann, {}, move(of(base, 0), right(of(base, 2))));
    // `b` and `c` hang under `a` as well, and came before `x`.
    const beside = moved(bob, {}, list(right(of(base, 0)), 'x'), list(left(of(base, 0)), 'w'));
    const there = make(cy, { parents: [away] }, list(right(of(away, 0)), 'y'));
    expect(read(base, away, beside, there).l).toBe('w b c a y x');
  });

  it('[SQ3] a place that no item could have is no place', () => {
    const vain = moved(bob, {}, move({ node: new Uint8Array(32), offset: 0 }, right(of(base, 2))));
    const beside = make(cy, { parents: [vain, base] }, list(right(of(vain, 0)), 'x'), list(right(of(base, 2)), 'y'));
    expect(read(base, vain, beside).l).toBe('a b c y');
  });
});
