import { readFileSync, readdirSync } from 'node:fs';
import { createReplica, fromHex, generateKeys, toHex } from '@weft/core';
import { type ProvenEntry, valueProofs } from '@weft/core/proofs';
import { describe, expect, it } from 'vitest';

/** Proof of a page or of a part of a text, with the room that it is of, and what it says or that it must be refused. */
interface Vector {
  readonly rule: string;
  readonly title: string;
  readonly refused?: true;
  readonly room: string;
  readonly authorities: readonly string[];
  readonly genesis: string;
  readonly packs: readonly string[];
  /** What a replica had that was there before nodes were erased. */
  readonly before?: readonly string[];
  readonly signed: string;
  readonly proof: string;
  readonly page?: { readonly prefix: string; readonly after?: Named };
  readonly next?: Named | null;
  readonly entries?: readonly unknown[];
  readonly part?: { readonly key: string; readonly from: number; readonly to: number };
  readonly text?: string;
}
interface Named {
  readonly k: string;
  readonly kind: ProvenEntry['kind'];
}

const folder = new URL('../../conformance/values/', import.meta.url);
const vectors = readdirSync(folder)
  .sort()
  .map((file) => ({ file, vector: JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Vector }));

function described({ key: k, kind, shown }: ProvenEntry) {
  if (shown?.form === 'bytes') return { k, kind, form: 'bytes', bytes: toHex(shown.bytes) };
  if (shown?.form === 'blob') return { k, kind, form: 'blob', hash: toHex(shown.hash) };
  if (shown?.form === 'list') return { k, kind, form: 'list', items: shown.items.map(toHex) };
  return { k, kind, form: 'text', text: shown?.text };
}

const named = (entry: Named | undefined) => entry && { key: entry.k, kind: entry.kind };

describe('vectors of values', () => {
  for (const { file, vector } of vectors)
    it(`[${vector.rule}] ${vector.refused ? 'refuses ' : ''}${vector.title} (${file})`, async () => {
      const { room, authorities, page, part } = vector;
      const checks = await valueProofs({ room, authorities });
      const proof = { signed: fromHex(vector.signed), proof: fromHex(vector.proof) };
      const after = named(page?.after);
      const read = page
        ? await checks.page(proof, { prefix: page.prefix, ...(after && { after }) })
        : await checks.part(proof, { ...part!, kind: 'text' });
      if (vector.refused) return expect(read).toBeUndefined();
      if (!read) throw new Error('it was not proved');
      if ('entries' in read) {
        expect(read.entries.map(described)).toEqual(vector.entries);
        expect(read.after).toEqual(named(vector.next ?? undefined));
      } else expect(read.value).toBe(vector.text);
      for (const packs of [vector.packs, ...(vector.before ? [[...vector.before, ...vector.packs]] : [])]) {
        const replica = await createReplica({ genesis: fromHex(vector.genesis), keys: generateKeys() });
        for (const pack of packs) await replica.receive(fromHex(pack));
        expect([await replica.valueRoot(), replica.stateHash]).toEqual([toHex(read.at.root), read.at.stateHash]);
      }
    });
});
