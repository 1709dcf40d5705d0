import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Globs } from '../access/glob.js';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { richText } from '../client/marks/rich-text.js';
import { ByteReader } from '../codec/bytes/byte-reader.js';
import { toHex } from '../codec/bytes/bytes.js';
import { readEntries } from '../crdt/value-tree/entry-proof.js';
import { openValueRoot } from '../crdt/value-tree/value-root.js';
import { type ProvenEntry, type ProvenPage, ValueProofs } from '../crdt/value-tree/verify-values.js';
import { silent } from '../ports/telemetry.js';
import type { Room } from '../room/room.js';
import { EDITS, edit, id, join, open, pull, push } from '../testing/open-rooms.js';
import type { Asker } from './answers.js';
import { rowsOfEntries } from './proven-projection.js';
import { Queries } from './queries.js';

const ann: Asker = { name: 'ann', read: undefined };
const LATEST = undefined;

async function begun() {
  const store = memoryStore();
  const room = await open(store);
  const queries = new Queries(room, silent);
  return { store, room, queries, checks: checking(room) };
}

const checking = (room: Room) =>
  new ValueProofs(defaultCrypto, { room: id, authorities: room.constitution.authorities });

const pageOf = (
  queries: Queries,
  asked: { prefix?: string; after?: ProvenPage['after']; limit?: number; selector?: unknown },
) =>
  queries.prove((proofs) =>
    proofs.page({ selector: LATEST, prefix: '', limit: undefined, ...asked, after: asked.after }, ann),
  );

/** All pages, as somebody reads them who believes none of what comes. */
async function readAll(queries: Queries, checks: ValueProofs, prefix = '', limit = 2, selector: unknown = LATEST) {
  const entries: ProvenEntry[] = [];
  for (let after: ProvenPage['after'] = undefined; ;) {
    const page = await checks.page(await pageOf(queries, { prefix, limit, selector, after }), {
      prefix,
      ...(after && { after }),
    });
    if (!page) throw new Error('a page was not proved');
    entries.push(...page.entries);
    if (!page.after) return { entries, at: page.at };
    after = page.after;
  }
}

const namedOnly = ({ key, kind }: ProvenEntry): ProvenEntry => ({ key, kind });

const edits = fc.array(fc.record({ by: fc.nat(1), kind: fc.constantFrom(...EDITS), at: fc.nat(1000) }), {
  minLength: 5,
  maxLength: 25,
});

