/** Servers that have no terminal. */
import { join } from 'node:path';
import { connectRoom, generateKeys } from '@weft/core';
import { expect, it } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

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
