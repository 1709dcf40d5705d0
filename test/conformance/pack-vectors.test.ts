import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { type ElementRef, type Op, type Pack, DecodeError, decodePack, encodePack, fromHex, toHex } from '@weft/core';
import { describe, expect, it } from 'vitest';

/** Vector: a pack or rows in hex and what they say, or that they must be refused. Bytes are hex, kinds are numbers. */
interface Vector {
  readonly rule: string;
  readonly title: string;
  readonly hex: string;
  readonly refused?: true;
  /** Whether a writer gives exactly these bytes; deflate leaves it a choice. Rows are no pack: they leave this out. */
  readonly encodes?: boolean;
  readonly nodes?: readonly VectorNode[];
  readonly seals?: readonly { readonly index: number; readonly signature: string }[];
  /** Attestation of the authority, if a node is `withheld`. */
  readonly attestation?: { readonly authority: string; readonly signature: string; readonly certificate?: string };
}
interface VectorNode {
  readonly id: string;
  readonly canonical: string | null;
  readonly room: string;
  readonly author: string;
  readonly prev: string | null;
  readonly parents: readonly string[];
  readonly wall_ms: number | null;
  /** Counter of the chain; rows do not say it, so it is 0 there. */
  readonly counter: number;
  readonly ops: readonly VectorOp[];
  readonly withheld?: number;
}
type VectorElement = number | { readonly node: string; readonly offset: number };
interface VectorOp {
  readonly kind: number;
  readonly key: string;
  readonly value?: string;
  readonly hash?: string;
  /** Neighbour of what is inserted; null is the start. */
  readonly element?: VectorElement | null;
  readonly text?: string;
  readonly values?: readonly string[];
  readonly last?: VectorElement;
  readonly count?: number;
  readonly item?: VectorElement;
  /** End of a mark, null for the end of the text; its sides and its name stand below. It begins at `element`. */
  readonly to?: VectorElement | null;
  readonly sides?: number;
  readonly name?: string;
}

const folder = new URL('../../conformance/packs/', import.meta.url);
const vectors = readdirSync(folder)
  .sort()
  .map((file): { file: string; vector: Vector } => ({
    file,
    vector: JSON.parse(readFileSync(new URL(file, folder), 'utf8')),
  }));
const named = (wanted: boolean) => vectors.filter(({ vector }) => (vector.refused === true) === wanted);

function packOf({ nodes = [], seals = [], attestation }: Vector): Pack {
  return {
    nodes: nodes.map(({ id, room, author, prev, parents, wall_ms: wallMs, counter, ops, withheld }) => ({
      id: fromHex(id),
      room: fromHex(room),
      author: fromHex(author),
      ...(prev === null ? {} : { prev: fromHex(prev) }),
      parents: parents.map(fromHex),
      ...(wallMs === null ? {} : { wallMs }),
      counter,
      ops: ops.map(opOf),
      ...(withheld === undefined ? {} : { withheld }),
    })),
    seals: seals.map(({ index, signature }) => ({ index, signature: fromHex(signature) })),
    ...(attestation && {
      attestation: {
        authority: fromHex(attestation.authority),
        signature: fromHex(attestation.signature),
        ...(attestation.certificate === undefined ? {} : { certificate: fromHex(attestation.certificate) }),
      },
    }),
  };
}

/** A pack as a vector writes it. */
function described({ nodes, seals, attestation }: Pack) {
  return {
    nodes: nodes.map(({ id, room, author, prev, parents, wallMs = null, counter, ops, withheld }) => ({
      id: toHex(id),
      room: toHex(room),
      author: toHex(author),
      prev: prev ? toHex(prev) : null,
      parents: parents.map(toHex),
      wall_ms: wallMs,
      counter,
      ops: ops.map(describedOp),
      ...(withheld === undefined ? {} : { withheld }),
    })),
    seals: seals.map(({ index, signature }) => ({ index, signature: toHex(signature) })),
    ...(attestation && {
      attestation: {
        authority: toHex(attestation.authority),
        signature: toHex(attestation.signature),
        ...(attestation.certificate ? { certificate: toHex(attestation.certificate) } : {}),
      },
    }),
  };
}

/** Op of a vector in the engine's form. */
function opOf({ kind, key, value = '', hash = '', element = null, text = '', values = [], ...rest }: VectorOp): Op {
  const { last = 0, count = 0, item = 0 } = rest;
  const anchor = { ref: element === null ? null : refOf(element), side: LEFT.has(kind) ? 'left' : 'right' } as const;
  if (kind === 0) return { kind: 'set', key, value: fromHex(value) };
  if (kind === 1) return { kind: 'delete', key };
  if (kind === 2 || kind === 3) return { kind: 'text-insert', key, anchor, text };
  if (kind === 4) return { kind: 'text-delete', key, last: refOf(last), count };
  if (kind === 5 || kind === 6) return { kind: 'list-insert', key, anchor, values: values.map(fromHex) };
  if (kind === 7) return { kind: 'list-delete', key, last: refOf(last), count };
  if (kind === 8 || kind === 9) return { kind: 'list-move', key, item: refOf(item), anchor };
  if (kind === 11) {
    const { to = null, sides = 0, name = '' } = rest;
    const end = (at: VectorElement | null, side: number) => ({
      ref: at === null ? null : refOf(at),
      side: (sides & side) === 0 ? ('left' as const) : ('right' as const),
    });
    return { kind: 'text-mark', key, from: end(element, 1), to: end(to, 2), name, value: fromHex(value) };
  }
  if (kind === 10) return { kind: 'set-blob', key, hash: fromHex(hash) };
  throw new Error(`no op has the kind ${kind}`);
}

