import { expect, it } from 'vitest';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost, type HostOptions } from '../engine.js';
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
  ['its own room', 'room', 'a value is erased', { EraseValue: { key: 'secret' } }],
  ['another room', 'clerk', 'a value is erased', { EraseValue: { key: 'secret' } }],
  ['its own room', 'room', 'history is pruned', { PruneHistory: {} }],
  ['another room', 'clerk', 'history is pruned', { PruneHistory: {} }],
])(
  '[VE1] [PN1] an archive that is being written by %s (%s) when %s is not kept',
  async (_name, clerk, _what, command) => {
    const archives = slowArchives();
    const host = createHost({
      store: memoryStore(),
      clock: new ManualClock(),
      archives: { stores: { file: archives.store } },
    });
    await host.withRoom('room', async (room) => {
      await room.set('secret', PLANTED);
      if ('PruneHistory' in command) await room.set('secret', 'other');
      await room.set('k', 1);
    });
    const surveys = await host.withRoom('room', (room) => Promise.resolve(room.surveys));
    const ExportArchive = { archive_ref: 'file://a.weft', source_room: 'room' };
    const writing = host.submit({ room_id: clerk, command: { ExportArchive } });
    await archives.begun;
    const erasing = host.submit({ room_id: 'room', command });
    await expect.poll(() => surveys.givingUp).toBe(1);
    archives.goOn();
    const [told] = (await writing).events;
    expect(told).toMatchObject({
      ArchiveExportRejected: {
        reason_message: 'history of room room was erased, pruned or replaced meanwhile: write the archive again',
      },
    });
    const what = 'PruneHistory' in command ? 'HistoryPruned' : 'ValueErased';
    expect((await erasing).events[0]).toMatchObject({ [what]: { nodes: 1 } });
    expect(await contentOf(archives.store, 'a.weft')).toBeUndefined();
    await host.submit({ room_id: clerk, command: { ExportArchive } });
    expect((await contentOf(archives.store, 'a.weft'))!.includes('planted ')).toBe(false);
    await host.close();
  },
);

it.each([
  ['a value is erased', { EraseValue: { key: 'secret' } }, 'ValueErased'],
  ['history is pruned', { PruneHistory: {} }, 'HistoryPruned'],
])('[VE1] [PN1] an archive that one host is writing when %s by another host is not kept', async (_, command, event) => {
  const archives = slowArchives();
  const store = memoryStore();
  const others = (isOwn: boolean): NonNullable<HostOptions['others']> => ({
    counted: () => undefined,
    eraseBelow: (child) => Promise.resolve({ children: [], left: [child] }),
    serve: (id) => (id === 'room') !== isOwn,
    wrote: () => undefined,
  });
  const own = createHost({ store, others: others(true) });
  const clerk = createHost({ store, others: others(false), archives: { stores: { file: archives.store } } });
  await own.withRoom('room', async (room) => {
    await room.set('secret', PLANTED);
    if ('PruneHistory' in command) await room.set('secret', 'other');
  });
  const ExportArchive = { archive_ref: 'file://a.weft', source_room: 'room' };
  const writing = clerk.submit({ room_id: 'clerk', command: { ExportArchive } });
  await archives.begun;
  expect((await own.submit({ room_id: 'room', command })).events[0]).toMatchObject({ [event]: { nodes: 1 } });
  archives.goOn();
  expect((await writing).events[0]).toMatchObject({
    ArchiveExportRejected: {
      reason_message: expect.stringContaining(
        'history of room room was erased, pruned or replaced meanwhile',
      ) as string,
    },
  });
  expect(await contentOf(archives.store, 'a.weft')).toBeUndefined();
  expect((await clerk.submit({ room_id: 'clerk', command: { ExportArchive } })).events[0]).toHaveProperty(
    'ArchiveExported',
  );
  expect((await contentOf(archives.store, 'a.weft'))!.includes('planted ')).toBe(false);
  await clerk.close();
  await own.close();
});
