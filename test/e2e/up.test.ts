/** `weft up`: both halves on one data folder. */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectRoom, generateKeys } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

const ROOMS = /^room server +ws:\/\/(\S+)\/ws\/<room>$/;
const STUDIO = /^studio +(http:\S+\/studio)$/;
const TOKEN = /^studio token +(\S+)$/;
const ANY_PORTS = ['--listen', '127.0.0.1:0', '--studio-listen', '127.0.0.1:0'];

it('runs both, says where the token is, and a restart forgets nothing', async () => {
  const folder = await tempFolder();
  const data = join(folder, 'data');
  const project = join(folder, 'project');
  await promisify(execFile)('git', ['init', '--quiet', project]);

  const first = new WeftProcess(['up', ...ANY_PORTS, '--store', data]);
  const [, studio = ''] = await first.line(STUDIO);
  const [, tokenFile = ''] = await first.line(TOKEN);
  expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
  const { admin } = JSON.parse(await readFile(tokenFile, 'utf8')) as { admin: string };
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
  const registered = await fetch(`${studio}/repositories`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ path: project, label: 'demo' }),
  });
  expect(registered.status).toBe(200);
  expect(await first.kill('SIGINT')).toEqual({ code: 0, signal: null });

  const second = new WeftProcess(['up', ...ANY_PORTS, '--store', data]);
  const [, again = ''] = await second.line(STUDIO);
  const listed = await fetch(`${again}/repositories`, { headers });
  expect(await listed.json()).toEqual([expect.objectContaining({ label: 'demo' })]);
});

it("no peer may enter the studio's room", async () => {
  const weft = new WeftProcess(['up', ...ANY_PORTS, '--store', 'memory']);
  const [, rooms = ''] = await weft.line(ROOMS);
  const socket = new WebSocket(`ws://${rooms}/ws/~studio.workgroup`);
  onTestFinished(() => socket.terminate());
  await expect(connectRoom({ socket, keys: generateKeys() })).rejects.toMatchObject({
    reason: 'room-reserved',
    message: 'auth: room locked',
  });
});

it('the studio alone heeds the variables, those of the room server too', async () => {
  const data = join(await tempFolder(), 'data');
  const env = { WEFT_STORE: data, WEFT_STUDIO_LISTEN: '127.0.0.1:0' };
  const studio = new WeftProcess(['studio'], { env });
  const [, listen = ''] = await studio.line(/^http:\/\/(127\.0\.0\.1:\d+)\/studio$/);
  const asking = new WeftProcess(['studio', 'repository', 'list', '--json'], {
    env: { ...env, WEFT_STUDIO_LISTEN: listen },
  });
  expect(await asking.exited, asking.err.join()).toEqual({ code: 0, signal: null });
  expect(JSON.parse(asking.out.join(''))).toEqual([]);
});
