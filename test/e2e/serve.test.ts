/** `weft serve` as an operator meets it; on the portable transport too in `serve.system.test.ts`. */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { defaultTransport, transportNames } from '../support/transport-names.js';
import { tempFolder } from '../support/temp-folder.js';
import { BIN, WeftProcess } from '../support/programs/weft-process.js';
import { type RunSurroundings, WeftRun } from '../support/programs/weft-run.js';
import { URL_LINE, enter, servesOn } from './serves-on.js';

servesOn(defaultTransport);

it('weft serve takes flags, variables and a file, and prints what holds', async () => {
  const file = join(await tempFolder(), 'weft.json');
  await writeFile(file, '{ "store": "memory", "listen": "127.0.0.1:1", "limit-frame-bytes": 5000 }');
  const env = { WEFT_LISTEN: '127.0.0.1:0', WEFT_CONFIG: file };
  const shown = new WeftRun(['serve', '--print-config', '--transport', 'ws'], { env });
  expect(await shown.ended).toBe(0);
  const config: unknown = JSON.parse(shown.out.join('\n'));
  expect(config).toMatchObject({ store: 'memory', listen: '127.0.0.1:0', transport: 'ws', 'limit-frame-bytes': 5000 });

  const weft = new WeftRun(['serve'], { env });
  const [, address = ''] = await weft.line(URL_LINE);
  const socket = new WebSocket(`ws://${address}/ws/lobby`);
  socket.on('open', () => socket.send('x'.repeat(5001)));
  const [code]: unknown[] = await once(socket, 'close');
  expect(code).toBe(1009);
});

it('weft serve --json says on one line where it is', async () => {
  const weft = new WeftRun(['serve', '--listen', '127.0.0.1:0', '--store', 'memory', '--json']);
  const [line] = await weft.line(/^\{.*\}$/);
  expect(JSON.parse(line)).toEqual({ url: expect.stringMatching(URL_LINE) });
});

it('output that nobody reads any more ends a command in peace, and one that cannot be written fails', async () => {
  const folder = join(await tempFolder(), 'data');
  const host = createHost({ store: levelStore(folder) });
  const room = await host.room('plans');
  for (let i = 0; i < 20; i++) await room.set(`k${i}`, '.'.repeat(10_000));
  await host.close();
  const ended = async (pipe: string) => {
    const command = `{ { "$0" "$@"; echo "$?" >&3; } ${pipe}; } 3>&1`;
    const { out, err, exited } = new WeftProcess(['replay', 'plans', '--store', folder], {
      command: ['sh', '-c', command, process.execPath, BIN],
    });
    await exited;
    return { code: out.at(-1), err };
  };
  expect(await ended('| head -1')).toEqual({ code: '0', err: [] });
  expect(await ended('| true')).toEqual({ code: '0', err: [] });
  expect(await ended('> /dev/full')).toEqual({
    code: '1',
    err: [expect.stringMatching(/^weft: cannot write what was asked for: ENOSPC/)],
  });
});

describe('weft serve refuses in one line', () => {
  async function refusal(
    args: readonly string[],
    env: RunSurroundings['env'] = {},
  ): Promise<{ code: number; line: string }> {
    const weft = new WeftRun(args, { env });
    const code = await weft.ended;
    expect(weft.out).toEqual([]);
    expect(weft.err).toHaveLength(1);
    return { code, line: weft.err[0] ?? '' };
  }

  it('a wrong flag, a wrong value, an unknown command', async () => {
    expect(await refusal(['serve', '--colour', 'red'])).toEqual({
      code: 2,
      line: expect.stringMatching(/--colour.*weft serve --help/),
    });
    expect((await refusal(['serve', '--transport', 'pigeon'])).line).toMatch(/auto, uws, ws/);
    expect((await refusal(['serve', '--listen', 'nowhere'])).line).toMatch(/nowhere/);
    expect((await refusal(['serve', '--store', 'memory', '--blob-url', 'https://x.example'])).line).toMatch(
      /--blob-addr/,
    );
    expect((await refusal(['serve', '--store', 'memory', '--blob-addr', '0.0.0.0:0'])).line).toMatch(/--blob-url/);
    expect((await refusal(['serve', '--store', 'memory', '--archive-trust', 'ab,cd'])).line).toMatch(/archive-trust/);
    expect(await refusal(['serve'], { WEFT_COLOUR: 'red' })).toEqual({
      code: 2,
      line: 'weft: WEFT_COLOUR: there is no such option; weft serve --help lists them',
    });
    expect(await refusal(['sevre'])).toEqual({ code: 2, line: expect.stringMatching(/"sevre".*weft --help/) });
  });

  it.each(transportNames)('a port in use (%s) [fault 39]', async (transport) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const listen = `127.0.0.1:${port}`;
    const { code, line } = await refusal(['serve', '--store', 'memory', '--listen', listen, '--transport', transport]);
    expect(code).toBe(1);
    expect(line).toContain(`cannot listen on ${listen}: address already in use`);
  });

  it('a data folder that is a file', async () => {
    const path = join(await tempFolder(), 'data');
    await writeFile(path, 'precious');
    const { code, line } = await refusal(['serve', '--listen', '127.0.0.1:0', '--store', path]);
    expect(code).toBe(1);
    expect(line).toContain(path);
    expect(await readFile(path, 'utf8')).toBe('precious');
  });

  it('a data folder in use, which goes on working [fault 39]', async () => {
    const folder = join(await tempFolder(), 'data');
    const first = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', folder]);
    const [, address = ''] = await first.line(URL_LINE);
    const { code, line } = await refusal(['serve', '--listen', '127.0.0.1:0', '--store', folder]);
    expect(code).toBe(1);
    expect(line).toMatch(/in use by another Weft process/);
    const client = await enter(address, 'lobby');
    client.replica.set('still', 'here');
    await client.push();
  });
});
