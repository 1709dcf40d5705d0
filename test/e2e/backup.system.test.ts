/** A data folder that is copied under load, and comes back from its copy. */
import { randomBytes } from 'node:crypto';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RoomClient, createHost, generateKeys, keepRoom } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { WeftRun, weft } from '../support/programs/weft-run.js';
import type { WrittenLines } from '../support/programs/written-lines.js';

const URL_LINE = /^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/;
const ROOMS = ['one', 'two', 'three'];

/** A server that is a process, which can be killed. */
async function serve(store: string) {
  const weft = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', store]);
  return { weft, enter: await doorOf(weft) };
}

/** A server that runs here, and stops as it should. */
async function serveHere(store: string) {
  const weft = new WeftRun(['serve', '--listen', '127.0.0.1:0', '--store', store]);
  return { weft, enter: await doorOf(weft) };
}

async function doorOf(server: WrittenLines): Promise<(room: string) => Promise<RoomClient>> {
  const [, address = ''] = await server.line(URL_LINE);
  return async (room) => {
    const client = keepRoom({ open: () => new WebSocket(`ws://${address}/ws/${room}`), keys: generateKeys() });
    onTestFinished(() => client.close());
    await client.joined;
    return client;
  };
}

/** Writes of a room that were acknowledged. */
interface Acked {
  readonly values: Map<string, number>;
  readonly blobs: Map<string, Uint8Array>;
}

async function write(client: RoomClient, acked: Acked, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    client.replica.set(`k${i % 50}/${i}`, i);
    client.replica.text('text').insert(0, `${i} `);
    await client.push();
    acked.values.set(`k${i % 50}/${i}`, i);
    if (i % 10 > 0) continue;
    const bytes = randomBytes(1 + i * 100);
    acked.blobs.set(await client.putBlob(bytes), bytes);
  }
}

it('weft backup of a server under load holds all that was answered before, and weft restore brings it back', async () => {
  const folder = await tempFolder();
  const [data, copy, again] = [join(folder, 'data'), join(folder, 'copy'), join(folder, 'again')];
  const first = await serve(data);
  const acked = new Map(ROOMS.map((room): [string, Acked] => [room, { values: new Map(), blobs: new Map() }]));
  let isOver = false;
  const writers = [...acked].map(async ([room, of]) => write(await first.enter(room), of, () => isOver));
  await expect
    .poll(() => Math.min(...[...acked.values()].map(({ values }) => values.size)), { timeout: 60_000 })
    .toBeGreaterThan(100);
  const before = [...acked].map(([room, { values, blobs }]) => ({
    room,
    values: new Map(values),
    blobs: new Map(blobs),
  }));
  const { code, out } = await weft('backup', copy, '--store', data, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ rooms: 3, damaged: [] });
  isOver = true;
  await Promise.all(writers);
  expect(first.weft.problems).toEqual([]);
  expect(await weft('backup', copy, '--store', data)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/is there already/),
  });
  await first.weft.kill('SIGKILL');

  expect(await weft('restore', copy, '--store', again)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^3 rooms, \d+ blobs/),
  });
  expect((await stat(join(again, 'server.key'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(again, 'server.key'))).toEqual(await readFile(join(data, 'server.key')));
  const second = await serveHere(again);
  for (const { room, values, blobs } of before) {
    const reader = await second.enter(room);
    for (const [key, value] of values) expect(reader.replica.get(key)).toBe(value);
    for (const [hash, bytes] of blobs) expect(Buffer.from((await reader.getBlob(hash)) ?? [])).toEqual(bytes);
  }
});

it('weft backup works without a server, and with one that does not know it is refused by the lock', async () => {
  const folder = await tempFolder();
  const data = join(folder, 'data');
  const running = await serve(data);
  const client = await running.enter('one');
  client.replica.set('k', 1);
  await client.push();
  client.close();
  await running.weft.kill('SIGKILL'); // which leaves its control socket
  expect((await weft('backup', join(folder, 'a'), '--store', data)).code).toBe(0);
  const embedded = createHost({ store: levelStore(data) });
  await embedded.ready();
  const refused = await weft('backup', join(folder, 'b'), '--store', data);
  await embedded.close();
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/in use by another Weft process/) });
  expect(await weft('backup', join(folder, 'c'), '--store', folder)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/is no data folder/),
  });
  expect((await readdir(folder)).sort()).toEqual(['a', 'data']);
});

it('weft restore tells what is damaged, and takes nothing that is no backup', async () => {
  const folder = await tempFolder();
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const running = await serveHere(data);
  const client = await running.enter('one');
  const hash = await client.putBlob(randomBytes(1000));
  await client.push();
  expect((await weft('backup', copy, '--store', data)).code).toBe(0);
  await writeFile(join(copy, 'blobs', hash.slice(0, 2), hash.slice(2)), 'something else');
  const restored = await weft('restore', copy, '--store', join(folder, 'a'));
  expect(restored).toMatchObject({
    code: 1,
    out: expect.stringMatching(/ 0 blobs/),
    err: expect.stringContaining(`blob ${hash}`),
  });
  expect((await weft('restore', data, '--store', join(folder, 'b'))).err).toMatch(/backup\.json/);
  expect((await readdir(folder)).sort()).toEqual(['a', 'copy', 'data']);
});

it('fault 38: of a backup whose server is killed there is all or nothing, and its data are as they were', async () => {
  const folder = await tempFolder();
  const data = join(folder, 'data');
  const values = Array.from({ length: 40 }, () => randomBytes(100_000).toString('base64'));
  const first = await serveHere(data);
  const client = await first.enter('one');
  for (const [at, value] of values.entries()) client.replica.set(`k${at}`, value);
  await client.push();
  client.close();
  await first.weft.stop();
  for (const [round, ms] of [0, 60, 250].entries()) {
    const server = await serve(data);
    const copy = join(folder, `copy${round}`);
    const backing = new WeftRun(['backup', copy, '--store', data]);
    // From when it has begun on: before, there is nothing to break off.
    const begun = async (): Promise<boolean> => (await readdir(folder)).some((name) => name.startsWith(`copy${round}`));
    await expect.poll(begun, { timeout: 60_000 }).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, ms));
    await server.weft.kill('SIGKILL');
    const code = await backing.ended;
    const isThere = (await readdir(folder)).includes(`copy${round}`);
    if (code === 0) expect(isThere).toBe(true);
    if (isThere) expect((await weft('restore', copy, '--store', `${copy}-restored`)).code).toBe(0);
    for (const from of [data, ...(isThere ? [`${copy}-restored`] : [])]) {
      const again = await serveHere(from);
      const reader = await again.enter('one');
      for (const [at, value] of values.entries()) expect(reader.replica.get(`k${at}`)).toBe(value);
      reader.close();
      await again.weft.stop();
    }
  }
});
