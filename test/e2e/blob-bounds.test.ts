/** Bounds on bytes of blobs and on rooms, over real sockets, by frames and by links, of persons with several devices, and after a restart. */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type KeyPair, type RoomClient, generateKeys, keepRoom } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun, weft, weftJson } from '../support/programs/weft-run.js';

const URL_LINE = /^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/;
const BOUNDS = { 'key-blob-bytes': 1000, 'room-blob-bytes': 1500, 'host-blob-bytes': 2700 };

interface Site {
  readonly folder: string;
  readonly data: string;
  serve(...more: string[]): Promise<Serving>;
}

interface Serving {
  readonly run: WeftRun;
  readonly metrics: string;
  dial(room: string): Pick<Parameters<typeof keepRoom>[0], 'open' | 'room' | 'audience'>;
  enter(room: string, keys: KeyPair): Promise<RoomClient>;
}

async function site(unit = 1): Promise<Site> {
  const folder = await tempFolder();
  const data = join(folder, 'data');
  const bounds = Object.entries(BOUNDS).flatMap(([name, most]) => [`--limit-${name}`, String(most * unit)]);
  return {
    folder,
    data,
    async serve(...more) {
      const addresses = ['--listen', '127.0.0.1:0', '--metrics-addr', '127.0.0.1:0'];
      const run = new WeftRun(['serve', ...addresses, '--store', data, ...bounds, ...more]);
      const [, address] = await run.line(URL_LINE);
      const [metrics] = await run.line(/http:\/\/\S+\/metrics/);
      const dial: Serving['dial'] = (room) => {
        return { open: () => new WebSocket(`ws://${address}/ws/${room}`), room, audience: address! };
      };
      return {
        run,
        metrics,
        dial,
        async enter(room, keys) {
          const client = keepRoom({ ...dial(room), keys, retry: { mostMs: 50 } });
          onTestFinished(() => client.close());
          await client.joined;
          return client;
        },
      };
    },
  };
}

/** What became of a blob of so many bytes. */
async function put(client: RoomClient, bytes: number | Uint8Array): Promise<string> {
  const blob = typeof bytes === 'number' ? randomBytes(bytes) : bytes;
  return client.putBlob(blob).then(
    () => 'stored',
    (error: Error & { reason?: string }) => `${error.reason}: ${error.message}`,
  );
}

/** A person, and devices that are hers. */
async function person(folder: string): Promise<() => Promise<KeyPair>> {
  const path = join(folder, 'ann.key');
  await weft('subject', 'key', '--subject', path);
  return async () => {
    const keys = generateKeys();
    const { out } = await weft('subject', 'delegate', '--subject', path, '--to', keys.publicKey);
    return { ...keys, delegation: out };
  };
}

// What is small goes in a frame, though there be links.
it.each<[string, number, ...string[]]>([
  ['by frames', 1],
  ['by links', 400, '--blob-addr', '127.0.0.1:0'],
])(
  '[BL16] %s a key, a person with all her devices, a room and the server bring what they may, after a restart too',
  async (_, unit, ...how) => {
    const here = await site(unit);
    const bring = (client: RoomClient, size: number) => put(client, size * unit);
    const device = await person(here.folder);
    const [laptop, phone, bob] = [await device(), await device(), generateKeys()];
    const before = await here.serve(...how);
    const shared = randomBytes(400 * unit);
    const one = await before.enter('plans', laptop);
    one.replica.set('title', 'plans');
    await one.push();
    expect(await put(one, shared)).toBe('stored');
    expect(await put(await before.enter('plans', laptop), shared)).toBe('stored');
    // Another room, another device, and the bytes that the store has: they count again, for her.
    expect(await put(await before.enter('other', phone), shared)).toBe('stored');
    const full = /^(blob-refused: .*full|blobs-full: .*one key has brought takes at most)/;
    expect(await bring(await before.enter('third', phone), 201)).toMatch(full);
    expect(await bring(await before.enter('third', laptop), 201)).toMatch(full);
    expect(await bring(await before.enter('plans', bob), 1000)).toBe('stored');
    const text = await (await fetch(before.metrics)).text();
    expect(text).toMatch(/^weft_blobs_refused_total\{bound="key"\} [2-9]/m);
    expect(await before.run.stop()).toBe(0);

    const after = await here.serve(...how);
    expect(await bring(await after.enter('third', phone), 201)).toMatch(full);
    expect(await bring(await after.enter('third', bob), 1)).toMatch(full);
    const eve = generateKeys();
    expect(await bring(await after.enter('plans', eve), 101)).toMatch(
      /^blobs-full: .*(full|blobs of this room take at most)/,
    );
    expect(await bring(await after.enter('plans', eve), 100)).toBe('stored');
    expect(await bring(await after.enter('third', eve), 900)).toBe('stored');
    // 2,400 by now, since the store has the first ones once.
    expect(await bring(await after.enter('third', generateKeys()), 301)).toMatch(/^(blob-refused: .*full|blobs-full)/);
    // What goes gives its space back: a room that is deleted, and what its collection finds.
    await weftJson('room', 'delete', 'plans', '--store', here.data, '--confirm', 'plans');
    await expect.poll(async () => bring(await after.enter('third', phone), 201)).toBe('stored');
    const hash = createHash('sha256').update(shared).digest('hex');
    expect(Buffer.from((await (await after.enter('other', bob)).getBlob(hash))!)).toEqual(shared);
  },
);

it('[LM14] a key is in so many rooms at a time, and a person with all her devices', async () => {
  const here = await site();
  const device = await person(here.folder);
  const at = await here.serve('--limit-key-rooms', '2');
  const [laptop, phone] = [await device(), await device()];
  const [first, second] = [await at.enter('a', laptop), await at.enter('b', phone)];
  const third = await at.enter('a', phone);
  const told = async (room: string, keys: KeyPair): Promise<string> => {
    const client = keepRoom({ ...at.dial(room), keys, retry: { firstMs: 60_000 } });
    onTestFinished(() => client.close());
    const refused = new Promise<string>((resolve) => client.onState((_, { error }) => error && resolve(error.message)));
    return Promise.race([client.joined.then(() => 'joined'), refused]);
  };
  expect(await told('c', phone)).toMatch(/this key is in its 2 rooms/);
  expect(await told('b', laptop)).toBe('joined');
  expect(await told('c', generateKeys())).toBe('joined');
  first.close();
  third.close();
  second.close();
  await expect.poll(() => told('c', phone)).toBe('joined');
});
