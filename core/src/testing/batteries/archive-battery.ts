/** What every store of archives must keep. `open` answers a store on the same place each time within one case. */
import { type ArchiveFile, ArchiveNameError, type ArchiveStore } from '../../ports/archive-store.js';
import { same } from './battery.js';

export interface ArchiveCase {
  readonly name: string;
  run(open: () => ArchiveStore): Promise<void>;
}

const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte);

async function* from(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    const own = chunk.slice();
    yield own;
    own.fill(0); // a chunk may be changed once the next one is asked for
  }
}

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield filled(300_000, 1);
  throw new Error('the source broke off');
}

async function read(file: ArchiveFile, start = 0, end = file.size): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read(start, end)) chunks.push(chunk.slice());
  return Buffer.concat(chunks).toString('hex');
}

async function remaining(reading: AsyncIterator<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for (let next = await reading.next(); !next.done; next = await reading.next()) chunks.push(next.value.slice());
  return chunks;
}

async function contents(store: ArchiveStore, name: string): Promise<string | undefined> {
  const file = await store.open(name);
  if (!file) return undefined;
  return read(file).finally(() => file.close());
}

async function refuses(task: () => Promise<unknown>, isExpected: (error: unknown) => boolean): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (isExpected(error)) return;
    throw error;
  }
  throw new Error('nothing was refused');
}

const hex = (...parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('hex');

export const archiveBattery: readonly ArchiveCase[] = [
  {
    name: '[AR8] an archive is what was put, from any byte to any other',
    async run(open) {
      const [a, b] = [filled(200_000, 1), filled(150_001, 2)];
      await open().put('folder/a.weft', from(a, b));
      const file = (await open().open('folder/a.weft'))!;
      same(file.size, 350_001);
      same(await read(file), hex(a, b));
      same(await read(file, 199_999, 200_001), '0102');
      same(await read(file, 5, 5), '');
      await refuses(
        () => read(file, 350_000, 350_002),
        () => true,
      );
      await file.close();
    },
  },
  {
    name: '[AR8] an archive that is not there is not there',
    async run(open) {
      same(await open().open('a.weft'), undefined);
      same(await open().open('folder/a.weft'), undefined);
    },
  },
  {
    name: '[AR8] an archive is replaced whole, and whoever reads goes on with what was there, or no further',
    async run(open) {
      const store = open();
      await store.put('a', from(filled(400_000, 1)));
      const file = (await store.open('a'))!;
      const reading = file.read(0, file.size)[Symbol.asyncIterator]();
      const { value: first } = await reading.next();
      await store.put('a', from(filled(10, 2)));
      const rest = await remaining(reading).catch(() => undefined);
      if (rest) same(hex(first as Uint8Array, ...rest), hex(filled(400_000, 1)));
      await file.close();
      same(await contents(store, 'a'), hex(filled(10, 2)));
    },
  },
  {
    name: '[AR8] what breaks off leaves what was there',
    async run(open) {
      const isBreak = (error: unknown): boolean => String(error).includes('broke off');
      await refuses(() => open().put('a', breaking()), isBreak);
      same(await open().open('a'), undefined);
      await open().put('a', from(filled(3, 3)));
      await refuses(() => open().put('a', breaking()), isBreak);
      same(await contents(open(), 'a'), '030303');
    },
  },
  {
    name: '[AR8] names lead nowhere else',
    async run(open) {
      const odd = [
        '',
        '.',
        '..',
        '../a',
        'a/../../b',
        'a//b',
        'a/',
        '/a',
        '.hidden',
        'a/.b',
        'a\\b',
        'a\0b',
        'ä',
        'a\nb',
      ];
      for (const name of [...odd, '%2e%2e/a', '-flag', ' ', 'a b', 'x'.repeat(300), 'a/'.repeat(40) + 'a', '~/a']) {
        const isRefusal = (error: unknown): boolean => error instanceof ArchiveNameError;
        await refuses(() => open().open(name), isRefusal);
        await refuses(() => open().put(name, from(filled(1, 1))), isRefusal);
      }
    },
  },
];
