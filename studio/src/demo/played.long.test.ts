/** Every way out of the failure of the demonstration leads on, and its result comes again however often it is sent back. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { enteredBy, playToItsEnd } from '../testing/doors/played-by-rest.js';
import { startTestStudio } from '../testing/test-studio.js';
import { playedBeside } from './played.js';

async function begun() {
  const demonstration = playedBeside({ confinement: { unconfined: true }, log: () => undefined });
  const studio = await startTestStudio(undefined, { demonstration });
  const { link } = (await studio.call('POST', '/studio/demonstration')).json as { link: string };
  return { ...(await enteredBy(link)), repository: join(studio.branches, 'demonstration/calculator') };
}

it.each(['continue', 'retry-with-context', 'replan'])('the demonstration goes on by %s', async (way) => {
  const { ask } = await begun();
  expect(await playToItsEnd(ask, { way })).toEqual(['answer', 'failed', 'rejected', 'landed']);
});

it('the demonstration comes with something more each time that it is sent back, and lands after four', async () => {
  const { ask, repository } = await begun();
  expect(await playToItsEnd(ask, { way: 'continue', rejections: 4 })).toEqual([
    'answer',
    'failed',
    'rejected',
    'landed',
  ]);
  const files = (await promisify(execFile)('git', ['-C', repository, 'ls-tree', '-r', '--name-only', 'main'])).stdout;
  expect(files.split('\n')).toEqual(
    expect.arrayContaining(['test/subtract.test.js', 'readme.md', 'notes/3.md', 'notes/4.md']),
  );
  expect(await ask('GET', 'dead-letter')).toEqual([]);
});
