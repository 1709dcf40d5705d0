/** What programs of a branch see in a sandbox, which bubblewrap makes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { post, read } from '../../testing/doors/calls.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

describe('a studio with a sandbox', () => {
  it('lets programs see neither its tokens nor the work of others', async () => {
    const data = await tempFolder();
    await writeFile(join(data, 'studio.tokens.json'), 'secret');
    const studio = await startTestStudio(undefined, { folder: data, confinement: {} });
    const user = join(await tempFolder(), 'user');
    const { branch } = await withRepository(studio, user, await gitRepository(user, { a: 'mine\n' }));
    for (const name of ['one', 'two']) {
      await branch(name, {});
      await post(studio, `/branches/${name}/checkout`);
    }
    const buildCommand = `cat a && touch made && ls ${data}/studio/workspaces && ! cat ${data}/studio.tokens.json && ! ls ${user}`;
    const at = '/workspace/build?branchId=one';
    const { builds } = await post<{ builds: { stdOut: string; exitCode: number }[] }>(studio, at, { buildCommand });
    expect(builds[0]).toMatchObject({
      exitCode: 0,
      stdOut: expect.stringMatching(/^mine\none-[0-9a-f]+\n$/) as string,
    });
    expect(await read(studio, '/branches/one/status')).toMatchObject({ pendingChangeCount: 1 });
  });
});
