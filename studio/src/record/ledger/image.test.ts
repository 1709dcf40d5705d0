import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import type { Host } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Tallies, tally } from '../../testing/tally.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { openTestLedger } from '../../testing/record/test-ledger.js';
import { localCommand } from '../aggregates/command/command.js';
import { createRecords } from '../views/records.js';
import { imageFile } from './image-file.js';
import type { ImageStore } from './image.js';

/** Keeps every image that is written, in memory. */
function imagesInMemory(code = 'this code'): ImageStore & { bytes: Uint8Array | undefined; written: number } {
  return {
    code,
    fewest: 1,
    bytes: undefined,
    written: 0,
    async read() {
      return this.bytes;
    },
    async write(pieces) {
      const taken: Uint8Array[] = [];
      for await (const piece of pieces) taken.push(piece);
      this.bytes = Buffer.concat(taken);
      this.written++;
    },
  };
}

function newHost(): Host {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  return host;
}

async function open(host: Host, images?: ImageStore) {
  const tallies = new Tallies();
  const records = createRecords();
  /** Events that were folded, by their keys. */
  const folded: string[] = [];
  const follower = { aggregate: tally, fold: ({ key }: { key: string }) => (folded.push(key), 'folded' as const) };
  const collections = [...Object.values(records), tallies];
  const opened = await openTestLedger(host, { collections, images, followers: [follower] });
  return { ...opened, tallies, records, folded };
}

type Open = Awaited<ReturnType<typeof open>>;

/** Everything that readers of the record can see of it. */
function shown({ tallies, ledger, records }: Open, ids: readonly string[]) {
  return {
    all: tallies.all(),
    tags: ['red', 'blue'].map((tag) => tallies.where('tag', tag)),
    streams: ids.map((id) => [id, tallies.get(id), tallies.version(id), tallies.closedBy(id)]),
    told: ledger.feed.after(0),
    ofUnit: ledger.feed.ofWorkUnit('unit'),
    answers: ids.map((id) => records.localCommands.get(id)),
  };
}

const IDS = ['a', 'b', 'c', 'd'];

