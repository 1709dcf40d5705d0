/** What a device may keep rooms in, beside a browser's database: each gives back what it was given, and what it holds is nobody else's. */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { World } from '../testing/pages.js';
import { encrypted } from './encrypted.js';
import { folder } from './folder.js';
import { memory } from './memory.js';
import type { Storage } from './records.js';

const KEY = new Uint8Array(32).fill(7);
let world: World;
let home: string;
beforeEach(async () => {
  world = new World();
  home = await mkdtemp(join(tmpdir(), 'weft-storage-'));
});
afterEach(async () => {
  await world.end();
  await rm(home, { recursive: true, force: true });
});

const made: Readonly<Record<string, () => () => Storage>> = {
  'in a folder': () => () => folder(home),
  'in a folder, encrypted': () => () => encrypted(folder(home), KEY),
  'in memory, encrypted': () => {
    const inner = memory();
    return () => encrypted(inner, KEY);
  },
};

describe.each(Object.keys(made))('rooms %s', (name) => {
  it('are there without a network, with what was not sent, and are written under the same key again', async () => {
    const storage = made[name]!();
    const first = world.open(storage());
    await first.joined;
    first.set('k', { text: 'a', bytes: Uint8Array.of(1, 2), none: null });
    await first.sent();
    world.cut();
    first.text('body').insert(0, 'offline');
    expect(first.status.storage).toBe('kept');
    const author = first.replica.why('k')?.author;
    await first.close();

    const again = world.open(storage());
    await again.ready;
    expect([again.get('k'), again.textOf('body'), again.status.storage]).toEqual([
      { text: 'a', bytes: Uint8Array.of(1, 2), none: null },
      'offline',
      'kept',
    ]);
    again.set('l', 1);
    expect(again.replica.why('l')?.author).toBe(author);
    const beside = world.open(storage());
    await beside.ready;
    await expect.poll(() => beside.get('l')).toBe(1); // by word of the other, under a key of its own
    world.isOnline = true;
    const server = await world.host.room('room');
    await expect.poll(() => [server.text('body'), server.get('l')]).toEqual(['offline', 1]);
    expect(server.forks).toEqual([]);
    await Promise.all([again.close(), beside.close()]);
  });

  it('give back what they were given, whatever that is, until it is removed', async () => {
    const records = await made[name]!()().open('records');
    const given = [
      ['a/1', Uint8Array.from({ length: 300 }, (_, i) => i)],
      ['a/2', { none: undefined, list: [1, -0, Number.NaN, Infinity, 'é', null, true], at: new Date(5) }],
      ['a/3', { '\0': ['bytes', [1]], inner: { '\0': 'x' }, bytes: Uint8Array.of(9) }],
      ['b/1', true],
    ] as const;
    await records.write({ put: given }, true);
    expect(await records.read('a/')).toEqual(given.slice(0, 3));
    void records.write({ put: [['c', 'late']] }, false);
    await records.write({ remove: [{ prefix: 'a/' }, { prefix: 'c' }], put: [['a/9', 'new']] }, false);
    expect(await records.read('')).toEqual([['a/9', 'new'], given[3]]);
    records.close();
  });
});

describe('an encrypted storage', () => {
  it('has nothing in its files that can be read, and is not opened by another key, which changes nothing', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    const first = world.open(encrypted(folder(home), KEY));
    await first.joined;
    world.cut();
    first.set('name of it', 'nobody reads this');
    await first.kept();
    await first.close();
    const files = await readdir(home, { recursive: true, withFileTypes: true });
    const bytes = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
    );
    expect(bytes.join('')).toContain('slot/');
    expect(bytes.join('')).not.toMatch(/nobody reads this|name of it|publicKey|seed/);

    const other = world.open(encrypted(folder(home), new Uint8Array(32)));
    await expect.poll(() => other.status.connection).not.toBe('opening');
    expect(other.isReady).toBe(false);
    await other.close();
    expect(String(warned.mock.calls.flat()[1])).toContain('encrypted with another key');
    const again = world.open(encrypted(folder(home), KEY));
    await again.ready;
    expect(again.get('name of it')).toBe('nobody reads this');
    await again.close();
  });

  it('takes no record for another one', async () => {
    const inner = memory();
    const records = await encrypted(inner, KEY).open('r');
    await records.write({ put: [['one', 1]] }, true);
    const below = await inner.open('r');
    const [[, sealed]] = (await below.read('one')) as [[string, unknown]];
    await below.write({ put: [['two', sealed]] }, true);
    await expect(records.read('two')).rejects.toThrow('damaged');
    expect(await records.read('one')).toEqual([['one', 1]]);
  });
});
