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
