import { expect, it } from 'vitest';
import { WeftProcess } from '../support/weft-process.js';

it('weft --help lists every command, and each explains its flags', async () => {
  const help = new WeftProcess(['--help']);
  expect((await help.exited).code).toBe(0);
  const names = help.out.flatMap((line) => /^ {2}(\S+(?: \S+)?) {2,}\S/.exec(line)?.[1] ?? []);
  expect(names).toEqual([
    'up',
    'serve',
    'studio',
    'demo',
    'token',
    'mcp',
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
    const page = new WeftProcess([...name.split(' '), '--help']);
    expect((await page.exited).code).toBe(0);
    expect(page.out.join('\n')).toMatch(/--(store|admin-key|shell|folder) <|--json/);
  }
});

it('help is found where people look for it, and the version too', async () => {
  const said = async (...args: string[]): Promise<string> => {
    const weft = new WeftProcess(args);
    expect((await weft.exited).code, args.join(' ')).toBe(0);
    return weft.out.join('\n');
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
