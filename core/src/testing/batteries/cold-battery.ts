/**
 * What every cold store must do. Run it on a new one:
 *
 *   for (const { name, run } of coldBattery) it(name, () => run(makeYours()));
 */
import { equalBytes, toUtf8 } from '../../codec/bytes/bytes.js';
import type { ColdStore } from '../../ports/cold-store.js';
import { same } from './battery.js';

export interface ColdCase {
  readonly name: string;
  run(store: ColdStore): Promise<void>;
}

const NAMES = ['segments/a-1', 'segments/a-2', 'images/a-1'] as const;
/** Larger than what services take in one part. */
const LARGE = 9 * 1024 * 1024;

export const coldBattery: readonly ColdCase[] = [
  {
    name: 'what was never put is not there, and is removed without complaint',
    async run(store) {
      same(await store.get(NAMES[0]), undefined);
      await store.remove(NAMES[0]);
    },
  },
  {
    name: 'objects come back as they went in, each under its name',
    async run(store) {
      const sizes = [0, 1, LARGE];
      for (const [i, name] of NAMES.entries()) await store.put(name, bytesOf(sizes[i]!));
      for (const [i, name] of NAMES.entries()) await expectBytes(store, name, bytesOf(sizes[i]!));
    },
  },
  {
    name: 'an object that was removed is not there, and the others are',
    async run(store) {
      for (const name of NAMES) await store.put(name, toUtf8(name));
      await store.remove(NAMES[0]);
      same(await store.get(NAMES[0]), undefined);
      for (const name of NAMES.slice(1)) await expectBytes(store, name, toUtf8(name));
    },
  },
  {
    name: 'what is handed in or out may be changed afterwards',
    async run(store) {
      const given = bytesOf(1000);
      await store.put(NAMES[0], given);
      given.fill(0);
      (await store.get(NAMES[0]))!.fill(0);
      await expectBytes(store, NAMES[0], bytesOf(1000));
    },
  },
];

function bytesOf(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i++) bytes[i] = i * 31 + (i >> 8);
  return bytes;
}

async function expectBytes(store: ColdStore, name: string, expected: Uint8Array): Promise<void> {
  const found = await store.get(name);
  if (!found || !equalBytes(found, expected)) throw new Error(`${name} is not what was put there`);
}