describe('proofs of what a room shows', () => {
  it('[VR1] [VR3] [VR7] pages hold all that a replica shows, under the root that it works out itself, as the room is and was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edits, { minLength: 1, maxLength: 3 }), async (parts) => {
        const { room, queries, checks } = await begun();
        // A room that was never written to has another hash than a replica, which holds the genesis. [GN3]
        await room.set('h0', 0);
        const replicas = [await join(room), await join(room)];
        const stood: { seq: number; root: string; entries: unknown }[] = [];
        for (const steps of parts) {
          for (const { by, ...one } of steps) await edit(replicas[by]!, room, one);
          for (const replica of replicas) await push(replica, room);
          const reader = await join(room);
          await pull(reader, room);
          const { entries, at } = await readAll(queries, checks);
          expect([toHex(at.root), at.stateHash, at.count]).toEqual([
            await reader.valueRoot(),
            reader.stateHash,
            entries.length,
          ]);
          for (const { key, kind, value, spans } of entries) {
            const held = reader.resolve(key);
            expect(value).toEqual(kind === 'register' ? held.value : held[kind]);
            if (spans) expect(spans).toEqual(richText(reader, key).spans());
          }
          for (const key of ['t', 'l', 'r0', 'r1', 'r2', 'h0', 'h1', 'h2'])
            for (const kind of ['register', 'text', 'list'] as const) {
              const held = reader.resolve(key)[kind === 'register' ? 'value' : kind];
              const isThere = held !== undefined;
              const proof = await pageOf(queries, { prefix: key, limit: 3 });
              const proven = await checks.value(proof, key, kind);
              if (!proven) throw new Error('a value was not proved');
              expect([proven.entry !== undefined, proven.entry?.value]).toEqual([isThere, held]);
            }
          stood.push({ seq: room.seq, root: toHex(at.root), entries });
        }
        for (const { seq, root, entries } of stood) {
          const before = await readAll(queries, checks, '', 3, {
            selector: 'seq',
            canonical_seq: seq,
          });
          expect([toHex(before.at.root), before.at.seq, before.entries]).toEqual([root, seq, entries]);
        }
      }),
      { numRuns: 6 },
    );
  });

  it('[VR7] what a query finds in proved entries is the projection, digest included', async () => {
    const { room, queries, checks } = await begun();
    const replica = await join(room);
    for (const [at, name] of ['b', 'a', '𐐷', '\uFFFD', 'c/d'].entries()) replica.set(`docs/${name}`, { at, name });
    replica.text('docs/a').insert(0, 'written');
    replica.text('docs/gone').insert(0, 'x');
    replica.text('docs/gone').delete(0, 1);
    replica.list('docs/l').insert(0, 1, 'two', null);
    replica.setBlob('docs/blob', 'ab'.repeat(32));
    replica.set('other', 1);
    await push(replica, room);
    const descriptors = [
      { prefix: 'docs/' },
      { prefix: 'docs/', kind: 'register', where: [{ field: 'at', op: 'gt', value: 1 }] },
      { prefix: 'docs/', order_by: { field: 'at', direction: 'desc' }, limit: 2, select: ['name'] },
      { glob: 'docs/*', kind: 'text' },
      {},
    ];
    for (const [number, descriptor] of descriptors.entries()) {
      await queries.register(`q${number}`, '1', descriptor, 'ann');
      const { checkpoint, digest } = await queries.build(`p${number}`, `q${number}`, undefined, ann);
      const selector = { selector: 'hash', canonical_hash: checkpoint.hash };
      replica.set('docs/later', number);
      await push(replica, room);
      const { entries, at } = await readAll(queries, checks, descriptor.prefix, 2, selector);
      expect(at.stateHash).toBe(checkpoint.hash);
      const proven = await rowsOfEntries(descriptor, entries);
      const { rows } = await queries.read(`p${number}`, { limit: 1000 }, ann);
      expect(proven?.rows).toEqual(rows.map(({ row, value }) => ({ k: row.key, kind: row.kind, v: value })));
      expect([rows.length > 0, proven?.digest]).toEqual([true, digest]);
    }
  });

  it('[VR5] whatever is left out of a page or put into it is noticed: what is read is a beginning of what is there, never with a gap', async () => {
    const { room, queries, checks } = await begun();
    const replica = await join(room);
    for (let at = 0; at < 12; at++) replica.set(`k${at}`, at);
    replica.text('k5').insert(0, 'text');
    await push(replica, room);
    const proof = await pageOf(queries, { prefix: 'k', limit: 100 });
    const { entries } = (await checks.page(proof, { prefix: 'k' }))!;
    expect(entries).toHaveLength(13);
    const other = await begun();
    const foreign = await pageOf(other.queries, {});
    expect(await checks.page({ ...proof, signed: foreign.signed }, {})).toBeUndefined();
    expect(await other.checks.page(proof, { prefix: 'k' })).toBeUndefined();
    expect(
      await new ValueProofs(defaultCrypto, { room: 'another', authorities: room.constitution.authorities }).page(
        proof,
        {},
      ),
    ).toBeUndefined();

    const { root } = await openValueRoot(proof.signed, room.constitution.authorities, defaultCrypto);
    // Honest proofs of all shorter pages, asked about another range than they are of.
    for (const prefix of ['k', 'k1', 'k10', 'k9', 'z', ''])
      for (const limit of [1, 2, 5])
        for (const after of [undefined, { key: 'k11', kind: 'register' as const }]) {
          if (after && !after.key.startsWith(prefix)) continue;
          const some = await pageOf(queries, { prefix, limit, ...(after && { after }) });
          for (const asked of ['k', 'k1', 'k5', '']) {
            const all = entries.filter(({ key }) => key.startsWith(asked));
            const read = await checks.page(some, { prefix: asked });
            if (!read) continue;
            // What stands at the borders of a page is named, and its value is not told.
            const known = all.slice(0, read.entries.length);
            expect(read.entries).toEqual(known.map((one, at) => (read.entries[at]!.shown ? one : namedOnly(one))));
            if (!read.after) expect(read.entries).toHaveLength(all.length);
          }
          expect(readEntries(new ByteReader(some.proof), root).length).toBeGreaterThan(0);
        }
  });

  it('[VR4] [VR5] [VR6] no changed byte of a proof or of what is signed is taken', async () => {
    const { room, queries, checks } = await begun();
    const replica = await join(room);
    for (let at = 0; at < 5; at++) replica.set(`k${at}`, at);
    replica.text('t').insert(0, 'x'.repeat(1500) + 'y'.repeat(1500));
    richText(replica, 't').mark(10, 2000, 'bold', true);
    replica.list('l').insert(0, ...Array.from({ length: 200 }, (_, at) => at));
    await push(replica, room);
    const page = await pageOf(queries, { prefix: 'k' });
    const part = (key: string, kind: 'text' | 'list', from: number, to: number) =>
      queries.prove((proofs) => proofs.part({ selector: LATEST, key, kind, from, to }, ann));
    const text = await part('t', 'text', 1490, 1510);
    const list = await part('l', 'list', 70, 75);
    expect(await checks.part(text, { key: 't', kind: 'text', from: 1490, to: 1510 })).toMatchObject({
      length: 3000,
      value: 'x'.repeat(10) + 'y'.repeat(10),
      spans: [{ text: 'x'.repeat(10) + 'y'.repeat(10), marks: { bold: true } }],
    });
    expect(await checks.part(list, { key: 'l', kind: 'list', from: 70, to: 75 })).toMatchObject({
      length: 200,
      value: [70, 71, 72, 73, 74],
    });
    const read = [
      { proof: page, check: (proof: typeof page) => checks.page(proof, { prefix: 'k' }) },
      {
        proof: text,
        check: (proof: typeof page) => checks.part(proof, { key: 't', kind: 'text', from: 1490, to: 1510 }),
      },
      { proof: list, check: (proof: typeof page) => checks.part(proof, { key: 'l', kind: 'list', from: 70, to: 75 }) },
    ];
    for (const { proof, check } of read)
      for (const field of ['signed', 'proof'] as const)
        for (let at = 0; at < proof[field].length; at += proof[field].length > 600 ? 7 : 1) {
          const changed = proof[field].slice();
          changed[at]! ^= 1 << (at % 8);
          expect(await check({ ...(proof as typeof page), [field]: changed }), `${field} at ${at}`).toBeUndefined();
        }
    for (const length of [0, 1, page.proof.length - 1])
      expect(await checks.page({ ...page, proof: page.proof.slice(0, length) }, { prefix: 'k' })).toBeUndefined();
    expect(await checks.page({ ...page, proof: Uint8Array.from([...page.proof, 0]) }, { prefix: 'k' })).toBeUndefined();
    // A proof of one part says nothing of another one.
    for (const [from, to] of [
      [0, 10],
      [1000, 1510],
      [1490, 3001],
      [1510, 1490],
    ] as const)
      expect(await checks.part(text, { key: 't', kind: 'text', from, to })).toBeUndefined();
    expect(await checks.part(text, { key: 'l', kind: 'list', from: 0, to: 1 })).toBeUndefined();
  });

  it('[VR2] [VR6] any part of a long text or list is proved', async () => {
    const { room, queries, checks } = await begun();
    const replica = await join(room);
    replica.text('t').insert(0, Array.from({ length: 900 }, (_, at) => `line ${at}`).join('\n'));
    for (let at = 0; at < 150; at++) richText(replica, 't').mark(at * 40, 13, at % 2 ? 'bold' : 'link', at);
    replica.list('l').insert(0, ...Array.from({ length: 333 }, (_, at) => ({ at })));
    await push(replica, room);
    const [whole, items] = [String(replica.text('t')), replica.resolve('l').list!];
    const spans = richText(replica, 't').spans();
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), fc.nat(whole.length), async (a, b) => {
        const [from, to] = a < b ? [a, b] : [b, a];
        const text = { key: 't', kind: 'text' as const, from, to };
        const proof = await queries.prove((proofs) => proofs.part({ selector: LATEST, ...text }, ann));
        const read = await checks.part(proof, text);
        expect(read?.value).toBe(whole.slice(from, to));
        let at = 0;
        const cut = spans.flatMap((span) => {
          const part = whole.slice(Math.max(at, from), Math.min(at + span.text.length, to));
          at += span.text.length;
          return part === '' || at <= from ? [] : [{ text: part, marks: span.marks }];
        });
        expect(read?.spans).toEqual(cut);
        const list = { key: 'l', kind: 'list' as const, from: from % 333, to: Math.max(from % 333, to % 333) };
        const listed = await queries.prove((proofs) => proofs.part({ selector: LATEST, ...list }, ann));
        expect((await checks.part(listed, list))?.value).toEqual(items.slice(list.from, list.to));
      }),
      { numRuns: 20 },
    );
  });

  it('[VR7] a peer that may read a part is told nothing, and what cannot be is refused', async () => {
    const { room, queries, checks } = await begun();
    await room.set('secret/canary', 'c4n4ry');
    await room.set('docs/a', 1);
    const eve: Asker = { name: 'eve', read: new Globs(['docs/**']) };
    const page = { selector: LATEST, prefix: 'docs/', after: undefined, limit: undefined };
    await expect(queries.prove((proofs) => proofs.page(page, eve))).rejects.toMatchObject({
      reason: 'reject.control_plane_forbidden',
      message: expect.not.stringContaining('canary'),
    });
    const part = { selector: LATEST, key: 'docs/a', kind: 'text' as const, from: 0, to: 0 };
    await expect(queries.prove((proofs) => proofs.part(part, eve))).rejects.toMatchObject({
      reason: 'reject.control_plane_forbidden',
    });
    const invalid = { reason: 'reject.invalid_payload' };
    await expect(queries.prove((proofs) => proofs.part(part, ann))).rejects.toMatchObject(invalid);
    const after = { key: 'other', kind: 'register' as const };
    await expect(queries.prove((proofs) => proofs.page({ ...page, after }, ann))).rejects.toMatchObject(invalid);
    const replica = await join(room);
    replica.text('long').insert(0, 'x'.repeat(600_000));
    await push(replica, room);
    const long = { selector: LATEST, key: 'long', kind: 'text' as const };
    await expect(queries.prove((proofs) => proofs.part({ ...long, from: 0, to: 600_000 }, ann))).rejects.toMatchObject(
      invalid,
    );
    await expect(queries.prove((proofs) => proofs.part({ ...long, from: 2, to: 1 }, ann))).rejects.toMatchObject(
      invalid,
    );
    // Too long for a page: its length is proved, and its parts can be.
    const { entries } = await readAll(queries, checks, 'long');
    expect(entries).toEqual([{ key: 'long', kind: 'text', length: 600_000 }]);
    expect(await rowsOfEntries({}, entries)).toBeUndefined();
  });

  it('[VR7] a page ends before it is too large', async () => {
    const { room, queries, checks } = await begun();
    for (let at = 0; at < 5; at++) await room.set(`k${at}`, 'v'.repeat(300_000));
    const page = await pageOf(queries, {});
    expect(page.next).toEqual({ key: 'k2', kind: 'register' });
    expect(page.proof.length).toBeLessThan(1024 * 1024 + 4096);
    expect((await readAll(queries, checks, '', 100)).entries).toHaveLength(5);
  });
});
