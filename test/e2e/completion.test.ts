/** What shells make of `weft completion`: each of those that are here is asked as somebody at the keyboard asks it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { BIN, WeftProcess } from '../support/weft-process.js';

type Shell = 'bash' | 'zsh' | 'fish';

/** What is typed before the tab, and what stands there then. */
const COMPLETED: readonly (readonly [typed: string, found: string])[] = [
  ['weft se', 'serve'],
  ['weft room in', 'inspect'],
  ['weft room inspect one --js', '--json'],
  ['weft serve --tls-c', '--tls-cert'],
  ['weft restore --st', '--store'],
  ['weft restore --store da', 'data/'],
  ['weft pack inspect pl', 'plans.pack'],
  ['weft completion --shell z', 'zsh'],
  ['weft room qu', 'quarantine'],
];

function isHere(shell: Shell): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

/** A folder with something in it, and `weft` as a program. */
async function folderOf(shell: Shell): Promise<{ cwd: string; env: NodeJS.ProcessEnv; script: string }> {
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

describe('weft completion', () => {
  it.skipIf(!isHere('bash'))('is understood by bash', async () => {
    const { script, ...where } = await folderOf('bash');
    const complete = (typed: string): string[] => {
      const words = typed.split(' ');
      const set = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
      // What readline does with nothing: `-o default`.
      const files = `compgen -f -- '${words.at(-1)}'`;
      const asked = `source ${script}; ${set}; _weft; printf '%s\\n' "\${COMPREPLY[@]:-$(${files})}"`;
      return execFileSync('bash', ['-c', asked], where).toString().trim().split('\n');
    };
    for (const [typed, found] of COMPLETED) expect(complete(typed), typed).toEqual([found.replace('/', '')]);
    expect(complete('weft ')).toContain('archive');
    expect(complete('weft room ')).toEqual(['list', 'inspect', 'compact', 'quarantine', 'resume', 'watch']);
  });

  it.skipIf(!isHere('fish'))('is understood by fish', async () => {
    const { script, ...where } = await folderOf('fish');
    const complete = (typed: string): string[] => {
      const asked = ['--no-config', '-c', `source ${script}; complete -C '${typed}'`];
      const said = execFileSync('fish', asked, where).toString().trim();
      return said.split('\n').map((line) => line.split('\t')[0] ?? '');
    };
    for (const [typed, found] of COMPLETED) expect(complete(typed), typed).toEqual([found]);
    expect(complete('weft ')).toContain('archive');
    expect(complete('weft room ')).toEqual(['compact', 'inspect', 'list', 'quarantine', 'resume', 'watch']);
  });

  it.skipIf(!isHere('zsh'))('is understood by zsh', async () => {
    const { script, ...where } = await folderOf('zsh');
    const typed = COMPLETED.map(([line, found]) => {
      // Its slash is shown apart, in bold.
      const full = line.replace(/\S*$/, found.replace('/', ''));
      return [`zpty -w -n z '${line}'$'\\t'`, `zpty -r z seen '*${full}*'`, `print '${full}'`, `zpty -w -n z $'\\x15'`];
    });
    const begun = `PROMPT=; autoload -U compinit; compinit -u -D; source ${script}; print rea''dy`;
    const asked = ['zmodload zsh/zpty', 'zpty z zsh -f -i', `zpty -w z "${begun}"`, `zpty -r z seen '*ready*'`];
    const said = execFileSync('zsh', ['-f', '-c', [...asked, ...typed.flat()].join('\n')], {
      ...where,
      timeout: 20_000,
    });
    expect(said.toString().trim().split('\n')).toHaveLength(COMPLETED.length);
  });
});
