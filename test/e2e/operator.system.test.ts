/**
 * What an operator asks of a data folder, of the server that runs on it and without one. Most commands run within this process;
 * that each lets its own process end is seen once.
 */
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RoomClient, createHost, encodePack, generateKeys, keepRoom } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { WeftRun, weft, weftJson } from '../support/programs/weft-run.js';

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
    const archives = ['--archive-root', join(folder, 'archives')];
    const serving = new WeftRun(['serve', '--listen', '127.0.0.1:0', '--store', folder, ...archives]);
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
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^room +nodes +bytes +shut$/),
      expect.stringMatching(/^one +4 +\d+$/),
      expect.stringMatching(/^two +2 +\d+$/),
    ]);
    expect(await weftJson('room', 'inspect', 'one', ...at)).toMatchObject({
      room: 'one',
      nodes: 4,
      blobs: 0,
      is_locked: false,
    });
    expect(await weftJson('room', 'compact', 'one', ...at)).toMatchObject({ room: 'one', nodes: 4 });
    const client = isServed ? await enter('two') : undefined;
    const shut = { room: 'two', reason: 'it smells', nodes: 2 };
    expect(await weftJson('room', 'quarantine', 'two', '--reason', 'it smells', ...at)).toEqual(shut);
    expect(await weftJson('room', 'list', ...at)).toMatchObject([{ room: 'one' }, { room: 'two', shut: 'it smells' }]);
    expect(await weftJson('room', 'inspect', 'two', ...at)).toMatchObject({ nodes: 2, shut: 'it smells' });
    if (client) await expect.poll(() => client.state).toBe('waiting');
    await weftJson('room', 'resume', 'two', ...at);
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

  it('a room is written as an archive, which is described, validated and taken in as another', async () => {
    const { folder, enter } = await folderWith(isServed);
    const at = ['--store', folder, ...(isServed ? [] : ['--archive-root', join(folder, 'archives')])];
    expect(await weft('archive', 'export', 'three', 'a.weft', ...at)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no room three/),
    });
    expect(await weftJson('archive', 'export', 'one', 'a.weft', ...at)).toMatchObject({ source_room: 'one' });
    const said = { provenance: { source_room: 'one', nodes: 4 } };
    expect(await weftJson('archive', 'describe', join(folder, 'archives', 'a.weft'), ...at)).toMatchObject(said);
    expect(await weftJson('archive', 'validate', 'a.weft', ...at)).toMatchObject({
      accepted: true,
      mode: 'full_integrity',
    });
    const taken = { imported_nodes: 4, room: 'copy' };
    expect(await weftJson('archive', 'import', 'copy', 'a.weft', '--dry-run', ...at)).toMatchObject({
      imported_nodes: 0,
    });
    expect(await weft('room', 'inspect', 'copy', ...at.slice(0, 2))).toMatchObject({ code: 1 });
    expect(await weftJson('archive', 'import', 'copy', 'a.weft', ...at)).toMatchObject(taken);
    if (isServed) expect((await enter('copy')).replica.get('k2')).toBe(2);
    await writeFile(join(folder, 'archives', 'b.weft'), 'nonsense');
    for (const args of [['validate'], ['describe'], ['import', 'copy']])
      expect(await weft('archive', ...args, 'b.weft', ...at)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^weft: \S+/),
      });
  });

  it('a room is replayed, node by node, from anywhere on', async () => {
    const { folder } = await folderWith(isServed);
    const replay = async (...args: string[]) => {
      const { code, out, err } = await weft('replay', 'one', '--store', folder, ...args);
      expect(code, err).toBe(0);
      return {
        nodes: out
          .split('\n')
          .filter((line) => line !== '')
          .map((line): { seq: number; touched_keys: string[] } => JSON.parse(line)),
        err,
      };
    };
    const { nodes } = await replay();
    expect(nodes.map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    expect((await replay('--prefix', 'k1')).nodes).toMatchObject([{ touched_keys: ['k1'], ops: [{ value: 1 }] }]);
    const first = await replay('--limit', '3');
    const [, cursor = ''] = /--cursor (\S+)/.exec(first.err) ?? [];
    expect([...first.nodes, ...(await replay('--cursor', cursor)).nodes]).toEqual(nodes);
    expect(await weft('replay', 'none', '--store', folder)).toMatchObject({ code: 1 });
    expect(await weft('replay', 'one', '--limit', 'x', '--store', folder)).toMatchObject({ code: 2 });
  });

  it('the doctor finds nothing in a sound folder, and fails for one that is not', async () => {
    const { folder } = await folderWith(isServed);
    expect(await weft('doctor', '--store', folder, '--blobs')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^nothing is wrong$/m),
    });
    await chmod(join(folder, 'server.key'), 0o644);
    await chmod(join(folder, 'log'), 0o755);
    const sick = await weft('doctor', '--store', folder);
    if (isServed)
      expect(sick).toMatchObject({
        code: 1,
        out: expect.stringMatching(/server\.key can be read by others/),
      });
    else expect(sick).toMatchObject({ code: 1, err: expect.stringMatching(/server\.key can be read by others/) });
  });
});

it('nothing that a command has opened keeps its process', async () => {
  const { folder } = await folderWith(true);
  const commands = [
    ...['room list', 'room inspect one', 'room compact one', 'archive export one a.weft', 'replay one'],
    ...[`backup ${folder}-copy`, 'gc', 'doctor'],
  ].map((words) => new WeftProcess([...words.split(' '), '--store', folder]));
  for (const { exited, err } of commands) expect(await exited, err.join('\n')).toEqual({ code: 0, signal: null });
  const there = ['--store', `${folder}-copy`];
  for (const words of ['room inspect one', 'doctor'])
    expect(await new WeftProcess([...words.split(' '), ...there]).exited).toEqual({ code: 0, signal: null });
});

