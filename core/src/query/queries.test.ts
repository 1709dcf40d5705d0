import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Globs } from '../access/glob.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import type { Replica } from '../client/replica/replica.js';
import { fromBase64, fromUtf8, toBase64, toUtf8 } from '../codec/bytes/bytes.js';
import { verifyRegister } from '../crdt/verify.js';
import { generateKeys } from '../peer.js';
import { silent } from '../ports/telemetry.js';
import { EDITS, edit, fill, join, open, pull, push } from '../testing/open-rooms.js';
import type { Asker } from './answers.js';
import { Queries } from './queries.js';

const reason = (name: string) => ({ reason: `reject.${name}` });
const ann: Asker = { name: 'ann', read: undefined };
const only = (...patterns: string[]): Asker => ({ name: 'eve', read: new Globs(patterns) });

async function withQueries(store = memoryStore()) {
  const room = await open(store);
  return { store, room, queries: new Queries(room, silent) };
}

const shown = async (queries: Queries, id: string, asker = ann) =>
  (await queries.read(id, { limit: 1000 }, asker)).rows.map(({ row, value }) => [row.key, row.kind, value]);

/** What a replica says that holds the same nodes. */
function naive(replica: Replica, prefix: string): unknown[] {
  const keys = ['l', 't', 'r0', 'r1', 'r2', 'h0', 'h1', 'h2'].sort();
  return keys
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => {
      const { value, text, list } = replica.resolve(key);
      return [
        ...(value === undefined ? [] : [[key, 'register', value]]),
        ...(text === undefined ? [] : [[key, 'text', text]]),
        ...(list === undefined ? [] : [[key, 'list', list]]),
      ];
    });
}

const edits = fc.array(fc.record({ by: fc.nat(2), kind: fc.constantFrom(...EDITS), at: fc.nat(1000) }), {
  minLength: 5,
  maxLength: 30,
});

