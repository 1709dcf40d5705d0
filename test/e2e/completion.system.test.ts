/** What shells make of `weft completion`, asked as somebody at the keyboard asks it. */
import { execFileSync } from 'node:child_process';
import { cliTable } from '@weft/cli';
import { describe, expect, it } from 'vitest';
import { COMPLETED, folderOf } from '../support/programs/completed.js';

const VERBS = cliTable.flatMap(({ name }) => (name.startsWith('room ') ? [name.slice('room '.length)] : []));

describe('weft completion', () => {
  it('is understood by bash', async () => {
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
    expect(complete('weft room ')).toEqual(VERBS);
  });

  it('is understood by fish', async () => {
    const { script, ...where } = await folderOf('fish');
    const complete = (typed: string): string[] => {
      const asked = ['--no-config', '-c', `source ${script}; complete -C '${typed}'`];
      const said = execFileSync('fish', asked, where).toString().trim();
      return said.split('\n').map((line) => line.split('\t')[0] ?? '');
    };
    for (const [typed, found] of COMPLETED) expect(complete(typed), typed).toEqual([found]);
    expect(complete('weft ')).toContain('archive');
    expect(complete('weft room ')).toEqual(VERBS.toSorted());
  });

  it('is understood by zsh', async () => {
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
      timeout: 60_000,
    });
    expect(said.toString().trim().split('\n')).toHaveLength(COMPLETED.length);
  });
});
