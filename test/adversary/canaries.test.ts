import { createHost, createReplica, generateKeys, toBase64 } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, it, onTestFinished } from 'vitest';
import { CANARY, canaryIn } from './canaries.js';

async function packOf(text: string): Promise<string> {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  const room = await host.room('room');
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  for (let i = 0; i < 20; i++) replica.set(`k${i}`, `${text} ${'so that it is deflated '.repeat(20)}`);
  return toBase64((await replica.sealedMessage())!);
}

it.each([
  ['in a text', () => ({ welcome: { name: `it is ${CANARY}` } }), 'frame.welcome.name'],
  ['in a name', () => ({ values: { [CANARY]: 1 } }), `frame.values.${CANARY}`],
  ['in base64', () => ({ list: [0, toBase64(Buffer.from(`..${CANARY}..`))] }), 'frame.list.1'],
  ['in a pack', async () => ({ pack: await packOf(CANARY) }), 'frame.pack'],
  ['nowhere in a pack', async () => ({ pack: await packOf('nothing') }), undefined],
  [
    'nowhere in bytes that begin as a pack does',
    () => ({ nonce: toBase64(Uint8Array.of(0x57, 9, 1, 2, 3, 4)) }),
    undefined,
  ],
])('a canary is found %s', async (_, frame, at) => {
  expect(canaryIn(await frame())).toBe(at);
});
