import { expect, it } from 'vitest';
import { makeMandate } from '../access/mandate.js';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromHex, toHex } from '../codec/bytes/bytes.js';
import { createHost } from '../engine.js';
import { createReplica, generateKeys } from '../peer.js';
import { testPeer } from '../testing/test-peer.js';

const [person, device] = [generateKeys(), generateKeys()];
const signer = defaultCrypto.signer(fromHex(person.seed));
const delegation = async (): Promise<string> => toHex(await makeMandate('delegate', { key: device.publicKey }, signer));

it('[SU3] others are told whose key it is, by what a hello shows, and later by what the key has said in the room', async () => {
  const host = createHost({ store: memoryStore() });
  const room = await host.room('room');
  const other = testPeer(host, 'room');
  other.send({ type: 'hello' });
  await other.nextOf('pack');
  const shown = testPeer(host, 'room');
  shown.send({ type: 'hello', pubkey: device.publicKey, delegation: await delegation() });
  await shown.nextOf('pack');
  const seen = { pubkey: device.publicKey, subject: person.publicKey, proven: false };
  expect(await other.nextOf('peer-joined')).toMatchObject(seen);
  shown.leave();
  expect(await other.nextOf('peer-left')).toMatchObject(seen);

  const replica = await createReplica({
    genesis: room.genesis.pack,
    keys: { ...device, delegation: await delegation() },
  });
  replica.text('notes').insert(0, 'a text');
  replica.text('notes').insert(6, ' of two edits');
  expect((await room.admit((await replica.seal())!, { from: 'x' })).refused).toEqual([]);
  expect([room.text('notes'), room.stateHash]).toEqual(['a text of two edits', replica.stateHash]);
  expect([1, 2, 3].map((seq) => room.subjectAt(seq))).toEqual(Array(3).fill(person.publicKey));
  const known = testPeer(host, 'room');
  known.send({ type: 'hello', pubkey: device.publicKey });
  await known.nextOf('pack');
  expect(await other.nextOf('peer-joined')).toMatchObject(seen);
  await host.close();
});

it('[SU3] a batch of a key that is introduced is a node of its own behind the introduction', async () => {
  const host = createHost({ store: memoryStore() });
  const room = await host.room('room');
  const replica = await createReplica({
    genesis: room.genesis.pack,
    keys: { ...device, delegation: await delegation() },
  });
  replica.batch(() => {
    replica.set('a', 1);
    replica.text('t').insert(0, 'x');
    replica.list('l').push(1, 2);
  });
  expect((await room.admit((await replica.seal())!, { from: 'x' })).refused).toEqual([]);
  expect([room.seq, room.stateHash]).toEqual([3, replica.stateHash]);
  await host.close();
});
