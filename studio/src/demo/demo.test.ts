import { join } from 'node:path';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it } from 'vitest';
import { git } from '../testing/git/git-repository.js';
import { tempFolder } from '../testing/temp-folder.js';
import { runDemo } from './demo.js';
import { MULTIPLY, QUESTION } from './script.js';

describe('the demonstration', () => {
  it('comes to its end: planned, asked, failed and continued, brought up to date, reviewed, promoted, tests green', async () => {
    const host = createHost({ store: memoryStore() });
    const folder = await tempFolder();
    const lines: string[] = [];
    const { passed, repository, units } = await runDemo({ host, folder, say: (line) => void lines.push(line) });
    await host.close();
    expect(lines.at(-1)).toBe("the repository's own tests pass");
    expect(passed).toBe(true);
    for (const line of [
      `person: is asked «${QUESTION}» and answers: 2`,
      'person: lets go on what has failed (4 turns were not enough)',
      'person: approves the whole',
      'person: promotes the candidate branch',
    ])
      expect(lines).toContain(line);
    expect(units).toContain(`${MULTIPLY}: Merged`); // which had failed
    expect(await git(repository, 'log', '--format=%s')).toMatch(/^Bring merge\/\S+ into \S+$/m);
    expect((await git(repository, 'ls-files')).split('\n')).toHaveLength(10);
    expect(await git(join(repository), 'status', '--porcelain')).toBe('');
  });
});