it('weft room watch shows who is there and what is written, without its values', async () => {
  const { folder, enter } = await folderWith(true);
  const client = await enter('one');
  const watching = new WeftProcess(['room', 'watch', 'one', '--store', folder, '--json']);
  const forPeople = new WeftProcess(['room', 'watch', 'one', '--store', folder]);
  const [first = ''] = await watching.line(/^.*status.*$/);
  const status = { nodes: 4, heads: 1, peers: [{ pubkey: expect.any(String), proven: false }], pushes_waiting: 0 };
  expect(JSON.parse(first)).toMatchObject({ status });
  let written = 0;
  const writing = setInterval(() => client.replica.set('title', `secret ${written++}`), 50);
  onTestFinished(() => clearInterval(writing));
  const [line = ''] = await watching.line(/^.*title.*$/);
  expect(JSON.parse(line)).toMatchObject({ node: { seq: expect.any(Number), ops: [{ kind: 'set', key: 'title' }] } });
  await forPeople.line(/^ {2}\d+ {2}[0-9a-f]{8} {2}set title$/);
  await forPeople.line(
    /^\d+ nodes, [1-9]\d*\/s; 1 heads; 1 peers: [0-9a-f]{13} \(ui\); \d+ pushes wait; parked 0 of \d+ bytes; /,
  );
  expect(await watching.kill('SIGINT')).toEqual({ code: 0, signal: null });
  expect([...watching.out, ...forPeople.out].join()).not.toContain('secret');
});

it('weft pack inspect shows what a pack holds, and refuses what is none', async () => {
  const folder = await tempFolder();
  const file = join(folder, 'a.pack');
  await writeFile(file, encodePack({ nodes: [], seals: [] }));
  expect(await weftJson('pack', 'inspect', file)).toMatchObject({ nodes: 0, seals: 0, authors: [] });
  await writeFile(file, 'nonsense');
  expect((await weft('pack', 'inspect', file)).code).toBe(1);
  expect(await weft('pack', 'inspect')).toMatchObject({ code: 2, err: expect.stringMatching(/takes <file>/) });
  expect(await weft('room', 'lsit')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/weft room cannot "lsit", did you mean weft room list\?/),
  });
});

it('weft bench measures in a folder that is gone afterwards', async () => {
  const folder = await tempFolder();
  const found = await weftJson('bench', '--in', folder, '--seconds', '0.2');
  expect(found).toHaveLength(5);
  for (const one of found as { value: number }[]) expect(one.value).toBeGreaterThan(0);
  expect(await readdir(folder)).toEqual([]);
  expect(await weft('bench', '--seconds', 'soon')).toMatchObject({ code: 2 });
});

it('what counts only without a server is named where one runs, and watching is refused where none does', async () => {
  const { folder } = await folderWith(true);
  const elsewhere = ['--store', folder, '--archive-root', join(folder, 'elsewhere')];
  expect(await weft('archive', 'export', 'one', 'a.weft', ...elsewhere)).toMatchObject({
    code: 0,
    err: 'weft: a server runs, which has its own: --archive-root was not used',
  });
  expect(await readdir(join(folder, 'archives'))).toContain('a.weft');
  const quiet = await folderWith(false);
  expect(await weft('room', 'watch', 'one', '--store', quiet.folder)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no server runs on .*; start one with weft serve/),
  });
  expect(await weft('archive', 'describe', 'a.weft', '--store', quiet.folder)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/there is no folder for archives: start the server with --archive-root <folder>, or /),
  });
});

it.each([['studio'], ['up', '--studio-listen', '127.0.0.1:0']])(
  'whoever runs `weft %s` is asked as a server is, and keeps its folder',
  async (...command) => {
    const folder = join(await tempFolder(), 'data');
    const host = createHost({ store: levelStore(folder) });
    await (await host.room('plans')).set('k', 1);
    await host.close();
    const running = new WeftProcess([...command, '--listen', '127.0.0.1:0', '--store', folder]);
    await running.line(/^(studio +)?http:/);
    const at = ['--store', folder];
    expect(await weftJson('room', 'inspect', 'plans', ...at)).toMatchObject({ room: 'plans', nodes: 2 });
    expect(await weftJson('doctor', ...at)).toMatchObject({ problems: [] });
    expect(await weftJson('gc', '--delete', ...at)).toMatchObject({ deleted: 0 });
    expect(await weftJson('room', 'compact', 'plans', ...at)).toMatchObject({ nodes: 2 });
    const archived = await weft('archive', 'export', 'plans', 'plans.weft', ...at);
    expect([archived.code, archived.err]).toEqual([1, expect.stringMatching(/archive-root/)]);
    const watching = new WeftRun(['room', 'watch', 'plans', ...at]);
    await watching.line(/^2 nodes/);
    expect(await watching.stop()).toBe(0);
    expect(await weftJson('backup', ...at, `${folder}-copy`)).toMatchObject({ damaged: [] });
    expect(await running.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await weftJson('room', 'list', '--store', `${folder}-copy`)).toEqual(
      expect.arrayContaining([expect.objectContaining({ room: 'plans' })]),
    );
  },
  60_000,
);
