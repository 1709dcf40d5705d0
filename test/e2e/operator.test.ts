/** What an operator asks of a data folder, of the server that runs on it and without one. */
import { writeFile, chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { type RoomClient, createHost, encodePack, generateKeys, keepRoom } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/weft-process.js';

interface Said {
  readonly code: number | null;
  readonly out: readonly string[];
  readonly err: string;
}

async function weft(...args: string[]): Promise<Said> {
  const run = new WeftProcess(args);
  const { code } = await run.exited;
  return { code, out: run.out, err: run.err.join('\n') };
}

async function json(...args: string[]): Promise<unknown> {
  const { code, out, err } = await weft(...args, '--json');
  expect(code, err).toBe(0);
  return JSON.parse(out.join('\n'));
}

/** A folder with two rooms, and a server on it or not. */
async function folderWith(isServed: boolean): Promise<{ folder: string; enter(room: string): Promise<RoomClient> }> {
  const folder = join(await tempFolder(), 'data');
  const host = createHost({ store: levelStore(folder) });
  for (const [room, count] of [
    ['one', 3],
    ['two', 1],
  ] as const)
    for (let i = 0; i < count; i++) await (await host.room(room)).set(`k${i}`, i);
  await host.close();
  let address = '';
  if (isServed) {
    const serving = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', folder]);
    [, address = ''] = await serving.line(/^(ws:\S+\/)<room>$/);
  }
  const enter = async (room: string): Promise<RoomClient> => {
    const client = keepRoom({ open: () => new WebSocket(address + room), keys: generateKeys() });
    onTestFinished(() => client.close());
    await client.joined;
    return client;
  };
  return { folder, enter };
}

describe.each([
  ['beside a server', true],
  ['without a server', false],
])('%s', (_, isServed) => {
  it('rooms are listed, inspected, compacted, shut and opened again', async () => {
    const { folder, enter } = await folderWith(isServed);
    const at = ['--store', folder];
    const { code, out } = await weft('room', 'list', ...at);
    expect(code).toBe(0);
    expect(out).toEqual([
      expect.stringMatching(/^room +nodes +bytes +shut$/),
      expect.stringMatching(/^one +4 +\d+$/),
      expect.stringMatching(/^two +2 +\d+$/),
    ]);
    expect(await json('room', 'inspect', 'one', ...at)).toMatchObject({
      room: 'one',
      nodes: 4,
      blobs: 0,
      is_locked: false,
    });
    expect(await json('room', 'compact', 'one', ...at)).toMatchObject({ room: 'one', nodes: 4 });
    const client = isServed ? await enter('two') : undefined;
    await json('room', 'quarantine', 'two', '--reason', 'it smells', ...at);
    expect(await json('room', 'list', ...at)).toMatchObject([{}, { room: 'two', shut: 'it smells' }, {}]);
    expect(await json('room', 'inspect', 'two', ...at)).toMatchObject({ nodes: 2, shut: 'it smells' });
    if (client) await expect.poll(() => client.state).toBe('waiting');
    await json('room', 'resume', 'two', ...at);
    expect(await weft('room', 'resume', 'two', ...at)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is not shut/),
    });
    expect(await weft('room', 'inspect', 'three', ...at)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no room three/),
    });
    expect(await weft('room', 'inspect', 'a b', ...at)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/not a room id/),
    });
  });

  it('the doctor finds nothing in a sound folder, and fails for one that is not', async () => {
    const { folder } = await folderWith(isServed);
    expect(await weft('doctor', '--store', folder, '--blobs')).toMatchObject({
      code: 0,
      out: expect.arrayContaining(['nothing is wrong']),
    });
    await chmod(join(folder, 'server.key'), 0o644);
    const sick = await weft('doctor', '--store', folder);
    if (isServed)
      expect(sick).toMatchObject({
        code: 1,
        out: expect.arrayContaining([expect.stringMatching(/server\.key can be read by others/)]),
      });
    else expect(sick).toMatchObject({ code: 1, err: expect.stringMatching(/server\.key can be read by others/) });
  });
});

it('weft room watch prints what is written, without its values', async () => {
  const { folder, enter } = await folderWith(true);
  const client = await enter('one');
  const watching = new WeftProcess(['room', 'watch', 'one', '--store', folder]);
  let written = 0;
  const writing = setInterval(() => client.replica.set('title', `secret ${written++}`), 50);
  onTestFinished(() => clearInterval(writing));
  const [line = ''] = await watching.line(/^.*title.*$/);
  expect(JSON.parse(line)).toMatchObject({ seq: expect.any(Number), ops: [{ kind: 'set', key: 'title' }] });
  expect(await watching.kill('SIGINT')).toEqual({ code: 0, signal: null });
  expect(watching.out.join()).not.toContain('secret');
});

it('weft pack inspect shows what a pack holds, and refuses what is none', async () => {
  const folder = await tempFolder();
  const file = join(folder, 'a.pack');
  await writeFile(file, encodePack({ nodes: [], seals: [] }));
  expect(await json('pack', 'inspect', file)).toMatchObject({ nodes: 0, seals: 0, authors: [] });
  await writeFile(file, 'nonsense');
  expect((await weft('pack', 'inspect', file)).code).toBe(1);
  expect(await weft('pack', 'inspect')).toMatchObject({ code: 2, err: expect.stringMatching(/takes <file>/) });
  expect(await weft('room', 'lsit')).toMatchObject({ code: 2, err: expect.stringMatching(/no command "room lsit"/) });
});

it('weft completion prints a script that completes commands and flags', async () => {
  const script = join(await tempFolder(), 'weft.bash');
  await writeFile(script, (await weft('completion')).out.join('\n'));
  const complete = (...words: string[]): string[] => {
    const set = `COMP_WORDS=(${['weft', ...words].map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`;
    const said = execFileSync('bash', ['-c', `source ${script}; ${set}; _weft; printf '%s\n' "\${COMPREPLY[@]}"`]);
    return said.toString().trim().split('\n');
  };
  expect(complete('se')).toEqual(['serve']);
  expect(complete('room', 'in')).toEqual(['inspect']);
  expect(complete('room', 'inspect', 'one', '--js')).toEqual(['--json']);
  expect(complete('serve', '--tls-c')).toEqual(['--tls-cert']);
  for (const shell of ['zsh', 'fish'])
    expect((await weft('completion', '--shell', shell)).out.join()).toContain('quarantine');
  expect(await readFile(script, 'utf8')).not.toContain('undefined');
});
