import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { type Pack, DecodeError, decodePack, encodePack, fromHex, toHex } from '@weft/core';
import { describe, expect, it } from 'vitest';

/** A pack in hex and what it says, or that it must be refused. Bytes are hex; `value: null` deletes. */
interface Vector {
  readonly rule: string;
  readonly title: string;
  readonly hex: string;
  readonly refused?: true;
  /** Whether a writer gives exactly these bytes; deflate leaves it a choice. */
  readonly encodes?: boolean;
  readonly nodes?: readonly VectorNode[];
  readonly seals?: readonly { readonly index: number; readonly signature: string }[];
}
interface VectorNode {
  readonly id: string;
  readonly canonical: string | null;
  readonly room: string;
  readonly author: string;
  readonly prev: string | null;
  readonly parents: readonly string[];
  readonly wall_ms: number | null;
  readonly ops: readonly { readonly key: string; readonly value: string | null }[];
}

const folder = new URL('pack/', import.meta.url);
const vectors = readdirSync(folder)
  .sort()
  .map((file): { file: string; vector: Vector } => ({
    file,
    vector: JSON.parse(readFileSync(new URL(file, folder), 'utf8')),
  }));
const named = (wanted: boolean) => vectors.filter(({ vector }) => (vector.refused === true) === wanted);

function packOf({ nodes = [], seals = [] }: Vector): Pack {
  return {
    nodes: nodes.map(({ id, room, author, prev, parents, wall_ms: wallMs, ops }) => ({
      id: fromHex(id),
      room: fromHex(room),
      author: fromHex(author),
      ...(prev === null ? {} : { prev: fromHex(prev) }),
      parents: parents.map(fromHex),
      ...(wallMs === null ? {} : { wallMs }),
      ops: ops.map(({ key, value }) => (value === null ? { key } : { key, value: fromHex(value) })),
    })),
    seals: seals.map(({ index, signature }) => ({ index, signature: fromHex(signature) })),
  };
}

/** A pack as a vector writes it. */
function described({ nodes, seals }: Pack) {
  return {
    nodes: nodes.map(({ id, room, author, prev, parents, wallMs = null, ops }) => ({
      id: toHex(id),
      room: toHex(room),
      author: toHex(author),
      prev: prev ? toHex(prev) : null,
      parents: parents.map(toHex),
      wall_ms: wallMs,
      ops: ops.map(({ key, value }) => ({ key, value: value ? toHex(value) : null })),
    })),
    seals: seals.map(({ index, signature }) => ({ index, signature: toHex(signature) })),
  };
}

describe('pack vectors', () => {
  for (const { file, vector } of named(false)) {
    it(`[${vector.rule}] ${vector.title} (${file})`, () => {
      const expected = { nodes: vector.nodes?.map(({ canonical: _, ...node }) => node), seals: vector.seals };
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

  for (const { file, vector } of named(true)) {
    it(`[${vector.rule}] refuses ${vector.title} (${file})`, () => {
      expect(() => decodePack(fromHex(vector.hex))).toThrow(DecodeError);
    });
  }
});
