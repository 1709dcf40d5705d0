import { expect, it } from 'vitest';
import { WeftProcess } from '../support/weft-process.js';
import { weft } from '../support/weft-run.js';

it('weft --help lists every command, and each explains its flags', async () => {
  const help = new WeftProcess(['--help']);
  expect((await help.exited).code).toBe(0);
  const names = help.out.flatMap((line) => /^ {2}(\S+(?: \S+)?) {2,}\S/.exec(line)?.[1] ?? []);
  expect(names).toEqual([
    'up',
    'run',
    'status',
    'follow',
    'review',
    'approve',
    'answer',
    'retry',
    'stop',
    'cost',
    'clone',
    'fetch',
    'push',
    'key set',
    'key list',
    'key forget',
    'token show',
    'serve',
    'studio',
    'demo',
    'token',
    'mcp',
    'mcp install',
    'backup',
    'restore',
    'gc',
    'doctor',
    'room list',
    'room inspect',
    'room compact',
    'room quarantine',
    'room resume',
    'room watch',
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
