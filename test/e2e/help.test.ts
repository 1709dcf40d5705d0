import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { weft } from '../support/programs/weft-run.js';

const Coverage = z.object({ result: z.array(z.object({ url: z.string() })) });

it('weft --help lists every command, and each explains its flags', async () => {
  const help = new WeftProcess(['--help']);
  expect((await help.exited).code).toBe(0);
  const names = help.out.flatMap((line) => /^ {2}(\S+(?: \S+)?) {2,}\S/.exec(line)?.[1] ?? []);
  expect(names).toEqual([
    'up',
    'open',
    'run',
    'status',
    'follow',
    'top',
    'review',
    'approve',
    'answer',
    'retry',
    'stop',
    'cost',
    'transcript',
    'goal graph',
    'clone',
    'fetch',
    'push',
    'key set',
    'key list',
    'key forget',
    'memory list',
    'memory add',
    'memory confirm',
    'memory refuse',
    'memory remove',
    'tools add',
    'tools list',
    'tools remove',
    'token show',
    'serve',
    'studio',
    'eval',
    'eval compare',
    'demo',
    'token',
    'mcp',
    'mcp install',
    'backup',
    'restore',
    'cold',
    'gc',
    'doctor',
    'migrate',
    'authority init',
    'authority key',
    'authority request',
    'authority certify',
    'authority rotate',
    'authority sign',
    'authority adopt',
    'authority revoke',
    'authority show',
    'authority status',
    'subject key',
    'subject delegate',
    'subject revoke',
    'room list',
    'room watch',
    'room inspect',
    'room peers',
    'room keys',
    'room why',
    'room text',
    'room graph',
    'room lineage',
    'room lock',
    'room unlock',
    'room token',
    'room revoke',
    'room revoke-keys',
    'room policy',
    'room may',
    'room fork',
    'room promote',
    'room tick',
    'room compact',
    'room prune',
    'room erase',
    'room blobs',
    'room archive',
    'room restore',
    'room quarantine',
    'room resume',
    'room delete',
    'session revoke',
    'session recheck',
    'webhook add',
    'webhook list',
    'webhook remove',
    'archive export',
    'archive import',
    'archive validate',
    'archive describe',
    'replay',
    'bench',
    'pack inspect',
    'completion',
  ]);
  for (const name of names) {
    const { code, out } = await weft(...name.split(' '), '--help');
    expect(code).toBe(0);
    expect(out).toMatch(/--(store|admin-key|shell|folder) <|--json/);
  }
});

it('help is found where people look for it, and the version too', async () => {
  const said = async (...args: string[]): Promise<string> => {
    const { code, out } = await weft(...args);
    expect(code, args.join(' ')).toBe(0);
    return out;
  };
  expect(await said('--version')).toMatch(/^weft \d+\.\d+\.\d+$/);
  expect([await said('-v'), await said('version')]).toEqual([await said('--version'), await said('--version')]);
  expect(await said('help')).toBe(await said());
  expect(await said('help', 'room', 'watch')).toBe(await said('room', 'watch', '--help'));
  const room = await said('room', '--help');
  expect(room).toMatch(/^ {2}room watch /m);
  expect(room).not.toMatch(/^ {2}serve /m);
  expect(await said('help', 'room')).toBe(room);
  const wrong = new WeftProcess(['help', 'rooms']);
  expect(await wrong.exited).toMatchObject({ code: 2 });
});

it('weft --help and --version read nothing but the command line', async () => {
  const folder = await tempFolder();
  for (const flag of ['--help', '--version']) {
    const { exited } = new WeftProcess([flag], { env: { NODE_V8_COVERAGE: folder } });
    expect((await exited).code).toBe(0);
  }
  const reports = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  const loaded = reports.flatMap((report) => Coverage.parse(JSON.parse(report)).result.map(({ url }) => url));
  expect(loaded.some((url) => url.includes('/cli/dist/'))).toBe(true);
  expect(loaded.filter((url) => /node_modules|\/(core|server|studio)\/dist\//.test(url))).toEqual([]);
});
