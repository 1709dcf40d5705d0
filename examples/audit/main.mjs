/** Audit of a room: what it held when, who wrote it, a proof for somebody who has no copy, and an archive that is checked. */
import assert from 'node:assert/strict';
import { connectRoom, createHost, createReplica, generateKeys, verifyRegister } from '@weft/core';
import { memoryArchives, memoryStore } from '@weft/core/memory';
import { inProcessSocket } from '@weft/core/testing';

const host = createHost({ store: memoryStore(), archives: { stores: { file: memoryArchives() } } });
const room = await host.room('budget');

// Ann and Ben each write with a key of their own: every change is signed.
const names = new Map();
for (const [name, amount] of [
  ['Ann', 1000],
  ['Ben', 1500],
]) {
  const keys = generateKeys();
  names.set(keys.publicKey, name);
  const client = await connectRoom({ socket: inProcessSocket(host, 'budget'), keys });
  client.replica.set('travel', amount);
  await client.push();
  client.close();
}
console.log(`now ${room.get('travel')}, before that ${(await room.asOf(room.seq - 1)).get('travel')}`);

// A copy of the history is enough to know who wrote what: nobody need trust the server for it.
const auditor = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
for (const pack of room.packs()) await auditor.receive(pack);
console.log(`written by ${names.get(auditor.why('travel').author)}`);

// Who has no copy is shown one value, with a proof that the whole state commits to it.
const { value, proof } = auditor.prove('travel');
const isProved = (stateHash) => verifyRegister(proof, stateHash, 'travel', value);
console.log(`proved ${isProved(room.stateHash)}, under another state ${isProved('00'.repeat(32))}`);

// An archive is checked by whoever takes it in: every id, signature and hash is computed anew.
const ask = (command) => host.submit({ room_id: 'budget', command });
const archive = { room: 'budget', archive_ref: 'file://budget.weft' };
await ask({ ExportArchive: archive });
const { events } = await ask({ ValidateArchive: { ...archive, mode: 'full_integrity' } });
const { accepted, checks } = events.find((event) => 'ArchiveValidated' in event).ArchiveValidated;
console.log(`archive accepted ${accepted} after ${checks.length} checks`);

assert.equal(auditor.stateHash, room.stateHash);
await host.close();
