/** A terminal that goes, and servers that have none. */
import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectRoom, generateKeys } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { BIN, WeftProcess } from '../support/weft-process.js';

/** Whether `script` of util-linux is here, which makes terminals. */
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

it('a server without a terminal goes on when it is hung up, and stops when it is told to', async () => {
  const weft = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', join(await tempFolder(), 'data')]);
  const [, url = ''] = await weft.line(/^(ws:\S+)<room>$/);
  weft.signal('SIGHUP');
  const client = await connectRoom({ socket: new WebSocket(`${url}plans`), keys: generateKeys() });
  client.replica.set('title', 'Road map');
  weft.signal('SIGHUP');
  await client.push();
  client.close();
  expect(await weft.kill('SIGTERM')).toEqual({ code: 0, signal: null });
});

it.skipIf(!hasScript)(
  'a server whose terminal goes lets nobody in, answers, and ends as if it was told to',
  async () => {
    const folder = await tempFolder();
    const log = join(folder, 'log');
    const command = `exec ${process.execPath} ${BIN} serve --listen 127.0.0.1:0 --store ${folder}/data 2> ${log}`;
    const terminal = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null']);
    onTestFinished(() => void terminal.kill('SIGKILL'));
    const said = (): Promise<string> => readFile(log, 'utf8').catch(() => '');
    await expect.poll(said, { timeout: 20_000 }).toContain('the server is ready');
    const [, url = ''] = /"url":"(ws:\S+?)<room>"/.exec(await said()) ?? [];
    const socket = new WebSocket(`${url}plans`);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const client = await connectRoom({ socket, keys: generateKeys() });
    client.replica.set('title', 'Road map');
    await client.push();
    terminal.kill('SIGKILL');
    expect(await closed).toBe(1012);
    await expect.poll(said, { timeout: 20_000 }).toContain('the server has stopped');
  },
);
