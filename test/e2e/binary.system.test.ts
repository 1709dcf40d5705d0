/** The one file: in a sandbox that has the machine's C libraries and an empty folder, and neither Node nor packages. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connectRoom, generateKeys } from '@weft/core';
import { beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const libraries = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'].filter((path) => existsSync(path));

beforeAll(() => promisify(execFile)(process.execPath, [join(root, '.ci/binary.mjs')]), 120_000);

function sandboxed(folder: string, ...args: string[]): WeftProcess {
  const seen = [...libraries, join(root, 'dist', 'weft')].flatMap((path) => ['--ro-bind', path, path]);
  const places = ['--tmpfs', '/tmp', ...seen, '--bind', folder, '/home', '--chdir', '/home', '--proc', '/proc'];
  const shut = ['--dev', '/dev', '--clearenv', '--unshare-user', '--unshare-ipc', '--die-with-parent'];
  return new WeftProcess(args, { command: ['bwrap', ...places, ...shut, join(root, 'dist', 'weft')] });
}

async function childOf(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim());
}

it('the executable brings what it searches by, and takes its parts away again', async () => {
  const [folder, passing] = [await tempFolder(), await tempFolder()];
  const args = ['serve', '--listen', '127.0.0.1:0', '--store', 'memory'];
  const command = [join(root, 'dist', 'weft')] as const;
  const weft = new WeftProcess(args, { command, cwd: folder, env: { TMPDIR: passing } });
  await weft.line(/^ws:/);
  const [parts = ''] = await readdir(passing);
  const { stdout } = await promisify(execFile)(join(passing, parts, 'rg'), ['--version']);
  expect(stdout).toContain('ripgrep');
  expect(await weft.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(await readdir(passing)).toEqual([]);
}, 60_000);

it.each([['serve'], ['up', '--studio-listen', '127.0.0.1:0']])(
  'the executable does `weft %s` in an empty folder, and keeps what it was told',
  async (...command) => {
    const folder = await tempFolder();
    for (const start of ['first', 'second']) {
      const weft = sandboxed(folder, ...command, '--listen', '127.0.0.1:0', '--transport', 'uws');
      const [, address = ''] = await weft.line(/ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>/);
      const socket = new WebSocket(`ws://${address}/ws/plans`);
      const client = await connectRoom({ socket, keys: generateKeys() });
      if (start === 'second') expect(client.replica.get('title')).toBe('Road map');
      client.replica.set('title', 'Road map');
      await client.push();
      client.close();
      process.kill(await childOf(weft.pid), 'SIGTERM'); // the sandbox does not pass it on
      expect(await weft.exited).toMatchObject({ code: 0 });
      // An empty machine has nothing that would confine programs, and a studio says so; it also says what to do next.
      const expected = /programs of agents are not run|^weft: in the folder of a project/;
      expect(weft.problems.filter((line) => !expected.test(line))).toEqual([]);
    }
    expect(await readdir(folder)).toEqual(['weft-data']);
  },
  60_000,
);

it('the executable has rooms in one thread, and says so when more are wanted', async () => {
  const command = [join(root, 'dist', 'weft')] as const;
  const weft = new WeftProcess(['serve', '--threads', '2'], { command, cwd: await tempFolder() });
  expect(await weft.exited).toEqual({ code: 2, signal: null });
  expect(weft.err.join('\n')).toContain('this build of weft has no program for threads');
}, 60_000);
