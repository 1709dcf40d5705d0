import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { testProcesses } from '../../testing/models/fake-programs.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { nodeRunner } from './node-runner.js';
import { Runs } from './runs.js';
import { UnderWay } from './under-way.js';

const key = { repositoryId: 'repo-1', branchId: 'work-1', rootPath: '.' };
const stopped = { reason: 'reject.execution_stopped' };

describe('what is stopped when the work on its branch is over', () => {
  it('does not begin when that was over before it was known to be under way', async () => {
    const underWay = new UnderWay();
    const runs = new Runs(nodeRunner(await testProcesses()));
    const folder = await tempFolder();
    const start = (signal: AbortSignal) => runs.start(key, folder, 'touch begun', { startedAt: '', signal });
    await expect(underWay.run(key, start, () => true)).rejects.toMatchObject(stopped);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is ended, and not kept, when it was over while a program began', async () => {
    const underWay = new UnderWay();
    const begun: { readonly ended: Promise<unknown> }[] = [];
    const runner = nodeRunner(await testProcesses());
    const runs = new Runs({
      async run(program) {
        const running = await runner.run(program);
        begun.push(running);
        underWay.stop(key);
        return running;
      },
    });
    const folder = await tempFolder();
    const start = (signal: AbortSignal) => runs.start(key, folder, 'sleep 1000', { startedAt: '', signal });
    await expect(underWay.run(key, start)).rejects.toMatchObject(stopped);
    expect(runs.of(key)).toEqual([]);
    expect(await begun[0]?.ended).toMatchObject({ why: 'stopped' });
  });
});
