/** Webhooks of rooms, against a real HTTP server and a store in a folder. */
import { createHmac } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type RoomId, createHost } from '@weft/core';
import { folderArchives, levelStore } from '@weft/core/level';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.js';
import type { OperatorContext } from '../operator/define.js';
import { roomFork } from '../operator/words/topology/fork.js';
import { followedStore } from './followed-store.js';
import { FileJournal } from './file-journal.js';
import { nodesOf } from './told-nodes.js';
import { Webhooks } from './webhooks.js';

interface Notice {
  readonly webhook: string;
  readonly room: string;
  readonly from?: number;
  readonly after?: string;
  readonly to?: number;
  readonly head?: number;
  readonly deleted?: true;
  readonly nodes?: readonly {
    readonly seq: number;
    readonly node: string;
    readonly author: string;
    readonly keys: readonly string[];
  }[];
}

type Answer = (notice: Notice, response: ServerResponse, count: number) => void;

const taking: Answer = (_notice, response) => void response.end();

/** A receiver that notes all it is told, and what of it it has taken. */
async function receiver(answer: Answer = taking) {
  const all: { readonly headers: IncomingMessage['headers']; readonly text: string }[] = [];
  const taken: Notice[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      const notice = JSON.parse(text) as Notice;
      all.push({ headers: request.headers, text });
      response.on('finish', () => response.statusCode < 300 && taken.push(notice));
      answer(notice, response, all.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { all, taken, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

/** A host on a folder that tells what becomes of its rooms, as `weft serve` has one. */
async function site(folder: string, times = { timeoutMs: 2000, firstWaitMs: 1, mostWaitMs: 5 }) {
  const bare = levelStore(folder);
  const { store, onChange } = followedStore(bare);
  const host = createHost({ store, archives: { stores: { file: folderArchives(join(folder, 'archives')) } } });
  await host.ready();
  const webhooks = await Webhooks.open({ path: join(folder, 'webhooks.jsonl'), log: () => bare.log, times });
  await webhooks.start({ nodes: nodesOf(host), telemetry: { record: () => undefined } });
  onChange((room) => webhooks.changed(room));
  let ended: Promise<void> | undefined;
  const close = (): Promise<void> => (ended ??= webhooks.close().then(() => host.close()));
  onTestFinished(close);
  return { host, store: bare, webhooks, close };
}

const positions = (taken: readonly Notice[], room: string) =>
  taken.filter((notice) => notice.room === room).flatMap(({ nodes = [] }) => nodes.map(({ seq }) => seq));

const upTo = (end: number) => Array.from({ length: end }, (_, seq) => seq);

describe('a webhook of rooms', () => {
  it('is told of all that becomes of its rooms, in order, signed, and of no others', async () => {
    const { host, webhooks } = await site(await tempFolder());
    const { all, taken, url } = await receiver();
    const before = await host.room('plans-1');
    await before.set('title', 'known');
    const { id, secret } = await webhooks.add({ url, rooms: 'plans-*', fromStart: false });
    const head = before.seq;
    await before.set('title', 'new');
    await before.edit((edits) => {
      edits.insertText('body', 'First');
      edits.insertText('body', '!');
      edits.insertItem('tasks', 0, 'Begin');
    });
    await (await host.room('plans-2')).set('a', 1);
    await (await host.room('other')).set('a', 1);
    await expect.poll(() => positions(taken, 'plans-1').at(-1)).toBe(before.seq - 1);
    await expect.poll(() => positions(taken, 'plans-2').length).toBe((await host.room('plans-2')).seq);

    expect(positions(taken, 'plans-1')).toEqual(upTo(before.seq).slice(head));
    expect(taken.filter(({ room }) => room === 'other')).toEqual([]);
    // The room's own nodes have names that no peer can write.
    const keys = taken.flatMap(({ nodes = [] }) => nodes.flatMap((node) => node.keys)).filter((key) => key > '!');
    expect(new Set(keys)).toEqual(new Set(['title', 'body', 'tasks', 'a']));
    for (const { headers, text } of all) {
      const mac = createHmac('sha256', secret)
        .update(`${String(headers['weft-timestamp'])}.${text}`)
        .digest('hex');
      expect(headers['weft-signature']).toBe(`v1=${mac}`);
      expect(JSON.parse(text)).toMatchObject({ webhook: id });
    }
    expect(webhooks.list()).toEqual([{ id, url, rooms: 'plans-*', waiting: 0, failures: 0, lastFailure: undefined }]);
    expect(JSON.stringify(webhooks.list())).not.toContain(secret);
  });

  it('is told what there is already where it asks for it, in requests of at most 200 nodes', async () => {
    const { host, webhooks } = await site(await tempFolder());
    const { taken, url } = await receiver();
    const room = await host.room('plans');
    for (let n = 0; n < 450; n++) await room.set('n', n);
    await webhooks.add({ url, rooms: '*', fromStart: true });
    await expect.poll(() => positions(taken, 'plans')).toEqual(upTo(room.seq));
    for (const { from = 0, to = 0, nodes = [] } of taken) {
      expect(nodes.length).toBeLessThanOrEqual(200);
      expect(nodes.length).toBe(to - from);
    }
  });

  it('is told again what it did not take: refusals, hangs, cut connections, redirects', async () => {
    const elsewhere = await receiver();
    const wrong: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(500).end(),
      (response) => response.destroy(),
      (response) => response.writeHead(307, { location: elsewhere.url }).end(),
      (response) => response.writeHead(404).end('no'),
      () => undefined, // it never answers
    ];
    const { host, webhooks } = await site(await tempFolder(), { timeoutMs: 100, firstWaitMs: 1, mostWaitMs: 5 });
    const { all, taken, url } = await receiver((_notice, response, count) => {
      const fault = wrong[count - 1];
      if (fault) fault(response);
      else response.end();
    });
    await webhooks.add({ url, rooms: '*', fromStart: false });
    const room = await host.room('plans');
    await room.set('a', 1);
    await expect.poll(() => positions(taken, 'plans')).toEqual(upTo(room.seq));
    expect(all.length).toBeGreaterThan(wrong.length);
    expect(elsewhere.all).toEqual([]);
    await expect.poll(() => webhooks.list()).toMatchObject([{ failures: 0, waiting: 0 }]);
  });

  it('says why it waits, and goes on after a restart where it was', async () => {
    const folder = await tempFolder();
    const first = await site(folder, { timeoutMs: 2000, firstWaitMs: 600_000, mostWaitMs: 600_000 });
    const { taken, url } = await receiver((_notice, response, count) => {
      if (count === 2) response.writeHead(503).end();
      else response.end();
    });
    const { id } = await first.webhooks.add({ url, rooms: '*', fromStart: false });
    const room = await first.host.room('plans');
    await room.set('a', 1);
    await expect.poll(() => positions(taken, 'plans')).toEqual(upTo(room.seq));
    await expect.poll(() => first.webhooks.list()).toMatchObject([{ waiting: 0 }]);
    const told = room.seq;
    await room.set('a', 2);
    await expect
      .poll(() => first.webhooks.list())
      .toMatchObject([{ id, waiting: 1, failures: 1, lastFailure: 'the receiver answered 503' }]);
    await first.close();

    const second = await site(folder);
    await expect.poll(() => positions(taken, 'plans')).toEqual(upTo(told + 1));
    expect(second.webhooks.list()).toMatchObject([{ id, url }]);
  });

  it('hears of rooms that are forked and deleted, also of what happens while nobody tells', async () => {
    const folder = await tempFolder();
    const first = await site(folder);
    const { taken, url } = await receiver();
    await first.webhooks.add({ url, rooms: '*', fromStart: false });
    const room = await first.host.room('plans');
    await room.set('a', 1);
    const context = { host: first.host, store: first.store } as OperatorContext;
    await roomFork.answer(context, { room: 'plans', child: 'child' });
    await expect.poll(() => positions(taken, 'plans')).toEqual(upTo(room.seq));
    await expect.poll(() => positions(taken, 'child')).toEqual(upTo(await first.store.log.head('child' as RoomId)));
    await first.close();

    const bare = levelStore(folder);
    await bare.open();
    await bare.log.remove('plans' as RoomId, new Uint8Array([1]));
    await bare.close();
    await site(folder);
    await expect.poll(() => taken.filter(({ deleted }) => deleted)).toMatchObject([{ room: 'plans', deleted: true }]);
  });

  it('says what it goes on from, and begins anew where a room is another one than it was told of', async () => {
    const { taken, url } = await receiver();
    const folder = await tempFolder();
    const first = await site(folder);
    await first.webhooks.add({ url, rooms: 'plans', fromStart: true });
    for (const title of ['one', 'two']) await first.host.withRoom('plans', (room) => room.set('title', title));
    await expect.poll(() => positions(taken, 'plans')).toEqual(upTo(3));
    await first.close();
    const chained = taken.flatMap(({ after, nodes = [] }) => [after, ...nodes.map(({ node }) => node)]);
    expect(chained[0]).toBeUndefined();
    for (const { from = 0, after } of taken)
      expect(after).toBe(from === 0 ? undefined : taken.flatMap(({ nodes = [] }) => nodes)[from - 1]!.node);
    const bare = levelStore(folder);
    await bare.open();
    await bare.log.remove('plans' as RoomId, new Uint8Array([1]));
    await bare.log.unbar('plans' as RoomId);
    await bare.close();
    const silent = createHost({ store: levelStore(folder) });
    for (const title of ['another', 'room', 'of', 'that name'])
      await silent.withRoom('plans', (room) => room.set('title', title));
    await silent.close();
    taken.length = 0;
    const { store } = await site(folder);
    await expect.poll(() => positions(taken, 'plans')).toEqual(upTo(await store.log.head('plans' as RoomId)));
    expect(taken[0]).toMatchObject({ from: 0 });
    expect(taken[0]).not.toHaveProperty('after');
  });

  it('that hangs holds up neither the others nor the end of the host', async () => {
    const { host, webhooks, close } = await site(await tempFolder(), {
      timeoutMs: 600_000,
      firstWaitMs: 1,
      mostWaitMs: 5,
    });
    const stuck = await receiver(() => undefined);
    const { taken, url } = await receiver();
    await webhooks.add({ url: stuck.url, rooms: '*', fromStart: false });
    await webhooks.add({ url, rooms: '*', fromStart: false });
    const room = await host.room('plans');
    await room.set('a', 1);
    await expect.poll(() => positions(taken, 'plans')).toEqual(upTo(room.seq));
    await expect.poll(() => stuck.all.length).toBe(1);
    await close();
  });

  it('is not held up by a room that is shut, and is told of it when it opens', async () => {
    const { host, webhooks } = await site(await tempFolder());
    const { taken, url } = await receiver();
    await (await host.room('shut')).set('a', 1);
    await host.quarantine('shut', 'a look');
    await webhooks.add({ url, rooms: '*', fromStart: true });
    const room = await host.room('plans');
    await room.set('a', 1);
    await expect.poll(() => positions(taken, 'plans')).toEqual(upTo(room.seq));
    await expect
      .poll(() => webhooks.list())
      .toMatchObject([{ waiting: 1, lastFailure: expect.stringContaining('room shut cannot be read') as string }]);
    await host.resume('shut');
    await expect.poll(() => positions(taken, 'shut').length).toBeGreaterThan(0);
  });

  it('hears nothing after it was removed, and nobody finds it', async () => {
    const { host, webhooks } = await site(await tempFolder());
    const { all, url } = await receiver();
    const { id } = await webhooks.add({ url, rooms: '*', fromStart: false });
    await webhooks.remove(id);
    await (await host.room('plans')).set('a', 1);
    const other = await receiver();
    await webhooks.add({ url: other.url, rooms: '*', fromStart: true });
    await expect.poll(() => other.taken.length).toBeGreaterThan(0);
    expect(all).toEqual([]);
    await expect(webhooks.remove(id)).rejects.toThrow(`there is no webhook ${id}`);
  });

  it('is refused for an address that anybody on the way could read, and beyond sixteen', async () => {
    const { webhooks } = await site(await tempFolder());
    for (const [url, why] of [
      ['http://hooks.example/', 'in the open'],
      ['ftp://127.0.0.1/', 'is no http address'],
      ['https://ann:secret@hooks.example/', 'a password in it'],
    ] as const)
      await expect(webhooks.add({ url, rooms: '*', fromStart: false })).rejects.toThrow(why);
    expect(webhooks.list()).toEqual([]);
    const { url } = await receiver();
    for (let n = 0; n < 16; n++) await webhooks.add({ url, rooms: 'none', fromStart: false });
    await expect(webhooks.add({ url, rooms: '*', fromStart: false })).rejects.toThrow('there are 16 webhooks already');
  });
});

describe('a webhook of rooms that give up history', () => {
  const SECRET = 'canary-of-what-was-erased';

  it('is told the log without gaps where its place lies before what was pruned', async () => {
    const { host, store, webhooks } = await site(await tempFolder());
    let isOpen = false;
    const { taken, url } = await receiver((_notice, response) => {
      if (isOpen) response.end();
      else response.writeHead(503).end();
    });
    await webhooks.add({ url, rooms: '*', fromStart: false });
    await host.withRoom('plans', async (room) => {
      for (let n = 0; n < 5; n++) await room.set('title', n);
    });
    await expect.poll(() => webhooks.list()).toMatchObject([{ waiting: 1 }]);
    await host.submit({ room_id: 'plans', command: { PruneHistory: {} } });
    isOpen = true;
    const head = await store.log.head('plans' as RoomId);
    await expect.poll(() => positions(taken, 'plans')).toEqual(upTo(head));
    // What was overwritten says no more what it was about; what stands does.
    const keys = taken.flatMap(({ nodes = [] }) => nodes.map((node) => node.keys));
    expect(keys.filter((some) => some.includes('title'))).toHaveLength(1);
    await expect.poll(() => webhooks.list()).toMatchObject([{ waiting: 0, failures: 0 }]);
  });

  it('is told nothing of what was erased while its request was under way, also not by the next try', async () => {
    const { host, store, webhooks } = await site(await tempFolder(), {
      timeoutMs: 60_000,
      firstWaitMs: 1,
      mostWaitMs: 5,
    });
    let held: ServerResponse | undefined;
    const { all, taken, url } = await receiver((_notice, response, count) => {
      if (count === 1) held = response;
      else response.end();
    });
    await host.withRoom('plans', async (room) => {
      await room.set(SECRET, SECRET);
      await room.set('title', 'stays');
    });
    await webhooks.add({ url, rooms: '*', fromStart: true });
    await expect.poll(() => held).toBeDefined();
    expect(all[0]!.text).toContain(SECRET); // its name: values are never told
    await host.submit({ room_id: 'plans', command: { EraseValue: { key: SECRET } } });
    const told = all.length;
    held!.destroy();
    const head = await store.log.head('plans' as RoomId);
    await expect.poll(() => positions(taken, 'plans')).toEqual(upTo(head));
    const later = all.slice(told).map(({ text }) => JSON.parse(text) as Notice);
    const names = later.flatMap(({ nodes = [] }) => nodes.map(({ seq, keys }) => [seq, keys] as const));
    expect(names.filter(([seq, keys]) => seq < 3 && keys.includes(SECRET))).toEqual([]);
    expect(names.find(([, keys]) => keys.includes('title'))?.[0]).toBe(2);
  });

  it('is told of a room that an archive has made, in the order of its log', async () => {
    const { host, store, webhooks } = await site(await tempFolder());
    const { taken, url } = await receiver();
    await webhooks.add({ url, rooms: '*', fromStart: false });
    await host.withRoom('plans', async (room) => {
      for (let n = 0; n < 3; n++) await room.set(`k${n}`, n);
    });
    const archive_ref = 'file://plans.weft';
    const ask = async (room: string, command: object): Promise<string[]> => {
      const { events } = await host.submit({ room_id: room, command: command as Record<string, unknown> });
      return events.flatMap((event) => Object.keys(event));
    };
    expect(await ask('plans', { ExportArchive: { room: 'plans', archive_ref } })).toEqual(['ArchiveExported']);
    expect(await ask('again', { ImportArchive: { room: 'again', archive_ref, import_mode: 'full_apply' } })).toEqual([
      'ArchiveImported',
    ]);
    const head = await store.log.head('again' as RoomId);
    expect(head).toBeGreaterThan(3);
    await expect.poll(() => positions(taken, 'again')).toEqual(upTo(head));
  });
});

describe('the journal of webhooks', () => {
  it('is for its owner alone, outlives a torn line, and refuses what is none', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'webhooks.jsonl');
    const first = await site(folder);
    const { url } = await receiver();
    const { id } = await first.webhooks.add({ url, rooms: '*', fromStart: false });
    await first.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const text = await readFile(path, 'utf8');
    await writeFile(path, `${text}{"told":["${id}","pla`);
    const second = await site(folder);
    expect(second.webhooks.list()).toMatchObject([{ id }]);
    await second.close();
    expect(await readFile(path, 'utf8')).toBe(text);
    await writeFile(path, `${text}nonsense\n`);
    await expect(Webhooks.open({ path, log: () => levelStore(folder).log })).rejects.toThrow(
      /webhooks\.jsonl, line \d+/,
    );
  });

  it('is written anew when most of it is old', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'webhooks.jsonl');
    const journal = await FileJournal.open(path);
    await journal.add({ id: 'a', url: 'http://127.0.0.1/', rooms: '*', secret: 's' }, new Map());
    let last: Promise<void> = Promise.resolve();
    for (let seq = 1; seq <= 20_100; seq++) last = journal.told('a', 'room' as RoomId, { seq });
    await last;
    await journal.close();
    expect((await readFile(path, 'utf8')).split('\n').length).toBeLessThan(1000);
    const again = await FileJournal.open(path);
    expect(again.toldOf('a', 'room' as RoomId)).toEqual({ seq: 20_100 });
    await again.close();
  });
});
