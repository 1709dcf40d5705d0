import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { describeCommit, isMeasuredSince } from './machine.js';

it('what was measured is what there is until something changes that a bench runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const git = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('git', args, { cwd: folder })).stdout.trim();
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid'];
  await git('init', '-q');
  await write('core/src/room.ts', 'one');
  await write('core/src/room.test.ts', 'one');
  await write('bench/RESULTS.md', 'one');
  await git('add', '.');
  await git(...who, 'commit', '-qm', 'one');
  const commit = await git('rev-parse', '--short=12', 'HEAD');
  expect(await isMeasuredSince(commit, folder)).toBe(true);

  await write('bench/history/today.jsonl', 'figures');
  await write('bench/RESULTS.md', 'two');
  await write('core/src/room.test.ts', 'two');
  await git('add', '.');
  expect(await describeCommit(folder), 'figures that were saved before the next bench').toBe(commit);
  await git(...who, 'commit', '-qm', 'two');
  expect(await isMeasuredSince(commit, folder), 'results, words and tests').toBe(true);
  expect(await isMeasuredSince(`${commit}+`, folder), 'files that no commit has').toBe(false);
  expect(await isMeasuredSince('0123456789ab', folder), 'a commit that is not here').toBe(false);

  await write('core/src/room.ts', 'two');
  expect(await describeCommit(folder), 'a source').toMatch(/^[0-9a-f]{12}\+$/);
  expect(await isMeasuredSince(commit, folder), 'a source').toBe(false);
});
