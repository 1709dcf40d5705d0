/** A terminal that goes. What makes one is `script` of util-linux. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { connectRoom, generateKeys } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { join } from 'node:path';
import { tempFolder } from '../support/temp-folder.js';
import { BIN } from '../support/programs/weft-process.js';

it('a server whose terminal goes lets nobody in, answers, and ends as if it was told to', async () => {
  const folder = await tempFolder();
  const log = join(folder, 'log');
  const command = `exec ${process.execPath} ${BIN} serve --listen 127.0.0.1:0 --store ${folder}/data 2> ${log}`;
  const terminal = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null']);
  onTestFinished(() => void terminal.kill('SIGKILL'));
  const said = (): Promise<string> => readFile(log, 'utf8').catch(() => '');
  await expect.poll(said, { timeout: 60_000 }).toContain('the server is ready');
  const [, url = ''] = /"url":"(ws:\S+?)<room>"/.exec(await said()) ?? [];
  const socket = new WebSocket(`${url}plans`);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  const client = await connectRoom({ socket, keys: generateKeys() });
  client.replica.set('title', 'Road map');
  await client.push();
  terminal.kill('SIGKILL');
  expect(await closed).toBe(1012);
  await expect.poll(said, { timeout: 60_000 }).toContain('the server has stopped');
});
