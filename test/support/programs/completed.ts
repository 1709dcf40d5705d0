/** Cases of `weft completion` for all shells. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect } from 'vitest';
import { tempFolder } from '../temp-folder.js';
import { BIN, WeftProcess } from './weft-process.js';

type Shell = 'bash' | 'zsh' | 'fish';

/** Words typed before the tab, and the line after it. */
export const COMPLETED: readonly (readonly [typed: string, found: string])[] = [
  ['weft serv', 'serve'],
  ['weft room in', 'inspect'],
  ['weft room inspect one --js', '--json'],
  ['weft serve --tls-c', '--tls-cert'],
  ['weft restore --st', '--store'],
  ['weft restore --store da', 'data/'],
  ['weft pack inspect pl', 'plans.pack'],
  ['weft completion --shell z', 'zsh'],
  ['weft room qu', 'quarantine'],
];

/** A folder with something in it, and `weft` as a program. */
export async function folderOf(shell: Shell): Promise<{ cwd: string; env: NodeJS.ProcessEnv; script: string }> {
  const cwd = await tempFolder();
  const [bin, script] = [join(cwd, 'bin'), join(cwd, `script.${shell}`)];
  await mkdir(bin);
  await mkdir(join(cwd, 'data'));
  await writeFile(join(cwd, 'plans.pack'), '');
  await writeFile(join(bin, 'weft'), `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`);
  await chmod(join(bin, 'weft'), 0o755);
  const said = new WeftProcess(['completion', '--shell', shell]);
  expect(await said.exited).toEqual({ code: 0, signal: null });
  await writeFile(script, said.out.join('\n'));
  return { cwd, env: { ...process.env, HOME: cwd, PATH: `${bin}${delimiter}${process.env['PATH']}` }, script };
}