const LEFT = new Set([3, 6, 9]);

function describedOp(op: Op): VectorOp {
  const { key } = op;
  const side = (kind: number): number => ('anchor' in op && op.anchor.side === 'left' ? kind + 1 : kind);
  const element = 'anchor' in op && op.anchor.ref !== null ? describedRef(op.anchor.ref) : null;
  switch (op.kind) {
    case 'set':
      return { kind: 0, key, value: toHex(op.value) };
    case 'delete':
      return { kind: 1, key };
    case 'text-insert':
      return { kind: side(2), key, element, text: op.text };
    case 'text-delete':
      return { kind: 4, key, last: describedRef(op.last), count: op.count };
    case 'list-insert':
      return { kind: side(5), key, element, values: op.values.map(toHex) };
    case 'list-delete':
      return { kind: 7, key, last: describedRef(op.last), count: op.count };
    case 'list-move':
      return { kind: side(8), key, item: describedRef(op.item), element };
    case 'set-blob':
      return { kind: 10, key, hash: toHex(op.hash) };
    case 'text-mark': {
      const [begin, to] = [op.from, op.to].map(({ ref }) => (ref === null ? null : describedRef(ref)));
      const sides = (op.from.side === 'right' ? 1 : 0) | (op.to.side === 'right' ? 2 : 0);
      return { kind: 11, key, element: begin!, to: to!, sides, name: op.name, value: toHex(op.value) };
    }
  }
}

const ROWS = '570102';

/** Rows in hex, from nothing but their canonical bytes. */
function rowsOf({ nodes = [], seals = [] }: Vector): string {
  const rows = nodes.map(({ canonical }) => canonical ?? '');
  const skipped = seals.map(({ index }, i) => index - (seals[i - 1]?.index ?? -1) - 1);
  return [
    ROWS,
    varint(rows.length),
    ...rows.map((row) => varint(row.length / 2) + row),
    varint(seals.length),
    ...seals.map(({ signature }, i) => varint(skipped[i] ?? 0) + signature),
  ].join('');
}

function varint(value: number): string {
  return value < 0x80 ? toHex(Uint8Array.of(value)) : toHex(Uint8Array.of((value % 128) + 128)) + varint(value >> 7);
}

const refOf = (element: VectorElement): ElementRef =>
  typeof element === 'number' ? element : { node: fromHex(element.node), offset: element.offset };
const describedRef = (ref: ElementRef): VectorElement =>
  typeof ref === 'number' ? ref : { node: toHex(ref.node), offset: ref.offset };

describe('pack vectors', () => {
  for (const { file, vector } of named(false)) {
    it(`[${vector.rule}] ${vector.title} (${file})`, () => {
      const { nodes = [], seals, attestation } = vector;
      const expected = {
        nodes: nodes.map(({ canonical: _, ...node }) => node),
        seals,
        ...(attestation && { attestation }),
      };
      expect(described(decodePack(fromHex(vector.hex)))).toEqual(expected);
      expect(described(decodePack(encodePack(packOf(vector))))).toEqual(expected);
      if (vector.encodes === true) expect(toHex(encodePack(packOf(vector)))).toBe(vector.hex);
    });

    it(`[ND1] its ids are the hashes of canonical bytes (${file})`, () => {
      for (const { id, canonical } of vector.nodes ?? []) {
        if (canonical !== null) expect(createHash('sha256').update(canonical, 'hex').digest('hex')).toBe(id);
      }
      expect(decodePack(fromHex(vector.hex)).nodes.map((node) => toHex(node.id))).toEqual(
        vector.nodes?.map(({ id }) => id),
      );
    });
  }

  for (const { file, vector } of named(false).filter(({ vector: { hex } }) => hex.startsWith(ROWS))) {
    it(`[PK10] its rows are canonical bytes (${file})`, () => {
      expect(rowsOf(vector)).toBe(vector.hex);
    });

    it(`[PK10] its rows may be 4,096 and no more (${file})`, () => {
      const [row] = vector.nodes ?? [];
      const times = (count: number) => fromHex(rowsOf({ ...vector, nodes: row ? Array(count).fill(row) : [] }));
      expect(decodePack(times(4096)).nodes).toHaveLength(4096);
      expect(() => decodePack(times(4097))).toThrow(DecodeError);
    });
  }

  for (const { file, vector } of named(true)) {
    it(`[${vector.rule}] refuses ${vector.title} (${file})`, () => {
      expect(() => decodePack(fromHex(vector.hex))).toThrow(DecodeError);
    });
  }
});
