// A room with blobs written to an archive, validated and taken in by another server: each in a process that has done
// nothing else, so that its greatest memory is that of this alone.
import { createHash, randomFillSync } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import {
  type Host,
  type Store,
  createHost,
  createReplica,
  generateKeys,
  keysFromSeed,
  parseBlobHash,
  parseRoomId,
  toHex,
} from '@weft/core';
import { folderArchives, levelStore } from '@weft/core/level';
import * as z from 'zod';
import { childFlags } from '../measuring/children.js';
import { askFreshProcess } from '../measuring/fresh-process.js';
import { mustHold } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';

const Request = z.object({
  step: z.enum(['write', 'export', 'validate', 'import']),
  folder: z.string(),
  nodes: z.number(),
  blobs: z.number(),
});
type Request = z.infer<typeof Request>;
const Answer = z.object({ ms: z.number(), peak_mb: z.number(), stall_ms: z.number() });

const ROOM = 'bench';
export const BLOB_BYTES = 4_000_000;
const archive_ref = 'file://room.weft';

/** The side of the bench. */
export async function measureArchive(nodes: number, blobs: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  const ask = async (step: Request['step']) =>
    Answer.parse(await askFreshProcess(childFlags.archiver, { step, folder, nodes, blobs }, `that does: ${step}`));
  try {
    const idle = await ask('write');
    mustHold(idle.ms > 0, 'nothing was written');
    const [made, validated, taken] = [await ask('export'), await ask('validate'), await ask('import')];
    return {
      archive_mb: (await stat(join(folder, 'room.weft'))).size / 1e6,
      export_ms: made.ms,
      export_peak_mb: made.peak_mb,
      export_stall_ms: made.stall_ms,
      validate_ms: validated.ms,
      validate_peak_mb: validated.peak_mb,
      validate_stall_ms: validated.stall_ms,
      import_ms: taken.ms,
      import_peak_mb: taken.peak_mb,
      import_stall_ms: taken.stall_ms,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The side of the child. */
export async function answerArchiving(argument: string): Promise<void> {
  const request = Request.parse(JSON.parse(argument));
  const { step, folder } = request;
  const store = levelStore(join(folder, step === 'import' ? 'other' : 'one'));
  // The other server takes what this one has made.
  const trusted = step === 'import' ? [await keyOf(join(folder, 'one'))] : [];
  const host = createHost({ store, archives: { stores: { file: folderArchives(folder) }, trusted } });
  await host.ready();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  if (step === 'write') await write(host, store, request);
  if (step === 'export') await done(host, 'ExportArchive', {}, 'ArchiveExported');
  if (step === 'validate') await done(host, 'ValidateArchive', { mode: 'full_integrity' }, 'ArchiveValidated');
  if (step === 'import') {
    const body = await done(host, 'ImportArchive', { import_mode: 'full_apply' }, 'ArchiveImported');
    mustHold(body['imported_blobs'] === request.blobs, 'not all blobs came');
    mustHold((await host.room(ROOM)).get(`key/${request.nodes - 1}`) === request.nodes - 1, 'not all values came');
  }
  const ms = performance.now() - started;
  const stall_ms = delay.max / 1e6;
  await host.close();
  const peak_mb = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(JSON.stringify({ ms, peak_mb, stall_ms }), () => process.exit(0));
}

async function write(host: Host, store: Store, { nodes, blobs }: Request): Promise<void> {
  const room = await host.room(ROOM);
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  for (let i = 0; i < nodes; i++) replica.set(`key/${i}`, i);
  mustHold((await room.admit((await replica.seal())!, { from: 'peer' })).refused.length === 0, 'a node was refused');
  for (let i = 0; i < blobs; i++) {
    const bytes = randomFillSync(new Uint8Array(BLOB_BYTES));
    const hash = parseBlobHash(createHash('sha256').update(bytes).digest('hex'))!;
    await store.blobs.put(hash, Readable.from([bytes]), bytes.length);
    await store.blobs.link(parseRoomId(ROOM)!, hash);
  }
}

async function keyOf(folder: string): Promise<string> {
  const store = levelStore(folder);
  await store.open();
  const { publicKey } = keysFromSeed(toHex(await store.authoritySeed()));
  await store.close();
  return publicKey;
}

async function done(host: Host, command: string, payload: object, expected: string): Promise<Record<string, unknown>> {
  const { events } = await host.submit({ room_id: ROOM, command: { [command]: { archive_ref, ...payload } } });
  const [event, body] = Object.entries(events[0] ?? {})[0] ?? [];
  mustHold(event === expected, `${command}: ${JSON.stringify(body)}`);
  return { ...body };
}
