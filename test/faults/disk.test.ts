/** A data folder after a torn write, a cut file or a flipped bit: what opens is the beginning of what was there. */
import { randomBytes } from 'node:crypto';
import { cp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Host, type Room, StoreError, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { describe, expect, it } from 'vitest';
import { Random } from '../convergence/random.js';
import { tempFolder } from '../support/temp-folder.js';

const WRITES = 60;
const ROUNDS = 40;

const hostOf = (folder: string): Host => createHost({ store: levelStore(folder), onFault: () => undefined });

/** A folder with a room of many records; ids in the order of its log. */
async function written(folder: string): Promise<string[]> {
  const host = hostOf(folder);
  const room = await host.room('room');
  for (let i = 0; i < WRITES; i++) await room.set(`k${i}`, new Uint8Array(randomBytes(3000)));
  const ids = await idsOf(room);
  await host.close();
  return ids;
}

async function idsOf(room: Room): Promise<string[]> {
  const ids: string[] = [];
  for await (const { nodeId } of room.history()) ids.push(nodeId);
  return ids;
}

/** Room of a folder; undefined where the folder or its room is refused. */
async function opened(folder: string): Promise<{ ids: string[]; room: Room; host: Host } | undefined> {
  const host = hostOf(folder);
  try {
    const room = await host.room('room');
    return { ids: await idsOf(room), room, host };
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    await host.close().catch((closing: unknown) => expect(closing).toBeInstanceOf(StoreError));
    return undefined;
  }
}

type Damage = (bytes: Buffer, random: Random) => Buffer;
/** Torn writes: what a write leaves behind that a crash has cut short. */
const torn: Readonly<Record<string, Damage>> = {
  'is cut': (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  'ends in zeros': (bytes, random) => Buffer.from(bytes).fill(0, random.below(bytes.length)),
};
const damages: Readonly<Record<string, Damage>> = {
  ...torn,
  'has a flipped bit': (bytes, random) => {
    const changed = Buffer.from(bytes);
    const at = random.below(changed.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
    return changed;
  },
};

const logs = {
  'just written': { files: /\.log$/, reopenings: 0 },
  'opened again': { files: /\.ldb$/, reopenings: 1 },
};

describe.each(Object.entries(logs))('a log that was %s', (_, { files, reopenings }) => {
  it.each(Object.entries(damages))(
    'fault 30: a log that %s opens as its beginning, or not at all where no crash can have done that',
    async (name, damage) => {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const random = new Random(seed);
      const base = await tempFolder();
      const whole = join(base, 'whole');
      const ids = await written(whole);
      for (let i = 0; i < reopenings; i++) expect(await reopened(whole)).toEqual(ids);
      const seen = { refused: 0, shorter: 0, whole: 0 };
      for (let round = 0; round < ROUNDS; round++) {
        const copy = join(base, `copy${round}`);
        await cp(whole, copy, { recursive: true });
        const names = (await readdir(join(copy, 'log'))).filter((name) => files.test(name));
        const path = join(copy, 'log', random.pick(names));
        await writeFile(path, damage(await readFile(path), random));
        seen[await opensAsBeginning(copy, ids, `seed ${seed}, round ${round}`)]++;
        await rm(copy, { recursive: true });
      }
      expect(seen.whole, `seed ${seed}`).toBeLessThan(ROUNDS / 2);
      if (reopenings === 0 && name in torn) expect(seen.refused, `seed ${seed}`).toBe(0);
    },
  );
});

/**
 * Verdict on a damaged folder: refused, or opened with all of its log or a beginning of it, from which the room goes
 * on.
 */
async function opensAsBeginning(folder: string, ids: readonly string[], context: string) {
  const found = await opened(folder);
  if (!found) return 'refused';
  expect(found.ids, context).toEqual(ids.slice(0, found.ids.length));
  await found.room.set('after', 1);
  const after = await idsOf(found.room);
  await found.host.close();
  expect(await reopened(folder), context).toEqual(after);
  return found.ids.length < ids.length ? 'shorter' : 'whole';
}

async function reopened(folder: string): Promise<string[] | undefined> {
  const found = await opened(folder);
  await found?.host.close();
  return found?.ids;
}
