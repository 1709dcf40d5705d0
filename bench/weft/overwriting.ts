// A room whose keys are overwritten again and again, written by one process and opened by another that has done nothing else.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { encode } from '@msgpack/msgpack';
import * as z from 'zod';
import { childFlags } from '../measuring/children.js';
import { askFreshProcess } from '../measuring/fresh-process.js';
import { collectGarbage, mustHold } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';

const Request = z.object({
  step: z.enum(['write', 'open', 'keep']),
  folder: z.string(),
  writes: z.number(),
  keys: z.number(),
});
type Request = z.infer<typeof Request>;
const Answer = z.record(z.string(), z.number());

const ROOM = 'bench';
export const KEYS = 10_000;
/** Nodes of one commit. */
const TOGETHER = 4000;

/** 7919 is prime, so every key has its turn before any has a second. */
const keyOf = (number: number, keys: number): string => `board/${(number * 7919) % keys}`;
/** 46 bytes, which resemble each other as those of a board of prices do. */
const valueOf = (number: number): object => ({ price: number / 100, size: number % 97, by: 'somebody', at: number });

/** The side of the bench. */
export async function measureOverwriting(writes: number, keys: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  const ask = async (step: Request['step']): Promise<Figures> =>
    Answer.parse(await askFreshProcess(childFlags.overwriter, { step, folder, writes, keys }, `that does: ${step}`));
  try {
    const written = await ask('write');
    const opened = await ask('open');
    const log_mb = await sizeOf(join(folder, 'log'));
    const [image_mb, ids_mb] = [await imageOf(folder), await sizeOf(join(folder, 'images'), isOfIds)];
    await ask('keep');
    const kept = await ask('open');
    const all = { kept_open_ms: kept['open_ms']!, kept_resident_mb: kept['resident_mb']! };
    return { ...written, ...opened, log_mb, image_mb, ids_mb, ...all, kept_image_mb: await imageOf(folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The side of the child. */
export async function answerOverwriting(argument: string): Promise<void> {
  const request = Request.parse(JSON.parse(argument));
  const steps = { write, open, keep };
  const figures = await steps[request.step](request);
  process.stdout.write(JSON.stringify(figures), () => process.exit(0));
}

async function write({ folder, writes, keys }: Request): Promise<Figures> {
  const host = createHost({ store: levelStore(folder) });
  const room = await host.room(ROOM);
  for (let written = 0; written < writes;)
    written = await room.transactMany((put) => {
      let number = written;
      for (const end = Math.min(writes, written + TOGETHER); number < end;) {
        const hasRoom = put([{ key: keyOf(number, keys), value: valueOf(number) }]);
        number++;
        if (!hasRoom) break;
      }
      return number;
    });
  await host.close();
  return { writer_peak_mb: process.resourceUsage().maxRSS / 1024 };
}

/** Writes the room down with every value in memory, as it was before values could be left to the log. */
async function keep({ folder }: Request): Promise<Figures> {
  const host = createHost({ store: levelStore(folder) });
  const room = await host.room(ROOM);
  await room.keepValues();
  await room.compact();
  await host.close();
  return {};
}

/** What the room takes is counted over what the process took when its host was ready, both after collections. */
async function open({ folder, writes, keys }: Request): Promise<Figures> {
  const host = createHost({ store: levelStore(folder) });
  await host.ready();
  await (await host.room('another')).set('k', 1); // what the first room of a process needs is not this one's
  const before = settled();
  const started = performance.now();
  const room = await host.room(ROOM);
  const open_ms = performance.now() - started;
  const after = settled();
  mustHold(
    JSON.stringify(room.get(keyOf(writes - 1, keys))) === JSON.stringify(valueOf(writes - 1)),
    'a value is lost',
  );
  const past_ms = await readPast(room, Math.floor(writes / 2), keys);
  const valueBytes = encode(valueOf(writes - 1)).length;
  return {
    open_ms,
    ...(keys === writes && { key_bytes: (after.rss - before.rss) / keys - valueBytes }),
    resident_mb: (after.rss - before.rss) / 1e6,
    buffers_mb: (after.arrayBuffers - before.arrayBuffers) / 1e6,
    heap_mb: (after.heapUsed - before.heapUsed) / 1e6,
    past_ms,
  };
}

type Room = Awaited<ReturnType<ReturnType<typeof createHost>['room']>>;

async function readPast(room: Room, at: number, keys: number): Promise<number> {
  const started = performance.now();
  const view = await room.asOf(at + 1); // behind the genesis, so many writes
  const ms = performance.now() - started;
  mustHold(
    JSON.stringify(view.get(keyOf(at - 1, keys))) === JSON.stringify(valueOf(at - 1)),
    'a value of the past is lost',
  );
  return ms;
}

function settled(): NodeJS.MemoryUsage {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage();
}

const isOfIds = (name: string): boolean => name.includes('.ids');
const imageOf = (folder: string): Promise<number> => sizeOf(join(folder, 'images'), (name) => !isOfIds(name));

/** Size of the files below a folder, in MB. */
async function sizeOf(folder: string, counts: (name: string) => boolean = () => true): Promise<number> {
  const names = (await readdir(folder, { recursive: true })).filter(counts);
  const found = await Promise.all(names.map((name) => stat(join(folder, name))));
  return found.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0) / 1e6;
}
