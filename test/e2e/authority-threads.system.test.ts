/** `weft serve --threads --authority`: rooms in several threads are administered by the key of one process, and children begin in any. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { type RoomClient, connectRoom, generateKeys, keepRoom } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { weft, weftJson } from '../support/programs/weft-run.js';
import { Site, TAKEN, certified } from './authority-site.js';

/** Rooms of which, spread over two threads, each has at least one. */
const ROOMS = ['plans', 'notes', 'draft', 'later'];

it('locks, forks and promotes rooms of all threads by a certified key, which is taken by who comes after a kill', async () => {
  const folder = await tempFolder();
  const [data, file, root] = ['data', 'authority.json', 'root.key'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  expect(await weft('authority', 'init', '--root', root, '--authority', file)).toMatchObject({ code: 0 });
  const asked = await weft('authority', 'request', '--store', data, '--json');
  const { founder, signer } = JSON.parse(asked.out) as { readonly founder: string; readonly signer: string };
  const whom = ['--founder', founder, '--signer', signer];
  expect(await weft('authority', 'certify', '--root', root, '--authority', file, ...whom)).toMatchObject({ code: 0 });

  const words = ['serve', '--store', data, '--authority', file, '--threads', '2', '--listen', '127.0.0.1:0', '--json'];
  const start = async () => {
    const serving = new WeftProcess(words);
    const [line] = await serving.line(/^\{"url".*$/);
    return { serving, url: (JSON.parse(line) as { readonly url: string }).url };
  };
  const enter = async (url: string, room: string) => {
    const client = await connectRoom({ socket: new WebSocket(url.replace('<room>', room)), keys: generateKeys() });
    onTestFinished(() => client.close());
    return client;
  };
  const { serving, url } = await start();
  for (const room of ROOMS) {
    const client = await enter(url, room);
    client.replica.set('title', `of ${room}`);
    await client.push();
    await weftJson('room', 'fork', room, '--child', `${room}-child`, '--merges', '--store', data);
    const child = await enter(url, `${room}-child`);
    child.replica.set('title', `of the child of ${room}`);
    await child.push();
    await weftJson('room', 'promote', room, '--child', `${room}-child`, '--store', data);
    await expect.poll(() => client.replica.get('title')).toBe(`of the child of ${room}`);
  }
  await serving.kill('SIGKILL');
  const again = await start();
  for (const room of ROOMS) {
    const late = await enter(again.url, room);
    expect(late.replica.get('title')).toBe(`of the child of ${room}`);
    await weftJson('room', 'lock', room, '--store', data);
    expect(await weftJson('room', 'inspect', room, '--store', data)).toMatchObject({ is_locked: true });
  }

  const speakers = async (): Promise<unknown[]> => {
    const said = ROOMS.map((room) => weftJson('authority', 'status', '--room', room, '--store', data));
    return (await Promise.all(said)).map((each) => (each as { readonly speaker: string }).speaker);
  };
  expect(new Set(await speakers())).toEqual(new Set([signer]));
  const next = JSON.parse((await weft('authority', 'request', '--store', data, '--new', '--json')).out) as {
    readonly signer: string;
  };
  const certify = ['authority', 'certify', '--root', root, '--authority', file, '--signer', next.signer];
  expect(await weft(...certify)).toMatchObject({ code: 0 });
  expect(await weft('authority', 'revoke', '--root', root, '--authority', file, '--signer', signer)).toMatchObject({
    code: 0,
  });
  process.kill(again.serving.pid, 'SIGHUP');
  await expect.poll(speakers, { timeout: 20_000 }).toEqual(ROOMS.map(() => next.signer));
  for (const room of ROOMS) await weftJson('room', 'unlock', room, '--store', data);
});

it('[MA6] rooms of all threads move to a server with threads of its own, which goes on with what the first one did not take', async () => {
  const here = await certified();
  const { serving, at } = await threaded(here);
  const clients = new Map<string, RoomClient>();
  for (const room of ROOMS) {
    const client = keepRoom({ open: () => new WebSocket(at.url.replace('<room>', room)), keys: generateKeys() });
    onTestFinished(() => client.close());
    await client.joined;
    client.replica.set('title', `of ${room}`);
    await client.push();
    await here.room('room', 'policy', room, '--policy', '{"default":"allow","rules":[]}');
    clients.set(room, client);
  }
  const moved = 'ws://new.example/ws/<room>';
  await here.say('rotate', '--root', here.at('root.key'), '--new-root', here.at('next.key'), '--to', moved);
  serving.signal('SIGHUP');
  await serving.line(TAKEN, serving.err);
  for (const [room, client] of clients) {
    client.replica.set('late', room);
    await expect(client.push()).rejects.toThrow(/this room has moved to ws:\/\/new.example/);
  }

  const there = new Site(await tempFolder());
  const { founder, signer } = await there.request();
  await here.say('certify', '--root', here.at('next.key'), '--founder', founder, '--signer', signer);
  await cp(here.file, there.file);
  for (const room of ROOMS) await here.room('room', 'archive', room, '--archive', `${room}.weft`);
  await cp(here.at('archives'), there.at('archives'), { recursive: true });
  const next = await threaded(there);
  for (const room of ROOMS) {
    const restored = await there.room('room', 'restore', room, '--archive', `${room}.weft`);
    expect(restored['imported_nodes']).toBe(restored['nodes']);
  }
  at.url = next.at.url;
  await serving.kill('SIGTERM');
  for (const [room, client] of clients) {
    await expect.poll(() => [client.state, client.replica.unsent], { timeout: 20_000 }).toEqual(['joined', 0]);
    await there.room('room', 'policy', room, '--policy', '{"default":"deny","rules":[]}');
    await expect.poll(() => client.replica.get('\0policy')).toMatchObject({ default: 'deny' });
    expect(await there.room('authority', 'status', '--room', room)).toMatchObject({ speaks: true, speaker: signer });
  }
});

/** A server of a site with two threads; `at` is where it is reached. */
async function threaded(site: Site): Promise<{ readonly serving: WeftProcess; readonly at: { url: string } }> {
  const archives = ['--archive-root', site.at('archives')];
  const words = ['serve', '--store', site.data, '--authority', site.file, '--threads', '2', ...archives];
  const serving = new WeftProcess([...words, '--listen', '127.0.0.1:0', '--json']);
  const [line] = await serving.line(/^\{"url".*$/);
  return { serving, at: { url: (JSON.parse(line) as { readonly url: string }).url } };
}
