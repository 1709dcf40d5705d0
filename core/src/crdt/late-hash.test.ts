/** A hash that is loaded later is the hash that was there all along. */
import { expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { createReplica as openPage, peerKeys } from '../page.js';
import { createReplica, generateKeys } from '../peer.js';

it('[SH1] a state hash that is loaded when it is asked for says what one from the beginning says', async () => {
  const { genesis } = await createHost({ store: memoryStore() }).room('room');
  const crypto = await peerKeys();
  const page = await openPage({ genesis: genesis.pack, keys: await crypto.generateKeys(), crypto });
  const other = await createReplica({ genesis: genesis.pack, keys: generateKeys() });
  const write = async (turn: number): Promise<void> => {
    page.set(`k${turn}`, turn);
    page.set('k', turn);
    page.text('t').insert(0, `turn ${turn} `);
    page.text('t').delete(0, 2);
    page.list('l').push(turn);
    const nodes = await page.seal();
    if (nodes) await other.receive(nodes);
  };
  await write(1);
  expect(() => page.stateHash).toThrow('await hashed() first');
  expect(() => page.prove('k')).toThrow('await hashed() first');
  expect(await page.hashed()).toBe(other.stateHash);
  await write(2);
  expect(page.stateHash).toBe(other.stateHash);
  expect(page.prove('k').proof).toEqual(other.prove('k').proof);

  const again = await openPage({ saved: page.save(), keys: await crypto.generateKeys(), crypto });
  expect(await again.hashed()).toBe(other.stateHash);
  expect(await other.hashed()).toBe(other.stateHash);
});
