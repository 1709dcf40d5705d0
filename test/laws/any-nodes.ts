/** Nodes on any earlier ones, with ops that name anything: well-formed, and like nothing that a replica would write. */
import { type NodeFields, type Op, type PackedNode, fromHex, toHex } from '@weft/core';
import fc from 'fast-check';
import { keysOf, nodeOf } from './support.js';

/** Plan of a node; numbers pick among the nodes before it. */
export interface Plan {
  readonly author: number;
  readonly prev: number | undefined;
  readonly parents: readonly number[];
  readonly ops: readonly PlannedOp[];
}
interface PlannedOp {
  readonly kind: number;
  readonly key: string;
  readonly side: 'left' | 'right';
  readonly refs: readonly (number | undefined)[];
  readonly stray: number;
  readonly count: number;
}

const plannedOps = fc.record({
  kind: fc.nat(18),
  key: fc.constantFrom('a', 'a', 'a', 'b'),
  side: fc.constantFrom('left', 'right'),
  refs: fc.tuple(...[1, 2].map(() => fc.option(fc.integer({ min: -30, max: 99 }), { nil: undefined, freq: 9 }))),
  stray: fc.nat(19),
  count: fc.integer({ min: 1, max: 9 }),
});

/** Generator of plans, without bias: numbers choose here, and a choice that is mostly the first makes dull nodes. */
export const plans: fc.Arbitrary<Plan[]> = fc.noBias(
  fc.array(
    fc.record({
      author: fc.integer({ min: 1, max: 3 }),
      // Mostly the newest; each other one forks the chain, none begins another.
      prev: fc.constantFrom(0, 0, 0, 0, 0, 1, 4, undefined),
      parents: fc.array(fc.nat(9), { maxLength: 3, size: 'max' }),
      ops: fc.array(plannedOps, { minLength: 1, maxLength: 3, size: 'max' }),
    }),
    { minLength: 4, maxLength: 24, size: 'max' },
  ),
);

/** An element as an op may name it, and the key that it was meant for. */
interface Named {
  readonly of: string;
  readonly ref: { readonly node: Uint8Array; readonly offset: number };
}

const placeOf = (kind: string, key: string): string => `${kind.slice(0, 4)} ${key}`;

/**
 * Op of a plan. A number from 0 picks among the elements of the key, one below 0 is a counter of the chain, nothing the
 * start.
 */
function planned({ kind, key, side, refs, stray, count }: PlannedOp, elements: readonly Named[], word: string): Op {
  const own = elements.filter(({ of }) => of === placeOf(kind < 6 || kind > 14 ? 'text' : 'list', key));
  const [first, second] = refs.map((ref, i) => {
    if (ref === undefined || ref < 0) return ref && -ref - 1;
    // Now and then an offset beyond the node, or an element of another key.
    const from = stray === 0 ? elements : own;
    // Moved are the first ones of a list, so that several nodes move one.
    const place = i === 1 && kind < 15 ? ref % 4 : from.length - 1 - (ref % (from.length || 1));
    const picked = from[place]?.ref;
    return picked && { ...picked, offset: picked.offset + (stray === 1 ? 3 : 0) };
  });
  const anchor = { ref: first ?? null, side: first === undefined ? 'right' : side };
  const bytes = (text: string): Uint8Array => new Uint8Array([0xa0 + text.length, ...Buffer.from(text)]);
  if (kind === 0) return { kind: 'set', key, value: bytes(word) };
  if (kind === 1) return { kind: 'delete', key };
  if (kind < 4) return { kind: 'text-insert', key, anchor, text: word };
  if (kind < 6) return { kind: 'text-delete', key, last: first ?? 0, count };
  if (kind < 8) return { kind: 'list-insert', key, anchor, values: [bytes(word), bytes(`${word}+`)] };
  if (kind < 9) return { kind: 'list-delete', key, last: first ?? 0, count };
  if (kind < 15) return { kind: 'list-move', key, item: second ?? 0, anchor };
  const to = { ref: second ?? null, side: second === undefined || stray % 2 === 0 ? 'left' : 'right' } as const;
  const value = stray % 5 === 0 ? new Uint8Array([0xc0]) : bytes(word);
  return { kind: 'text-mark', key, from: anchor, to, name: kind === 15 ? 'link' : 'bold', value };
}

/** Number of elements that an op inserts. */
function sizeOf(op: Op): number {
  if (op.kind === 'text-insert') return op.text.length;
  if (op.kind === 'list-insert') return op.values.length;
  return op.kind === 'list-move' ? 1 : 0;
}

/** Nodes of a plan, each after its ancestors; forks and second chains of one author are among them. */
export function drawn(plan: readonly Plan[], room: Uint8Array): PackedNode[] {
  const nodes: PackedNode[] = [];
  const elements: Named[] = [];
  for (const [index, { author, prev, parents, ops }] of plan.entries()) {
    const key = fromHex(keysOf(author).publicKey);
    const own = nodes.filter((node) => toHex(node.author) === toHex(key));
    const before = prev === undefined ? undefined : own[own.length - 1 - (prev % (own.length || 1))];
    const names = new Set(
      parents.flatMap((parent) => nodes[nodes.length - 1 - (parent % (nodes.length || 1))]?.id ?? []).map(toHex),
    );
    if (before) names.delete(toHex(before.id));
    const fields: NodeFields = {
      room,
      author: key,
      ...(before ? { prev: before.id } : {}),
      parents: [...names].sort().map(fromHex),
      ops: ops.map((op, i) => planned(op, elements, `${index}.${i}`)),
    };
    const node = nodeOf(fields);
    // Two that say the same of the same are one node.
    if (nodes.some(({ id }) => toHex(id) === toHex(node.id))) continue;
    nodes.push(node);
    let offset = 0;
    for (const op of node.ops) {
      const of = placeOf(op.kind, op.key);
      for (let left = sizeOf(op); left > 0; left--) elements.push({ of, ref: { node: node.id, offset: offset++ } });
    }
  }
  return nodes;
}
