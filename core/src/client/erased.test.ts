import { expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { generateKeys, keepRoom } from '../peer.js';
import { FrailNetwork } from '../testing/frail-network.js';

it('[VE2] a client whose value was erased before it heard that it was taken goes on, and loses nothing that it wrote beside', async () => {
  const host = createHost({ store: memoryStore() });
  const network = new FrailNetwork(host);
  const client = keepRoom({ open: network.open, network, keys: generateKeys(), retry: { firstMs: 1, mostMs: 5 } });
  await client.joined;
  const { replica } = client;
  await client.push();

  network.isHeld = true;
  replica.set('beside', 1);
  replica.set('secret', 'hush');
  const pushed = client.push();
  const taken = (): Promise<unknown> => host.withRoom('room', async (room) => room.get('secret'));
  await expect.poll(taken).toBe('hush');
  await host.submit({ room_id: 'room', command: { EraseValue: { key: 'secret' } } });
  replica.set('later', 2);
  network.cut({ code: 1012, reason: 'the room begins anew' });
  network.release();

  await pushed;
  await expect.poll(() => client.synced).toBe(true);
  const values = await host.withRoom('room', async (room) => ['beside', 'secret', 'later'].map((key) => room.get(key)));
  expect(values).toEqual([1, undefined, 2]);
  expect([replica.get('beside'), replica.get('secret'), replica.get('later')]).toEqual([1, undefined, 2]);
  client.close();
  await host.close();
});