const step = fc.oneof(
  fc.record({
    kind: fc.constant('open' as const),
    id: fc.constantFrom(...IDS),
    isOfUnit: fc.boolean(),
    tags: fc.subarray(['red', 'blue']),
  }),
  fc.record({ kind: fc.constant('add' as const), id: fc.constantFrom(...IDS) }),
  fc.record({
    kind: fc.constant('tag' as const),
    id: fc.constantFrom(...IDS),
    tags: fc.subarray(['red', 'blue']),
  }),
  fc.record({ kind: fc.constant('end' as const), id: fc.constantFrom(...IDS) }),
  fc.record({ kind: fc.constant('answer' as const), id: fc.constantFrom(...IDS) }),
  /** An event of another host, in order or not, that this version can read or not. */
  fc.record({
    kind: fc.constant('other host' as const),
    id: fc.constantFrom(...IDS),
    position: fc.nat(6),
    isNewer: fc.boolean(),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function take({ ledger, workgroup, records }: Open, one: Step): Promise<void> {
  const { id } = one;
  const refused = (): void => undefined;
  if (one.kind === 'other host') {
    const event = one.isNewer ? { type: 'TallyPainted', v: 9 } : { type: 'TallyAdded', v: 1, much: 1 };
    const value = { ...event, meta: { at: 'then', by: 'another' } };
    const key = `studio/tally/${id}/${one.position}`;
    if (workgroup.get(key) === undefined) await workgroup.set(key, value);
    return;
  }
  if (one.kind === 'answer') {
    if (records.localCommands.get(id) !== undefined) return;
    const answered = { operation: 'tallies.add', input: 'hash', answer: { id } };
    await ledger.change('ann', (change) => change.run(localCommand, id, 'answer', answered));
    return;
  }
  await ledger
    .change('ann', (change) => {
      if (one.kind === 'add') change.run(tally, id, 'add', { much: 1 });
      else if (one.kind === 'tag') change.run(tally, id, 'tag', { tags: one.tags });
      else if (one.kind === 'end') change.end(tally, id, 'end', {});
      else change.run(tally, id, 'open', { id, tags: one.tags, ...(one.isOfUnit ? { workUnitId: 'unit' } : {}) });
    })
    .catch(refused);
}

describe('a record that comes from its image', () => {
  it('is the one that its log makes, whatever has happened before and after', async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, steps, async (before, after) => {
        const host = createHost({ store: memoryStore() });
        const images = imagesInMemory();
        const first = await open(host, images);
        for (const one of before) await take(first, one);
        await first.ledger.keepImage();
        first.ledger.close();
        for (const one of after) await take(first, one);
        const [fromImage, fromLog] = [await open(host, images), await open(host)];
        expect(shown(fromImage, IDS)).toEqual(shown(fromLog, IDS));
        for (const one of before) await take(fromImage, one);
        expect(shown(fromImage, IDS)).toEqual(shown(fromLog, IDS));
        for (const one of [fromImage, fromLog]) one.ledger.close();
        await host.close();
      }),
      { numRuns: 30 },
    );
  });

  it('folds only what the log has behind the image', async () => {
    const [host, images] = [newHost(), imagesInMemory()];
    const first = await open(host, images);
    await take(first, { kind: 'open', id: 'a', isOfUnit: false, tags: [] });
    await first.ledger.keepImage();
    await take(first, { kind: 'open', id: 'b', isOfUnit: false, tags: [] });
    expect((await open(host, images)).folded).toEqual(['studio/tally/b/0']);
  });

  it('is written anew while it runs, and not for every event', async () => {
    const [host, images] = [newHost(), imagesInMemory()];
    const { ledger } = await open(host, images);
    for (let n = 0; n < 200; n++) {
      await ledger.change('ann', (change) => change.run(tally, `t${n}`, 'open', { id: `t${n}` }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ledger.keepImage();
    expect(images.written).toBeGreaterThan(3);
    expect(images.written).toBeLessThan(60);
    const { bytes } = images;
    await ledger.keepImage();
    expect(images.bytes).toBe(bytes);
  });

  it.each([
    ['other code', (images: ImageStore) => ({ ...images, code: 'other code' })],
    ['damage', (images: ImageStore) => ({ ...images, read: async () => (await images.read())?.with(40, 0) })],
    [
      'a missing end',
      (images: ImageStore) => ({ ...images, read: async () => (await images.read())?.subarray(0, -9) }),
    ],
    ['nothing in it', (images: ImageStore) => ({ ...images, read: async () => new Uint8Array() })],
    [
      'a disk that cannot be read',
      (images: ImageStore) => ({ ...images, read: () => Promise.reject(new Error('EIO')) }),
    ],
  ])('is folded from its log where the image has %s', async (_, changed) => {
    const [host, images] = [newHost(), imagesInMemory()];
    const first = await open(host, images);
    await take(first, { kind: 'open', id: 'a', isOfUnit: true, tags: [] });
    await first.ledger.keepImage();
    expect(images.bytes).toBeDefined();
    const again = await open(host, changed(images));
    expect(again.folded).toEqual(['studio/tally/a/0']);
    expect(shown(again, IDS)).toEqual(shown(first, IDS));
  });

  it('is folded from its log where the image is of another log', async () => {
    const images = imagesInMemory();
    const first = await open(newHost(), images);
    await take(first, { kind: 'open', id: 'a', isOfUnit: false, tags: [] });
    await first.ledger.keepImage();
    const other = newHost();
    const second = await open(other);
    await take(second, { kind: 'open', id: 'b', isOfUnit: false, tags: [] });
    expect((await open(other, images)).tallies.all()).toMatchObject([{ id: 'b' }]);
    expect((await open(newHost(), images)).tallies.all()).toEqual([]);
  });

  it('goes on without an image where none can be written, and says so', async () => {
    const failing: ImageStore = { ...imagesInMemory(), write: () => Promise.reject(new Error('ENOSPC')) };
    const { ledger, log, tallies } = await open(newHost(), failing);
    await ledger.change('ann', (change) => change.run(tally, 'a', 'open', { id: 'a' }));
    await ledger.keepImage();
    expect(log).toMatchObject([{ level: 'warn', message: expect.stringContaining('no image') }]);
    expect(tallies.all()).toHaveLength(1);
  });
});

describe('the file of an image', () => {
  async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
    for (const text of texts) yield Buffer.from(text);
  }
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half');
    throw new Error('the disk is full');
  }

  it('holds what was written last, for its owner alone', async () => {
    const path = join(await tempFolder(), 'studio', 'record.image');
    const file = imageFile(path, 'code');
    expect(await file.read()).toBeUndefined();
    for (const text of ['one', 'two']) await file.write(pieces(text, ' more'));
    expect(Buffer.from((await file.read())!).toString()).toBe('two more');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is whole or not at all', async () => {
    const folder = await tempFolder();
    const file = imageFile(join(folder, 'record.image'), 'code');
    await file.write(pieces('whole'));
    await expect(file.write(broken())).rejects.toThrow('the disk is full');
    expect(await readdir(folder)).toEqual(['record.image']);
    await writeFile(join(folder, 'record.image.new'), 'left by a process that died, and longer');
    await file.write(pieces('again'));
    expect(await readFile(join(folder, 'record.image'), 'utf8')).toBe('again');
  });
});
