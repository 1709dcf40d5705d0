/** A room in a folder that two processes want: it is one's at a time, and what a killed one has kept is not lost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { openRoom } from '@weft/client';
import { folder } from '@weft/client/folder';
import { startServer } from '@weft/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { checkout } from '../architecture/source-tree.js';
import { tempFolder } from '../support/temp-folder.js';

const PROGRAM = `
  import { openRoom } from '@weft/client';
  import { folder } from '@weft/client/folder';
  import { WebSocket } from 'ws';
  const [, url, path] = process.argv;
  const room = openRoom('plan', { url, storage: folder(path), socket: (address) => new WebSocket(address) });
  await room.joined;
  room.set('sent', 1);
  await room.sent();
  console.log(room.status.storage);
  await new Promise((resolve) => room.onStatus(() => room.status.connection === 'waiting' && resolve()));
  room.set('unsent', 2);
  await room.kept();
  console.log('written');
`;

it('a room in a folder is one process’s at a time, and what was kept is there when that is killed', async () => {
  const warned = vi.spyOn(console, 'warn').mockReturnValue();
  const host = createHost({ store: memoryStore() });
  let server = await startServer({ host, listen: '127.0.0.1:0' });
  onTestFinished(async () => {
    await server.close();
    await host.close();
  });
  const url = server.url.replace('/ws/<room>', '');
  const path = await tempFolder();
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, url, path], { cwd: checkout });
  onTestFinished(() => void child.kill('SIGKILL'));
  let failed = '';
  child.stderr.on('data', (text) => (failed += String(text)));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value ?? failed).toBe('kept');
  await server.close();
  expect((await lines.next()).value ?? failed).toBe('written');

  const open = () => {
    const room = openRoom('plan', { url, storage: folder(path), socket: (address) => new WebSocket(address) });
    onTestFinished(() => room.close());
    return room;
  };
  const beside = open();
  await expect.poll(() => beside.status.connection).not.toBe('opening');
  expect([beside.isReady, beside.status.storage]).toEqual([false, 'memory']);
  expect(warned.mock.calls.flat().map(String).join()).toContain('another process has the room');

  child.kill('SIGKILL');
  await once(child, 'exit');
  const after = open();
  await after.ready;
  expect([after.get('sent'), after.get('unsent'), after.status.storage]).toEqual([1, 2, 'kept']);
  server = await startServer({ host, listen: new URL(server.url.replace('<room>', 'x')).host });
  const room = await host.room('plan');
  await expect.poll(() => room.get('unsent'), { timeout: 20_000 }).toBe(2);
  expect(room.forks).toEqual([]);
});