describe('a projection', () => {
  it('[PJ6] holds what a replica holds of the same nodes, whenever and however it is built [fault 42]', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(edits, { minLength: 2, maxLength: 4 }),
        fc.constantFrom('', 'r', 't'),
        async (parts, prefix) => {
          const { store, room, queries } = await withQueries();
          await queries.register('q', '1', { prefix }, 'ann');
          const keys = generateKeys();
          const replicas = [await join(room, keys), await join(room, keys), await join(room)];
          const stood: { seq: number; hash: string; digest: string; rows: unknown }[] = [];
          for (const steps of parts) {
            // A room in which nothing changed since keeps the checkpoint that it was built at.
            await edit(replicas[0]!, room, { kind: 'set', at: 0 });
            for (const step of steps) await edit(replicas[step.by]!, room, step);
            for (const replica of replicas) await push(replica, room);
            const reader = await join(room);
            await pull(reader, room);
            const { checkpoint, digest } = await queries.build('p', 'q', undefined, ann);
            const rows = await shown(queries, 'p');
            expect(rows).toEqual(naive(reader, prefix));
            expect([checkpoint.hash, checkpoint.frontier]).toEqual([reader.stateHash, reader.frontier]);
            stood.push({ seq: checkpoint.seq!, hash: checkpoint.hash, digest, rows });
          }
          await room.compact();
          const again = new Queries(await open(store), silent);
          for (const side of [queries, again]) {
            for (const { seq, hash, digest, rows } of stood) {
              for (const selector of [
                { selector: 'seq', canonical_seq: seq },
                { selector: 'hash', canonical_hash: hash },
                { selector: 'frontier', frontier: [`seq:${seq}`] },
              ]) {
                const built = await side.build('past', 'q', selector, ann);
                expect([built.checkpoint.seq, built.checkpoint.hash, built.digest]).toEqual([seq, hash, digest]);
                expect(await shown(side, 'past')).toEqual(rows);
              }
            }
          }
        },
      ),
      { numRuns: 5 },
    );
  });

  it('[PJ3] has the rows that meet the query, in its order, as many as it says', async () => {
    const row = fc.record({ n: fc.nat(5), s: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 30 }),
        fc.record({
          op: fc.constantFrom('lt', 'ge'),
          value: fc.nat(5),
          desc: fc.boolean(),
          limit: fc.integer({ min: 1, max: 9 }),
        }),
        async (values, { op, value, desc, limit }) => {
          const { room, queries } = await withQueries();
          const writes = values.map((one, i) => ({ key: `k${i}`, value: one }));
          await room.transact(() => ({ writes, result: undefined }));
          const direction = desc ? 'desc' : 'asc';
          const where = [{ field: 'n', op, value }];
          await queries.register('q', '1', { where, order_by: { field: 's', direction }, select: ['n'], limit }, 'ann');
          await queries.build('p', 'q', undefined, ann);
          const rank = ({ s }: (typeof values)[number]): number => ' abc'.indexOf(s ?? ' ') * (desc ? -1 : 1);
          const wanted = values
            .map((one, i) => ({ ...one, key: `k${i}` }))
            .filter(({ n }) => (op === 'lt' ? n < value : n >= value))
            .sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1))
            .map(({ key, n }) => [key, 'register', { n }]);
          expect(await shown(queries, 'p')).toEqual(wanted.slice(0, limit));
        },
      ),
      { numRuns: process.env['TESTS_LONG'] ? 25 : 12 },
    );
  });

  it('[PJ4] tells how long a value is that is too long to be shown', async () => {
    const { room, queries } = await withQueries();
    const author = await join(room);
    author.text('text').insert(0, 'x'.repeat(2 ** 20));
    const thousand = Array.from({ length: 2 ** 10 }, () => 0);
    for (let i = 0; i < 2 ** 6; i++) author.list('list').push(...thousand);
    author.set('value', '\0'.repeat(200_000)); // six characters of JSON for each
    await push(author, room);
    await queries.register('q', '1', {}, 'ann');
    await queries.build('p', 'q', undefined, ann);
    const whole = '["value","register",""]'.length + 6 * 200_000;
    const [list, text, value] = await shown(queries, 'p');
    expect([list?.[2], text, value]).toEqual([
      Array.from({ length: 2 ** 16 }, () => 0),
      ['text', 'text', { $large: 2 ** 20 + '["text","text",""]'.length }],
      ['value', 'register', { $large: whole }],
    ]);
    author.text('text').insert(0, 'x');
    author.list('list').push(0);
    await push(author, room);
    await queries.build('p', 'q', undefined, ann);
    expect((await shown(queries, 'p')).slice(0, 2)).toEqual([
      ['list', 'list', { $large: 2 ** 16 + 1 }],
      ['text', 'text', { $large: 2 ** 20 + 1 }],
    ]);
  });

  it('[PJ5] has the same digest on two servers that hold the same nodes in another order', async () => {
    const { store, room, queries } = await withQueries();
    const other = await open({ ...memoryStore(), authoritySeed: () => store.authoritySeed() });
    const copies = new Queries(other, silent);
    const packs: Uint8Array[] = [];
    for (const name of ['x', 'y']) {
      const replica = await join(room);
      for (let i = 0; i < 20; i++) replica.set(`k${i % 7}`, { [name]: i, a: name });
      replica.text('k1').insert(0, name);
      packs.push((await replica.seal())!);
    }
    for (const pack of packs) await room.admit(pack, { from: 'peer' });
    for (const pack of [...packs].reverse()) await other.admit(pack, { from: 'peer' });
    const selector = { selector: 'frontier', frontier: [...room.heads.frontier] };
    for (const side of [queries, copies]) await side.register('q', '1', { prefix: 'k', select: ['a'] }, 'ann');
    const here = await queries.build('p', 'q', selector, ann);
    const there = await copies.build('p', 'q', selector, ann);
    expect([there.digest, there.checkpoint.hash]).toEqual([here.digest, here.checkpoint.hash]);
    expect(await shown(copies, 'p')).toEqual(await shown(queries, 'p'));
  });

  it('[PJ5] has a digest of rows that anybody can compute [fault 42]', async () => {
    const { room, queries } = await withQueries();
    await room.set('k', { b: 1, a: 'ü' });
    await queries.register('q', '1', {}, 'ann');
    const { digest } = await queries.build('p', 'q', undefined, ann);
    const row = '["k","register",{"a":"ü","b":1}]';
    const message = `weft-rows-v1\0${Buffer.byteLength(row)}:${row}`;
    expect(digest).toBe(createHash('sha256').update(message).digest('hex'));
  });

  it('[PJ6] looks only at what was written since, and answers what stands when nothing was', async () => {
    const { room, queries } = await withQueries();
    await fill(room, 200);
    await queries.register('q', '1', { prefix: 'k' }, 'ann');
    const first = await queries.build('p', 'q', undefined, ann);
    const { seq } = room;
    expect(await queries.build('p', 'q', undefined, ann)).toEqual(first);
    expect([room.seq, first.stale]).toEqual([seq, false]);
    await queries.register('q', '2', { prefix: 'k', kind: 'register' }, 'ann');
    expect((await queries.build('p', 'q', undefined, ann)).version).toBe('2');
    await room.set('k7', 'new');
    expect((await queries.read('p', {}, ann)).stale).toBe(true);
    const keys: string[] = [];
    const look = room.past.present.register.bind(room.past.present);
    room.past.present.register = (key) => {
      keys.push(key);
      return look(key);
    };
    const second = await queries.build('p', 'q', undefined, ann);
    expect([keys, second.stale, second.digest === first.digest]).toEqual([['k7'], false, false]);
    expect((await shown(queries, 'p')).find(([key]) => key === 'k7')).toEqual(['k7', 'register', 'new']);
  });

  it('[PJ6] lets others on while it is built, and is of one moment though they write', async () => {
    const { room, queries } = await withQueries();
    for (let part = 0; part < 5; part++) {
      await room.transact(() => ({
        writes: Array.from({ length: 3000 }, (_, i) => ({ key: `n/${part}/${i}`, value: 0 })),
        result: undefined,
      }));
    }
    await queries.register('q', '1', { prefix: 'n/' }, 'ann');
    let isBuilding = true;
    const building = queries.build('p', 'q', undefined, ann).finally(() => (isBuilding = false));
    let written = 0;
    for (; isBuilding; written++) await room.set(`n/${written % 5}/${written % 3000}`, written);
    const built = await building;
    expect(written).toBeGreaterThan(3);
    const then = await queries.build('q', 'q', { selector: 'seq', canonical_seq: built.checkpoint.seq }, ann);
    expect([then.checkpoint, then.digest]).toEqual([built.checkpoint, built.digest]);
  });

  it('[PJ9] and its query outlive the process; invalidated, it still reads until it is built again', async () => {
    const { store, room, queries } = await withQueries();
    await fill(room, 100);
    await queries.register('q', '1', { prefix: 'k', limit: 3 }, 'ann');
    const built = await queries.build('p', 'q', undefined, ann);
    await queries.register('q', '2', { prefix: 'nothing' }, 'ann');
    const rows = await shown(queries, 'p');
    await room.set('k1', 'later');
    expect(await queries.invalidate('p', 'wrong', 'ann')).toBe('wrong');
    expect(await queries.invalidate('p', 'another', 'ann')).toBe('wrong');
    const again = new Queries(await open(store), silent);
    expect(await again.list({ spec: undefined, state: 'active' }, ann)).toEqual({ items: [], next: null });
    const items = [{ ...built, invalidated: 'wrong', stale: true }];
    expect(await again.list({ spec: 'q', state: 'all' }, ann)).toEqual({ items, next: null });
    expect([await shown(again, 'p'), rows.length]).toEqual([rows, 3]);
    const { version, invalidated } = await again.build('p', 'q', undefined, ann);
    expect([version, invalidated, await shown(again, 'p')]).toEqual(['2', undefined, []]);
    await expect(again.register('q', '1', { prefix: 'other' }, 'ann')).rejects.toMatchObject({
      reason: 'reject.invalid_payload',
    });
  });

  it('[PJ8] is listed with as many others as an answer takes', async () => {
    const { room, queries } = await withQueries();
    await room.set('k', 0);
    const heads = await Promise.all(Array.from({ length: 300 }, () => join(room)));
    for (const head of heads) {
      head.set('k', 1);
      await push(head, room);
    }
    await queries.register('q', '1', {}, 'ann');
    const selector = { selector: 'seq', canonical_seq: 2 + heads.length };
    for (let i = 0; i < 50; i++) await queries.build(`p${i}`, 'q', selector, ann);
    const first = await queries.list({ spec: 'q', state: 'all' }, ann);
    const rest = await queries.list({ spec: 'q', state: 'all', after: first.next! }, ann);
    expect([first.items.length, rest.items.length, rest.next]).toEqual([28, 22, null]);
    const ids = [...first.items, ...rest.items].map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 50 }, (_, i) => `p${i}`).sort());
  });

  it('[PJ8] comes in pages that together are its rows, whatever is written meanwhile', async () => {
    const { room, queries } = await withQueries();
    await fill(room, 50);
    await queries.register('q', '1', {}, 'ann');
    await queries.build('p', 'q', undefined, ann);
    const all = await queries.read('p', { limit: 1000 }, ann);
    for (const limit of [1, 7, 50]) {
      const rows: unknown[] = [];
      let token: string | undefined;
      for (let page = 0; page < 60; page++) {
        const { rows: some, next } = await queries.read('p', { limit, token }, ann);
        rows.push(...some);
        await room.set(`k${page}`, page);
        if (next === null) break;
        token = next;
      }
      expect(rows).toEqual(all.rows);
    }
    const [none, many] = [await queries.read('p', { limit: 0 }, ann), await queries.read('p', { limit: 5000 }, ann)];
    expect([none.limit, none.rows.length, many.limit]).toEqual([1, 1, 1000]);
    const { next } = await queries.read('p', { limit: 10 }, ann);
    await queries.build('p', 'q', undefined, ann);
    const beyond = (await queries.read('p', { limit: 10 }, ann)).next!;
    const forged = toBase64(toUtf8(fromUtf8(fromBase64(beyond)).replace(' 10', ' 50')));
    for (const token of [next!, forged, '', 'AAAA', 'no base64', next!.slice(4)])
      await expect(queries.read('p', { token }, ann)).rejects.toMatchObject({ reason: 'reject.invalid_payload' });
  });

  it('[PJ8] takes no token of other rows of the same checkpoint', async () => {
    const { room, queries } = await withQueries();
    await fill(room, 50);
    const selector = { selector: 'seq', canonical_seq: room.seq };
    await queries.register('q', '1', {}, 'ann');
    await queries.build('p', 'q', selector, ann);
    const { next: token } = await queries.read('p', { limit: 10 }, ann);
    const part = await queries.read('p', { limit: 10 }, only('k*'));
    expect(part.next).toBe(token); // they are the same rows
    await expect(queries.read('p', { token: token! }, only('k1*'))).rejects.toMatchObject(reason('invalid_payload'));
    await queries.register('other', '1', { select: ['none'] }, 'ann');
    await queries.build('p', 'other', selector, ann);
    await expect(queries.read('p', { token: token! }, ann)).rejects.toMatchObject(reason('invalid_payload'));
  });

  it('[PJ8] keeps a page of large values short', async () => {
    const { room, queries } = await withQueries();
    for (let i = 0; i < 4; i++) await room.set(`k${i}`, 'x'.repeat(600_000));
    await queries.register('q', '1', {}, 'ann');
    await queries.build('p', 'q', undefined, ann);
    expect((await queries.read('p', {}, ann)).rows.map(({ row }) => row.key)).toEqual(['k0']);
  });

  it('[PJ10] shows who may read a part only that, with a digest of only that, and no proofs', async () => {
    const { room, queries } = await withQueries();
    await room.set('docs/a', 1);
    await room.set('secret/a', 1234);
    await queries.register('q', '1', {}, 'ann');
    await queries.build('p', 'q', undefined, ann);
    const eve = only('docs/**');
    const [part, whole] = [await queries.read('p', {}, eve), await queries.read('p', {}, ann)];
    expect([part.rows.length, whole.rows.length]).toEqual([1, 2]);
    expect((await queries.build('p', 'q', undefined, eve)).digest).toBe(part.digest);
    expect((await queries.list({ spec: undefined, state: 'all' }, eve)).items[0]?.digest).toBeUndefined();
    await room.set('secret/a', 4321);
    await queries.build('p', 'q', undefined, ann);
    const later = await queries.read('p', {}, eve);
    expect([later.digest, later.checkpoint.hash === part.checkpoint.hash]).toEqual([part.digest, false]);
    await expect(queries.read('p', { proof: true }, eve)).rejects.toMatchObject({
      reason: 'reject.control_plane_forbidden',
    });
    const sight = room.packed.sight({ readable: eve.read });
    const hidden = Array.from({ length: room.seq }, (_, seq) => sight?.has(seq));
    expect(hidden).toEqual([false, false, true, true, true, true, true]);
  });

  it('[PJ10] tells nothing of hidden rows by its limit', async () => {
    const { room, queries } = await withQueries();
    await room.set('docs/a', 1);
    await room.set('secret/a', 2);
    await queries.register('q', '1', { order_by: { field: '$', direction: 'desc' }, limit: 1 }, 'ann');
    await queries.build('p', 'q', undefined, ann);
    expect(await shown(queries, 'p', only('docs/**'))).toEqual([['docs/a', 'register', 1]]);
    expect(await shown(queries, 'p')).toEqual([['secret/a', 'register', 2]]);
  });

  it('[PJ10] proves registers under its checkpoint, which may be long past', async () => {
    const { room, queries } = await withQueries();
    await fill(room, 100);
    const author = await join(room);
    author.text('t').insert(0, 'text');
    author.setBlob('blob', 'ab'.repeat(32));
    await push(author, room);
    await queries.register('q', '1', {}, 'ann');
    await queries.build('p', 'q', undefined, ann);
    for (const write of ['', 'k1', 'k2']) {
      if (write !== '') await room.set(write, 'since');
      const { rows, checkpoint, limit } = await queries.read('p', { proof: true, limit: 500 }, ann);
      expect(limit).toBe(100);
      for (const { row, proof, bytes, value } of rows) {
        if (row.kind === 'text') expect([proof, bytes]).toEqual([undefined, undefined]);
        else if (row.kind === 'blob')
          expect([typeof value, bytes, proof instanceof Uint8Array]).toEqual(['string', undefined, true]);
        else expect(verifyRegister(proof!, checkpoint.hash, row.key, bytes)).toBe(true);
      }
    }
  });
});
