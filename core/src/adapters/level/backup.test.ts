/** Copies, as whoever waits for one sees them. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHost } from '../../engine.js';
import { restoreBackup } from './backup.js';
import { backUp, levelStore } from './level-store.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function filled() {
  const store = levelStore(join(folder, 'data'));
  const host = createHost({ store });
  const room = await host.room('plans');
  for (let i = 0; i < 20; i++) await room.set(`k${i}`, i);
  return { store, host };
}

it('tells how many bytes it has copied, of about how many, and never more than those', async () => {
  const { store, host } = await filled();
  const told: (readonly [number, number])[] = [];
  const progress = (bytes: number, about: number): void => void told.push([bytes, about]);
  const copied = await backUp(store, join(folder, 'copy'), { progress });
  expect(told.at(-1)?.[0]).toBe(copied.bytes);
  for (const [at, [bytes, about]] of told.entries()) {
    expect(bytes).toBeGreaterThanOrEqual(told[at - 1]?.[0] ?? 0);
    expect(about).toBeGreaterThanOrEqual(bytes);
  }
  told.length = 0;
  expect(await restoreBackup(join(folder, 'copy'), join(folder, 'again'), { progress })).toEqual(copied);
  expect(told.at(-1)?.[0]).toBe(copied.bytes);
  await host.close();
});

it('leaves nothing when it is stopped in the middle, and the store goes on', async () => {
  const { store, host } = await filled();
  const stop = new AbortController();
  let told = 0;
  const watching = { signal: stop.signal, progress: () => void (++told === 10 && stop.abort()) };
  await expect(backUp(store, join(folder, 'copy'), watching)).rejects.toThrow(/abort/);
  expect([told, await readdir(folder)]).toEqual([10, ['data']]);
  await (await host.room('plans')).set('after', 1);
  await backUp(store, join(folder, 'copy'));
  await host.close();
  const signal = AbortSignal.abort();
  await expect(restoreBackup(join(folder, 'copy'), join(folder, 'again'), { signal })).rejects.toThrow(/abort/);
  expect((await readdir(folder)).sort()).toEqual(['copy', 'data']);
});
