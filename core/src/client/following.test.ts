import { expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { generateKeys, keepRoom, signToken } from '../peer.js';
import { altered } from '../testing/altered.js';
import { FrailNetwork } from '../testing/frail-network.js';
import { type EventsPosition, type WatchedRow, followEvents, watchProjection } from './following.js';

async function joined() {
  const [admin, keys] = [generateKeys(), generateKeys()];
  const host = createHost({ store: memoryStore(), adminKey: admin.publicKey });
  const dialled = altered(host, { connect: (room, socket) => host.connect(room, socket, ['here:1']) });
  const network = new FrailNetwork(dialled);
  const claims = { room: 'room', peer: keys.publicKey, expiry: Math.floor(Date.now() / 1000) + 3600 };
  const tokenOf = (...caps: string[]) => signToken({ ...claims, caps }, admin.seed);
  const client = keepRoom({
    open: network.open,
    network,
    keys,
    room: 'room',
    audience: 'here:1',
    token: await tokenOf('query.read', 'query.admin'),
    retry: { firstMs: 1, mostMs: 5 },
  });
  await client.joined;
  const set = (key: string, value: unknown) => host.withRoom('room', (room) => room.set(key, value));
  return { host, network, client, set, tokenOf };
}

it('[RP5] [RP6] a follower hears all of it once, over lost connections, and goes on from what it has kept', async () => {
  const { host, network, client, set } = await joined();
  const heard: unknown[] = [];
  let kept: EventsPosition | undefined;
  const following = followEvents(client, { keyPrefix: 'k' }, ({ items, position }) => {
    heard.push(...items.flatMap(({ touched_keys: keys }) => keys));
    kept = position;
  });
  await set('k0', 0);
  await expect.poll(() => heard).toEqual(['k0']);
  for (let round = 1; round < 4; round++) {
    network.cut({ code: 1006, reason: '' });
    await set(`k${round}`, round);
    await set('other', round);
    await expect.poll(() => heard).toEqual(Array.from({ length: round + 1 }, (_, at) => `k${at}`));
  }
  following.stop();
  await following.ended;
  await set('k4', 4);
  const again = followEvents(client, { from: kept!, keyPrefix: 'k' }, ({ items }) =>
    heard.push(...items.flatMap(({ touched_keys: keys }) => keys)),
  );
  await expect.poll(() => heard).toEqual(['k0', 'k1', 'k2', 'k3', 'k4']);
  // Another log: the server says so, and it ends.
  const other = followEvents(client, { from: { seq: 3, node: 'ab'.repeat(32) } }, () => undefined);
  await expect(other.ended).rejects.toMatchObject({ reason: 'reject.checkpoint_not_found' });
  client.close();
  await expect(again.ended).rejects.toMatchObject({ reason: 'disconnected' });
  await host.close();
});

it('[PJ11] a watcher has the rows as they are, over lost connections, and is told why it ends', async () => {
  const { host, network, client, set } = await joined();
  for (const key of ['docs/b', 'docs/a', 'other']) await set(key, { at: key });
  const none = watchProjection(client, 'none', () => undefined);
  await expect(none.ended).rejects.toMatchObject({ reason: 'reject.projection_not_found' });
  const descriptor = { prefix: 'docs/', order_by: { field: 'at', direction: 'desc' } };
  await client.request({ type: 'query.register', query_spec_id: 'q', version: '1', descriptor });
  await client.request({ type: 'projection.build', projection_id: 'p', query_spec_id: 'q' });
  let rows: readonly WatchedRow[] = [];
  const watching = watchProjection(client, 'p', (all) => (rows = all));
  const keys = () => rows.map(({ k }) => k);
  await expect.poll(keys).toEqual(['docs/b', 'docs/a']);
  await set('docs/a', { at: 'z' });
  await expect.poll(keys).toEqual(['docs/a', 'docs/b']);
  network.cut({ code: 1006, reason: '' });
  await set('docs/b', undefined);
  await set('docs/c', { at: 'm' });
  await expect.poll(keys).toEqual(['docs/a', 'docs/c']);
  watching.stop();
  await watching.ended;
  await set('docs/d', { at: 'zz' });
  expect(keys()).toEqual(['docs/a', 'docs/c']);
  client.close();
  await host.close();
});
