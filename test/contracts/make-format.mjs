/**
 * Writes what this version stores, to be opened by every later one: `node test/contracts/make-format.mjs <new folder>`. Made once
 * for each format, and never again for one that is kept: see `formats.test.ts`.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost, createReplica, generateKeys, toHex } from '@weft/core';
import { folderArchives, levelStore } from '@weft/core/level';
import { told } from './told-rooms.mjs';

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('name a new folder');
const data = join(folder, 'store');
const store = levelStore(data);
const host = createHost({ store, archives: { stores: { file: folderArchives(folder) } } });
const ask = async (room_id, command, payload) => {
  const { events } = await host.submit({ room_id, command: { [command]: payload } });
  const body = Object.values(events[0])[0];
  if (body.reason_class !== undefined) throw new Error(`${command}: ${body.reason_class} ${body.reason_message}`);
  return body;
};

const [ann, bob] = [generateKeys(), generateKeys()];
const replicas = new Map();
async function write(room, keys, edit) {
  const name = `${room.id} ${keys.publicKey}`;
  if (!replicas.has(name)) replicas.set(name, await createReplica({ genesis: room.genesis.pack, keys }));
  const replica = replicas.get(name);
  for (const pack of room.packs()) await replica.receive(pack);
  edit(replica);
  const { refused } = await room.admit(await replica.seal(), { from: keys.publicKey });
  if (refused.length > 0) throw new Error(`refused: ${refused[0].reason}`);
  replica.confirm();
}

const hash = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', Buffer.from('a blob'))));
await ask('plans', 'EnsureRoom', {});
await store.blobs.put(hash, [Buffer.from('a blob')], 6);
await store.blobs.link('plans', hash);
await host.withRoom('plans', async (room) => {
  for (let round = 0; round < 40; round++)
    for (const [who, keys] of Object.entries({ ann, bob }))
      await write(room, keys, (replica) => {
        replica.set(`docs/${round % 7}`, { by: who, round, bytes: new Uint8Array([round]) });
        if (round % 5 === 4) replica.delete(`docs/${round % 7}`);
        replica.text('text').insert((round * 7) % (replica.text('text').length + 1), `${who} ${round}; `);
        if (round % 3 === 0 && replica.text('text').length > 20) replica.text('text').delete(3, 5);
        replica.list('list').insert(0, `${who} ${round}`);
        if (replica.list('list').length > 3) replica.list('list').move(2, 0);
        if (replica.list('list').length > 9) replica.list('list').delete(4, 1);
        if (round === 11) replica.setBlob('blob', hash);
      });
});
await ask('plans', 'SetPolicy', { default: 'allow', rules: [{ path_glob: 'closed/**', can_write: [ann.publicKey] }] });
await ask('plans', 'RevokeToken', { peer_pubkey: bob.publicKey, before: 1_900_000_000 });
await ask('plans', 'SetRoomKey', { pubkey_hex: ann.publicKey });
await ask('plans', 'RegisterQuerySpec', { query_spec_id: 'docs', version: '1', descriptor: { prefix: 'docs/' } });
await ask('plans', 'BuildProjection', { projection_id: 'p', query_spec_id: 'docs' });
await host.withRoom('plans', (room) => room.compact());

const at = (id) =>
  host.withRoom(id, async ({ stateHash, heads }) => ({ canonical_hash: stateHash, frontier: heads.frontier }));
const about = { child_purpose: 'a format', promotion_policy_id: 'promotion-based' };
await ask('plans', 'CreateTopologyChild', { ...about, child_room_id: 'child', parent_checkpoint: await at('plans') });
await host.withRoom('child', (room) => write(room, ann, (replica) => replica.set('docs/of-child', 1)));
const { canonical_hash: child_checkpoint_hash } = await at('child');
const wanted = { child_room_id: 'child', child_checkpoint_hash, payload_ref: 'all', idempotency_key: 'one' };
await ask('plans', 'ProposeTopologyPromotion', wanted);
await ask('plans', 'ValidateTopologyPromotion', { proposal_id: 'one' });
await ask('plans', 'ApplyTopologyPromotion', { proposal_id: 'one' });
await host.withRoom('plans', (room) => write(room, ann, (replica) => replica.set('closed/behind', 'the segments')));
for (const room of ['plans', 'child']) await ask(room, 'ExportArchive', { archive_ref: `file://${room}.weft` });
const snapshot = await host.withRoom('child', (room) => room.compact());
writeFileSync(join(folder, 'child.snapshot'), snapshot.snapshot);
writeFileSync(join(folder, 'told.json'), `${JSON.stringify(await told(host), undefined, 2)}\n`);
await host.close();
// They name this machine, and nothing needs them.
for (const name of ['LOG', 'LOG.old', 'LOCK']) rmSync(join(data, 'log', name), { force: true });
