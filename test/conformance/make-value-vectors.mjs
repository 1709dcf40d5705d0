/**
 * Writes the vectors of proofs of values: `node test/conformance/make-value-vectors.mjs <folder>`. They were made once; those that are kept
 * are never made again, for they say what every implementation has to read.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost, createReplica, keysFromSeed, richText, toHex } from '@weft/core';
import { memoryStore } from '@weft/core/memory';

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('name a folder');
const seedOf = (name) => createHash('sha256').update(name).digest();
const store = { ...memoryStore(), authoritySeed: () => Promise.resolve(seedOf('authority')) };
const host = createHost({ store });
const room_id = 'vectors';
const ask = async (command, payload) =>
  Object.values((await host.submit({ room_id, command: { [command]: payload } })).events[0])[0];
await ask('EnsureRoom', {});

const write = (edit, name) =>
  host.withRoom(room_id, async (room) => {
    const replica = await createReplica({ genesis: room.genesis.pack, keys: keysFromSeed(toHex(seedOf(name))) });
    for (const pack of room.packs()) await replica.receive(pack);
    edit(replica);
    const { refused } = await room.admit(await replica.seal(), { from: 'peer' });
    if (refused.length > 0) throw new Error(refused[0].reason);
  });
const taken = () =>
  host.withRoom(room_id, async (room) => {
    const packs = [];
    for await (const pack of room.attestedPacks()) packs.push(toHex(pack));
    return { authorities: [...room.constitution.authorities], genesis: toHex(room.genesis.pack), packs };
  });

function save(name, vector) {
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(vector, undefined, 2)}\n`);
}
async function page(name, rule, title, asked, expected) {
  const { signed, proof, next } = await ask('ProveValues', asked);
  const { key_prefix: prefix = '', after } = asked;
  save(name, {
    rule,
    title,
    room: room_id,
    ...(await taken()),
    signed: toHex(signed),
    proof: toHex(proof),
    page: { prefix, ...(after && { after }) },
    next,
    entries: expected,
  });
}

await page('nothing', 'VR5', 'a room that shows nothing', {}, []);
await write((replica) => {
  replica.set('docs/a', { title: 'A' });
  replica.set('docs/b', null);
  replica.set('docs', 'one key begins with another');
  replica.set('z', 1);
  replica.set('gone', 1);
  replica.delete('gone');
  replica.set('docs/\u{10437}', 'behind \uFFFD in bytes');
  replica.set('docs/\uFFFD', 'before it');
  replica.setBlob('docs/blob', 'ab'.repeat(32));
  replica.list('docs/list').insert(0, 1, 'two', [3]);
  replica.text('docs/a').insert(0, 'of the same key \u{1F600}');
  replica.text('docs/emptied').insert(0, 'x');
  replica.text('docs/emptied').delete(0, 1);
}, 'ann');
const text = (units) => ({ form: 'text', text: units });
const register = (bytes) => ({ form: 'bytes', bytes });
const all = [
  { k: 'docs/a', kind: 'register', ...register('81a57469746c65a141') },
  { k: 'docs/a', kind: 'text', ...text('of the same key \u{1F600}') },
  { k: 'docs/b', kind: 'register', ...register('c0') },
  { k: 'docs/blob', kind: 'register', form: 'blob', hash: 'ab'.repeat(32) },
  { k: 'docs/emptied', kind: 'text', ...text('') },
  { k: 'docs/list', kind: 'list', form: 'list', items: ['01', 'a374776f', '9103'] },
  { k: 'docs/\uFFFD', kind: 'register', ...register('a96265666f7265206974') },
  { k: 'docs/\u{10437}', kind: 'register', ...register('b3626568696e6420efbfbd20696e206279746573') },
];
await page('prefix', 'VR5', 'all under a prefix, in the order of bytes', { key_prefix: 'docs/' }, all);
await page('first-page', 'VR5', 'a page that another one follows', { key_prefix: 'docs/', limit: 2 }, all.slice(0, 2));
await page(
  'next-page',
  'VR5',
  'the page behind it',
  { key_prefix: 'docs/', limit: 3, after: { k: 'docs/a', kind: 'text' } },
  all.slice(2, 5),
);
await page('absent', 'VR5', 'nothing stands under a prefix', { key_prefix: 'nowhere' }, []);

await write((replica) => {
  replica.text('long').insert(0, 'abcdefghij'.repeat(500));
  richText(replica, 'long').mark(5, 2000, 'bold', true);
  richText(replica, 'long').mark(1000, 10, 'link', 'https://weft.test', { expand: 'none' });
  for (let at = 0; at < 80; at++) richText(replica, 'long').mark(3000 + at * 10, 5, 'bold', at + 2);
}, 'bob');
async function part(name, title, from, to, expected) {
  const { signed, proof } = await ask('ProvePart', { key: 'long', kind: 'text', from, to });
  save(name, {
    rule: 'VR6',
    title,
    room: room_id,
    ...(await taken()),
    signed: toHex(signed),
    proof: toHex(proof),
    part: { key: 'long', from, to },
    text: expected,
  });
}
await part('part', 'a part of a marked text', 1020, 1030, 'abcdefghij');
await part('last-part', 'the end of it', 4995, 5000, 'fghij');
await part('no-part', 'no character of it', 7, 7, '');
await page('marked', 'VR5', 'a marked text whole', { key_prefix: 'long' }, [
  { k: 'long', kind: 'text', ...text('abcdefghij'.repeat(500)) },
]);

// What must be refused: each is one of the above with something changed.
const { signed, proof } = await ask('ProveValues', { key_prefix: 'docs/' });
const refused = (name, title, changed) =>
  taken().then((room) =>
    save(name, {
      rule: 'VR5',
      title,
      refused: true,
      room: room_id,
      ...room,
      signed: toHex(signed),
      proof: toHex(proof),
      page: { prefix: 'docs/' },
      ...changed,
    }),
  );
const other = (bytes, at) => toHex(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)));
await refused('signature-changed', 'another signature', { signed: other(signed, 40) });
await refused('root-changed', 'another root than was signed', { signed: other(signed, signed.length - 1) });
await refused('value-changed', 'a value that was not there', { proof: other(proof, proof.length - 40) });
await refused('of-another-room', 'a proof of another room', { room: 'another' });
await refused('of-nobody', 'a word that does not count', {
  authorities: [keysFromSeed(toHex(seedOf('eve'))).publicKey],
});
await refused('trailing', 'bytes behind the proof', { proof: `${toHex(proof)}00` });
const short = await ask('ProveValues', { key_prefix: 'docs/l' });
await refused('left-out', 'a page of less than was asked for', { proof: toHex(short.proof) });

// A text and a list of which nodes were erased, for who had all of them before and for who comes anew.
const before = (await taken()).packs;
const { items } = await ask('ReplayReadRange', { key_prefix: '', from_lamport: 0 });
const last = (key) => items.findLast((item) => item.touched_keys.includes(key)).node_id;
await ask('EraseValue', { key: 'docs/list' });
await ask('EraseValue', { key: 'long', nodes: [last('long')] });
await ask('EraseValue', { key: 'docs/a' });
const erased = await ask('ProveValues', { key_prefix: 'docs/' });
const rest = all.filter(({ k }) => k !== 'docs/a' && k !== 'docs/list');
const emptied = [
  { k: 'docs/a', kind: 'text', ...text('') },
  ...rest.slice(0, 3),
  { k: 'docs/list', kind: 'list', form: 'list', items: [] },
  ...rest.slice(3),
];
save('erased', {
  rule: 'VE5',
  title: 'what is left of nodes that were erased in part',
  room: room_id,
  ...(await taken()),
  before,
  signed: toHex(erased.signed),
  proof: toHex(erased.proof),
  page: { prefix: 'docs/' },
  next: erased.next,
  entries: emptied,
});
await host.close();
