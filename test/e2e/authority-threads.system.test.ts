/** `weft serve --threads --authority`: rooms in several threads are administered by the key of one process, and children begin in any. */
import { join } from 'node:path';
import { connectRoom, generateKeys } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/weft-process.js';
import { weft, weftJson } from '../support/weft-run.js';

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
