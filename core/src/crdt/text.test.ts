import { expect, it } from 'vitest';
import { newRoom } from '../testing/replicas.js';
import { createReplica, generateKeys } from '../peer.js';

it('[TX1] halves of a pair stay together, the first and the last pair that there are too', async () => {
  const { genesis } = await newRoom();
  const open = () => createReplica({ genesis: genesis.pack, keys: generateKeys() });
  for (const pair of ['\u{10000}', '\u{103FF}', '\u{10FC00}', '\u{10FFFF}', '😀']) {
    const replica = await open();
    const text = replica.text('t');
    text.insert(0, `a${pair}b`);
    expect(() => text.insert(2, 'x'), pair).toThrow();
    expect(() => text.delete(1, 1), pair).toThrow();
    text.delete(1, 2);
    expect(String(text)).toBe('ab');
  }
  // What stands just before and behind the halves is none.
  const replica = await open();
  const text = replica.text('t');
  text.insert(0, '\uD7FF\uE000');
  text.insert(1, 'x');
  expect(String(text)).toBe('\uD7FFx\uE000');
});
