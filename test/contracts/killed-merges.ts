/** A process that appends, merges and puts images until it is killed, and what must be there afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { type RoomId, parseRoomId } from '@weft/core';
import { levelStore } from '@weft/core/level';

const script = fileURLToPath(new URL('merge-until-killed.mjs', import.meta.url));
const ROOMS = ['one', 'other', 'third'].map((name) => parseRoomId(name) as RoomId);

/** The last number that the process said of each thing, like `head one`. */
export type Acked = Map<string, number>;

/** Kills the process after so many answers, and reads to the end what it had still said. */
export async function runAndKill(folder: string, answers: number, acked: Acked): Promise<void> {
  const child = spawn(process.execPath, [script, folder, ...ROOMS], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const gone = once(child, 'exit');
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [what = '', room, number] = line.split(' ');
    if (number !== undefined) acked.set(`${what} ${room}`, Number(number));
    if (++seen === answers) child.kill('SIGKILL');
  }
  await gone;
  expect(seen, 'the process ended by itself').toBeGreaterThanOrEqual(answers);
}

export async function expectAll(folder: string, acked: Acked): Promise<void> {
  const store = levelStore(folder);
  await store.open();
  try {
    for (const room of ROOMS) {
      const known = (what: string): number => acked.get(`${what} ${room}`) ?? 0;
      let head = 0;
      const ends = new Set<number>();
      for await (const { seq, count, pack } of store.log.read(room, 0)) {
        expect(seq).toBe(head);
        const nodes = Buffer.from(pack).toString().split('\n').slice(0, -1);
        expect(nodes).toEqual(Array.from({ length: count }, (_, i) => `${seq + i} ${'.'.repeat((seq + i) % 100)}`));
        head += count;
        ends.add(head);
      }
      expect(head).toBeGreaterThanOrEqual(known('head'));
      expect(await store.log.head(room)).toBe(head);
      const image = await store.images.get(room);
      if (!image) expect(known('image')).toBe(0);
      else expectWhole(image, known('image'));
    }
  } finally {
    await store.close();
  }
}

/** Check that an image is whole: it has its number on every two bytes, so no part of it is of another image. */
function expectWhole(image: Uint8Array, atLeast: number): void {
  const number = (image[0] ?? 0) + 256 * (image[1] ?? 0);
  expect(number).toBeGreaterThanOrEqual(atLeast);
  expect(Buffer.compare(image, Buffer.alloc(150_000, image.subarray(0, 2)))).toBe(0);
}
