/** Programs on a machine that cannot confine them. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, it, onTestFinished } from 'vitest';
import { post, toolData } from '../../testing/doors/calls.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

it('are refused until a person says that they may run as that user, which is asked once and said where people look', async () => {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  const [data, outside] = [await tempFolder(), await tempFolder()];
  const folder = join(outside, 'user');
  const commit = await gitRepository(folder, { a: '' });
  const start = (more: object) => startTestStudio(host, { folder: data, confinement: { path: '/nowhere', ...more } });
  const first = await start({});
  const { branch } = await withRepository(first, folder, commit);
  await branch('fix', {});
  const { goalId } = await toolData<{ goalId: string }>(first, 'svcs_v1_goal_run', { goal: 'g' });
  const said = () => toolData(first, 'svcs_v1_goal_status', { goalId });
  expect(await said()).toMatchObject({ notConfined: expect.stringMatching(/bwrap.*--unconfined/) as string });
  expect(await first.call('GET', '/studio/health')).toMatchObject({ json: { ok: true, programs: 'missing' } });
  expect(first.log.map(({ message }) => message)).toContainEqual(expect.stringContaining('--unconfined'));
  const run = { buildCommand: `touch ${outside}/made`, runCommand: `touch ${outside}/made` };
  for (const [how, body] of [
    ['build', { buildCommand: run.buildCommand }],
    ['run', { runCommand: run.runCommand }],
    ['exec', { build: true, buildCommand: run.buildCommand }],
  ] as const) {
    const answer = await first.call('POST', `/studio/workspace/${how}?branchId=fix`, { body });
    expect(answer, how).toMatchObject({ status: 422, json: { code: 'reject.not_confined' } });
  }
  expect(await readdir(outside)).toEqual(['user']);
  // What runs nothing of a branch goes on.
  expect(await first.call('GET', '/studio/workspace/search?branchId=fix&query=x')).not.toMatchObject({ status: 500 });
  await first.close();
  const second = await start({ unconfined: true });
  await post(second, '/workspace/build?branchId=fix', { buildCommand: run.buildCommand });
  expect(await readdir(outside)).toEqual(['made', 'user']);
  await second.close();
  const third = await start({});
  expect(await third.call('GET', '/studio/health')).toMatchObject({ json: { programs: 'unconfined' } });
  await post(third, '/workspace/build?branchId=fix', { buildCommand: 'true' });
  expect((await stat(join(data, 'studio'))).mode & 0o777).toBe(0o700);
});
