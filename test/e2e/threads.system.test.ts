/** `weft serve --threads`: rooms in several threads of one process, by real processes on real folders. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RoomClient, generateKeys, keepRoom } from '@weft/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { transportNames } from '../support/transport-names.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { weft, weftJson } from '../support/programs/weft-run.js';

/** Rooms of which, spread over two threads, each has at least one. */
const ROOMS = ['plans', 'notes', 'draft', 'later', 'other', 'sixth', 'north', 'south'];

interface Started {
  readonly serving: WeftProcess;
  readonly url: string;
  readonly metrics: string;
  readonly admin: string;
}

async function serve(folder: string, ...more: readonly string[]): Promise<Started> {
  const addresses = ['--listen', '127.0.0.1:0', '--metrics-addr', '127.0.0.1:0', '--admin-addr', '127.0.0.1:0'];
  const serving = new WeftProcess(['serve', '--store', folder, '--threads', '2', ...addresses, '--json', ...more]);
  const [line] = await serving.line(/^\{"url".*$/);
  const { url, metrics, admin } = JSON.parse(line) as Omit<Started, 'serving'>;
  return { serving, url, metrics, admin };
}

function enter({ url }: Started, room: string, keys = generateKeys()): RoomClient {
  const client = keepRoom({ open: () => new WebSocket(url.replace('<room>', room)), keys, room });
  onTestFinished(() => client.close());
  return client;
}

async function write(client: RoomClient, key: string, value: unknown): Promise<void> {
  await client.joined;
  client.replica.set(key, value);
  await client.push();
}

const newFolder = async (): Promise<string> => join(await tempFolder(), 'data');

describe.each(transportNames)('over %s', (transport) => {
  it('peers of a room hear each other, in whatever thread it is', async () => {
    const server = await serve(await newFolder(), '--transport', transport);
    await Promise.all(
      ROOMS.map(async (room) => {
        const [writer, reader] = [enter(server, room), enter(server, room)];
        await reader.joined;
        await write(writer, 'title', `of ${room}`);
        await expect.poll(() => reader.replica.get('title')).toBe(`of ${room}`);
      }),
    );
    expect(await server.serving.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

it('what was acknowledged survives a kill, whatever number of threads comes after', async () => {
  const folder = await newFolder();
  const first = await serve(folder);
  await Promise.all(ROOMS.map((room) => write(enter(first, room), 'title', room)));
  await first.serving.kill('SIGKILL');
  for (const threads of ['3', '1']) {
    const next = await serve(folder, '--threads', threads);
    for (const room of ROOMS) {
      const reader = enter(next, room);
      await reader.joined;
      expect(reader.replica.get('title')).toBe(room);
    }
    await next.serving.kill('SIGTERM');
  }
});

it('rooms are forked and merged again across threads, and whoever is in the parent hears it', async () => {
  const folder = await newFolder();
  const server = await serve(folder);
  const watching = enter(server, 'plans');
  await write(watching, 'title', 'Road map');
  // Enough names that some rooms lie in the thread of their parent and some in the other one.
  for (const child of ROOMS.slice(1)) {
    await weftJson('room', 'fork', 'plans', '--child', child, '--merges', '--store', folder);
    const inside = enter(server, child);
    await write(inside, `by/${child}`, 'done');
    expect(inside.replica.get('title')).toBe('Road map');
    await weftJson('room', 'promote', 'plans', '--child', child, '--store', folder);
    await expect.poll(() => watching.replica.get(`by/${child}`)).toBe('done');
  }
  await write(watching, 'title', 'Road map, merged');
  expect(await weft('room', 'fork', 'plans', '--child', 'draft', '--store', folder)).toMatchObject({
    code: 1,
    err: expect.stringContaining('exists'),
  });
});

it('a value is erased from children in all threads', async () => {
  const folder = await newFolder();
  const server = await serve(folder);
  await write(enter(server, 'plans'), 'name', 'not to be kept');
  const children = ROOMS.slice(1);
  for (const child of children) await weftJson('room', 'fork', 'plans', '--child', child, '--store', folder);
  const erased = await weftJson('room', 'erase', 'plans', '--key', 'name', '--store', folder);
  expect(erased).toMatchObject({ children: expect.arrayContaining(children) as string[], left: [] });
  for (const room of ROOMS) {
    const shown = await weftJson('room', 'why', room, '--key', 'name', '--store', folder);
    expect(shown).not.toHaveProperty('value');
  }
});

it('a server that is stopped answers what was sent, and sends everybody away for a while', async () => {
  const server = await serve(await newFolder());
  const closings: Promise<string>[] = [];
  for (const room of ROOMS) {
    await write(enter(server, room), 'title', room);
    const socket = new WebSocket(server.url.replace('<room>', room));
    await new Promise((resolve) => socket.once('open', resolve));
    closings.push(new Promise((resolve) => socket.once('close', (code, why) => resolve(`${code} ${String(why)}`))));
  }
  const exited = server.serving.kill('SIGTERM');
  for (const closing of closings) expect(await closing).toMatch(/^1012 .*come back in \d+ ms$/);
  expect(await exited).toEqual({ code: 0, signal: null });
});

it('a server that takes its time sends rooms away one after another, and serves the others meanwhile', async () => {
  const server = await serve(await newFolder(), '--threads', '1', '--drain-over-ms', '4000');
  const clients: RoomClient[] = [];
  for (const room of ROOMS) {
    const client = enter(server, room);
    await write(client, 'title', room);
    clients.push(client);
  }
  const [first, last] = [clients[0]!, clients.at(-1)!];
  const exited = server.serving.kill('SIGTERM');
  await expect.poll(() => first.state).not.toBe('joined');
  expect(last.state).toBe('joined');
  await write(last, 'answer', 'served to the end');
  expect(await exited).toEqual({ code: 0, signal: null });
});

it('a time for waves that is longer than the whole is refused', async () => {
  const options = ['--drain-ms', '1000', '--drain-over-ms', '1000', '--listen', '127.0.0.1:0'];
  const serving = new WeftProcess(['serve', '--store', await newFolder(), ...options]);
  expect(await serving.exited).toEqual({ code: 2, signal: null });
  expect(serving.err.join('\n')).toContain('drain-over-ms must be less than drain-ms');
});

it('an address has as many connections as it may in all threads together', async () => {
  const server = await serve(await newFolder(), '--limit-address-connections', '4');
  const joined = ROOMS.slice(0, 4).map((room) => enter(server, room));
  for (const client of joined) await client.joined;
  const closings = ROOMS.slice(4).map(async (room) => {
    const socket = new WebSocket(server.url.replace('<room>', room));
    return new Promise<string>((resolve) => socket.once('close', (code, why) => resolve(`${code} ${String(why)}`)));
  });
  for (const closing of closings)
    expect(await closing).toMatch(/^1012 this address has its 4 connections.*come back in \d+ ms$/);
});

it('a key has its bytes of blobs, and its rooms, in all threads together', async () => {
  const bounds = ['--limit-key-blob-bytes', '1000', '--limit-key-rooms', '2', '--require', 'key'];
  const server = await serve(await newFolder(), ...bounds);
  const keys = generateKeys();
  const dial = (room: string) => {
    const url = server.url.replace('<room>', room);
    const retry = { firstMs: 60_000 };
    const client = keepRoom({ open: () => new WebSocket(url), keys, room, audience: new URL(url).host, retry });
    onTestFinished(() => client.close());
    return client;
  };
  const [first, second] = ROOMS.slice(0, 2).map(dial);
  await first!.joined;
  await second!.joined;
  await first!.putBlob(new Uint8Array(600).fill(1));
  await expect(second!.putBlob(new Uint8Array(401).fill(2))).rejects.toMatchObject({ reason: 'blobs-full' });
  await second!.putBlob(new Uint8Array(400).fill(2));
  const told = async (): Promise<string> => {
    const client = dial(ROOMS[2]!);
    const refused = new Promise<string>((resolve) => client.onState((_, { error }) => error && resolve(error.message)));
    return Promise.race([client.joined.then(() => 'joined'), refused]).finally(() => client.close());
  };
  await expect.poll(told).toMatch(/this key is in its 2 rooms/);
});

it('metrics are those of all threads, and an operator speaks to all rooms by one door', async () => {
  const folder = await newFolder();
  const server = await serve(folder);
  const clients = ROOMS.map((room) => enter(server, room));
  for (const [at, client] of clients.entries()) await write(client, 'title', at);
  const scraped = await (await fetch(server.metrics)).text();
  const valueOf = (name: string): readonly number[] =>
    scraped.split('\n').flatMap((line) => (line.startsWith(`${name} `) ? [Number(line.split(' ')[1])] : []));
  expect(valueOf('weft_peers')).toEqual([ROOMS.length]);
  expect(valueOf('weft_nodes_accepted_total')).toEqual([ROOMS.length]);
  expect(valueOf('weft_join_seconds_count')).toEqual([ROOMS.length]);
  expect(valueOf('weft_process_resident_memory_bytes')).toHaveLength(1);
  const [free = 0] = valueOf('weft_disk_free');
  expect(free).toBeGreaterThan(0);

  const token = (await readFile(join(folder, 'admin.token'), 'utf8')).trim();
  const say = async (path: string, method = 'POST'): Promise<unknown> => {
    const answer = await fetch(server.admin + path, { method, headers: { authorization: `Bearer ${token}` } });
    return answer.json();
  };
  expect(await say('/readyz', 'GET')).toEqual({ ready: true });
  expect(await say('/v1/rooms', 'GET')).toMatchObject({
    rooms: ROOMS.toSorted().map((room) => ({ room, nodes: 2 })),
  });
  for (const [at, room] of ROOMS.entries()) {
    await say(`/v1/rooms/${room}/quarantine`);
    await expect.poll(() => clients[at]?.state).toBe('waiting');
    expect(await say(`/v1/rooms/${room}/inspect`)).toMatchObject({ room, shut: 'an operator' });
  }
  expect(await weftJson('room', 'list', '--store', folder)).toMatchObject(
    ROOMS.toSorted().map((room) => ({ room, shut: 'an operator' })),
  );
  for (const room of ROOMS) expect(await say(`/v1/rooms/${room}/resume`)).toEqual({ room });
  expect(await say('/v1/rooms/plans/resume')).toMatchObject({ error: expect.stringContaining('is not shut') });
  expect(await say('/v1/sessions/revoke')).toMatchObject({ code: 'invalid' });
  expect(await weftJson('doctor', '--store', folder)).toMatchObject({ rooms: expect.any(Number) });
  const copy = join(await tempFolder(), 'copy');
  expect(await weftJson('backup', copy, '--store', folder)).toMatchObject({ rooms: expect.any(Number) });
});

it.each([
  [['--store', 'memory'], 'rooms in memory have one thread'],
  [['--store', 'postgres://127.0.0.1:1/weft'], 'rooms in a database have one thread'],
  [['--yjs', 'on'], 'clients of Yjs need all rooms in one thread'],
])('what needs one thread is refused by name: %j', async (more, why) => {
  const folder = await newFolder();
  const serving = new WeftProcess(['serve', '--threads', '2', '--store', folder, '--listen', '127.0.0.1:0', ...more]);
  expect(await serving.exited).toEqual({ code: 2, signal: null });
  expect(serving.err.join('\n')).toContain(why);
});

it('a folder that is in use refuses threads as it refuses a server without', async () => {
  const folder = await newFolder();
  await serve(folder);
  const second = new WeftProcess(['serve', '--threads', '2', '--store', folder, '--listen', '127.0.0.1:0']);
  expect((await second.exited).code).toBe(1);
  expect(second.err.join('\n')).toContain('is in use by another Weft process');
});

it('are refused where somebody is told of rooms, who would hear nothing any more', async () => {
  const folder = await newFolder();
  const alone = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', folder]);
  await alone.line(/<room>/);
  await weftJson('webhook', 'add', '--url', 'http://127.0.0.1:1/', '--store', folder);
  await alone.kill('SIGTERM');
  const refused = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', folder, '--threads', '2']);
  expect((await refused.exited).code).toBe(2);
  expect(refused.err.join('\n')).toContain('--threads: webhooks of rooms need one thread');
});
