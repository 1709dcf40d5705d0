import { expect, it } from 'vitest';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import type { ArchiveStore } from '../ports/archive-store.js';
import { ManualClock } from '../testing/manual-clock.js';

const PLANTED = 'planted '.repeat(100);

/** A store of archives that takes the first bytes of one and then waits. */
function slowArchives(): { readonly store: ArchiveStore; readonly begun: Promise<void>; goOn(): void } {
  const store = memoryArchives();
  let tell = (): void => undefined;
  let goOn = (): void => undefined;
  const begun = new Promise<void>((resolve) => (tell = resolve));
  const released = new Promise<void>((resolve) => (goOn = resolve));
  return {
    store: {
      open: (name) => store.open(name),
      async put(name, bytes) {
        await store.put(
          name,
          (async function* () {
            for await (const chunk of bytes) {
              yield chunk;
              tell();
              await released;
            }
          })(),
        );
      },
    },
    begun,
    goOn: () => goOn(),
  };
}

async function contentOf(store: ArchiveStore, name: string): Promise<Buffer | undefined> {
  const file = await store.open(name);
  if (!file) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read(0, file.size)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

it.each([
  ['its own room', 'room'],
  ['another room', 'clerk'],
])('[VE1] an archive that is being written by %s when a value is erased is not kept', async (_name, clerk) => {
  const archives = slowArchives();
  const host = createHost({
    store: memoryStore(),
    clock: new ManualClock(),
    archives: { stores: { file: archives.store } },
  });
  await host.withRoom('room', async (room) => {
    await room.set('secret', PLANTED);
    await room.set('k', 1);
  });
  const surveys = await host.withRoom('room', (room) => Promise.resolve(room.surveys));
  const ExportArchive = { archive_ref: 'file://a.weft', source_room: 'room' };
  const writing = host.submit({ room_id: clerk, command: { ExportArchive } });
  await archives.begun;
  const erasing = host.submit({ room_id: 'room', command: { EraseValue: { key: 'secret' } } });
  await expect.poll(() => surveys.erasures).toBe(1);
  archives.goOn();
  const [told] = (await writing).events;
  expect(told).toMatchObject({
    ArchiveExportRejected: { reason_message: 'a value was erased from room room meanwhile: write the archive again' },
  });
  expect((await erasing).events[0]).toMatchObject({ ValueErased: { nodes: 1 } });
  expect(await contentOf(archives.store, 'a.weft')).toBeUndefined();
  await host.submit({ room_id: clerk, command: { ExportArchive } });
  expect((await contentOf(archives.store, 'a.weft'))!.includes('planted ')).toBe(false);
  await host.close();
});
