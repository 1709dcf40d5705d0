/** What a shell makes of `weft completion`, asked as somebody at the keyboard asks it. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { COMPLETED, folderOf } from '../support/completed.js';

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
    expect(complete('weft room ')).toEqual(['list', 'inspect', 'compact', 'quarantine', 'resume', 'watch']);
  });
});
