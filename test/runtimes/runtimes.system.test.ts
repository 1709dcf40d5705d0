/** The client in Deno and in Bun, as npm brings them for Linux on x64: it opens a room, writes, reads, sees others, stores a file, and keeps it all in a folder. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { startServer } from '@weft/server';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { checkout } from '../architecture/source-tree.js';
import { WebSocket } from 'ws';
import { tempFolder } from '../support/temp-folder.js';

const run = promisify(execFile);
const home = join(checkout, '.ci', 'runtimes');
const programs = {
  deno: [join(home, 'node_modules/@deno/linux-x64-glibc/deno'), 'run', '--allow-all', '--no-prompt'],
  bun: [join(home, 'node_modules/@oven/bun-linux-x64/bin/bun'), 'run', '--no-install'],
} as const;

beforeAll(async () => {
  if (Object.values(programs).every(([program]) => existsSync(program))) return;
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['ci', ...quiet], { cwd: home });
}, 180_000);

it.each(['deno', 'bun'] as const)('%s has the client', async (name) => {
  const host = createHost({ store: memoryStore() });
  const server = await startServer({ host, listen: '127.0.0.1:0' });
  onTestFinished(async () => {
    await server.close();
    await host.close();
  });
  const url = server.url.replace('/ws/<room>', '');
  const folder = await tempFolder();
  await mkdir(join(folder, 'node_modules/@weft'), { recursive: true });
  await symlink(join(checkout, 'client/web'), join(folder, 'node_modules/@weft/client'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "dependencies": { "@weft/client": "*" } }');
  await copyFile(join(import.meta.dirname, 'client.mjs'), join(folder, 'client.mjs'));

  const { openRoom } = await import('@weft/client');
  const room = openRoom('plan', { url, socket: (address) => new WebSocket(address) });
  onTestFinished(() => room.close());
  await room.joined;
  room.presence.show({ cursor: 3 });
  const [program, ...args] = programs[name];
  const env = { PATH: process.env['PATH'], HOME: folder, DENO_NO_UPDATE_CHECK: '1' };
  const ended = run(program, [...args, 'client.mjs', url, name], { cwd: folder, env, timeout: 60_000 });
  await expect.poll(() => room.get('from'), { timeout: 60_000 }).toBe(name);
  await expect.poll(() => room.presence.others.map(({ shown }) => shown)).toEqual([{ cursor: 7 }]);
  room.text('body').insert(room.textOf('body').length, 'And there.');
  const { stdout } = await ended;
  expect(JSON.parse(stdout)).toEqual({
    from: name,
    body: 'Written here. And there.',
    seen: [{ cursor: 3 }],
    file: 'a file',
    storage: 'kept',
  });
});
