import { expect, it } from 'vitest';
import { ReadyPacks } from './ready-packs.js';

function making(ready: ReadyPacks) {
  const made: string[] = [];
  const get = (name: string, bytes = 10): Promise<Uint8Array | undefined> =>
    ready.get(name, () => {
      made.push(name);
      return Promise.resolve(new Uint8Array(bytes));
    });
  return { made, get };
}

it('[HS5] a part is made once, for all who ask at the same time and for who comes later', async () => {
  const { made, get } = making(new ReadyPacks());
  const [one, other] = await Promise.all([get('a'), get('a')]);
  expect(other).toBe(one);
  expect(await get('a')).toBe(one);
  expect(made).toEqual(['a']);
});

it('[HS5] no more is kept than may be, and what was used last stays', async () => {
  const ready = new ReadyPacks(30);
  const { made, get } = making(ready);
  for (const name of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) {
    await get(name);
    expect(ready.bytes).toBeLessThanOrEqual(30);
  }
  expect(made).toEqual(['a', 'b', 'c', 'd', 'b']);
  await get('longer than all', 31);
  expect(ready.bytes).toBe(0);
});

it('[HS5] what could not be made is tried again', async () => {
  const ready = new ReadyPacks();
  await expect(ready.get('a', () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  expect(await ready.get('a', () => Promise.resolve(new Uint8Array(1)))).toHaveLength(1);
});
