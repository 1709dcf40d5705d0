/** What the host of one thread gives up while that of another thread writes an archive of it: both have the store over a real port. */
import { MessageChannel } from 'node:worker_threads';
import { type ArchiveStore, type HostOptions, createHost } from '@weft/core';
import { memoryArchives, memoryStore } from '@weft/core/memory';
import { expect, it, onTestFinished } from 'vitest';
import { remoteStore, storeAnswers } from './remote-store.js';
import { Wire } from './wire.js';

const PLANTED = 'planted '.repeat(100);

/** Archives that take the first bytes of one, and wait until they may go on. */
function haltingArchives() {
  const store = memoryArchives();
  let tell = (): void => undefined;
  let goOn = (): void => undefined;
  const begun = new Promise<void>((resolve) => (tell = resolve));
  const released = new Promise<void>((resolve) => (goOn = resolve));
  const halting = async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      yield chunk;
      tell();
      await released;
    }
  };
  const archives: ArchiveStore = {
    open: (name) => store.open(name),
    put: (name, bytes) => store.put(name, halting(bytes)),
  };
  const includes = async (name: string, text: string): Promise<boolean | undefined> => {
    const file = await store.open(name);
    if (!file) return undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.read(0, file.size)) chunks.push(chunk);
    return Buffer.concat(chunks).includes(text);
  };
  return { archives, begun, goOn: () => goOn(), includes };
}

it.each([
  ['erased', { EraseValue: { key: 'secret' } }, 'ValueErased'],
  ['pruned', { PruneHistory: {} }, 'HistoryPruned'],
])('[VE1] [PN1] an archive that one thread writes while it is %s in another is not kept', async (_, command, event) => {
  const store = memoryStore();
  await store.open();
  const hostOf = (isOwn: boolean, options: Partial<HostOptions> = {}) => {
    const { port1, port2 } = new MessageChannel();
    const [here, there] = [new Wire(port1), new Wire(port2)];
    there.serve(storeAnswers(store, there));
    const host = createHost({
      store: remoteStore(here),
      others: {
        counted: () => undefined,
        eraseBelow: (child) => Promise.resolve({ children: [], left: [child] }),
        serve: (id) => (id === 'room') !== isOwn,
        wrote: () => undefined,
      },
      ...options,
    });
    onTestFinished(async () => {
      await host.close();
      port1.close();
    });
    return host;
  };
  const { archives, begun, goOn, includes } = haltingArchives();
  const [own, clerk] = [hostOf(true), hostOf(false, { archives: { stores: { file: archives } } })];
  await own.withRoom('room', async (room) => {
    await room.set('secret', PLANTED);
    if ('PruneHistory' in command) await room.set('secret', 'other');
  });
  const ExportArchive = { archive_ref: 'file://a.weft', source_room: 'room' };
  const writing = clerk.submit({ room_id: 'clerk', command: { ExportArchive } });
  await begun;
  expect((await own.submit({ room_id: 'room', command })).events[0]).toMatchObject({ [event]: { nodes: 1 } });
  goOn();
  expect((await writing).events[0]).toHaveProperty('ArchiveExportRejected');
  expect(await includes('a.weft', 'planted ')).toBeUndefined();
  const again = await clerk.submit({ room_id: 'clerk', command: { ExportArchive } });
  expect(again.events[0]).toHaveProperty('ArchiveExported');
  expect(await includes('a.weft', 'planted ')).toBe(false);
});
