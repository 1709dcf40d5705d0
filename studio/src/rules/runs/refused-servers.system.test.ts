/** Servers that a program was refused, as people and agents learn of them. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeUnit, post, read } from '../../testing/doors/calls.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

const ASK =
  "node -e \"const s=require('net').connect(new URL(process.env.HTTP_PROXY).port,'127.0.0.1');" +
  "s.on('data',(b)=>process.stdout.write(b));s.on('close',()=>process.exit());" +
  "s.write('CONNECT canary.invalid:443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')\"";

it('are an event and one finding of the branch, and stand in the output that its agent reads', async () => {
  const folder = join(await tempFolder(), 'user');
  const studio = await startTestStudio(undefined, { folder: await tempFolder(), confinement: {} });
  await withRepository(studio, folder, await gitRepository(folder, { a: '1\n' }));
  const { workUnitId } = await makeUnit(studio);
  for (let n = 0; n < 2; n++) {
    const built = await post<object>(studio, `/workspace/build?workUnitId=${workUnitId}`, { buildCommand: ASK });
    expect(JSON.stringify(built)).toContain('weft: no connection to canary.invalid:443: it is not on the list');
  }
  const about = { workUnitId, operation: 'network', target: 'canary.invalid:443' };
  await expect
    .poll(async () =>
      (await read<{ title: string; supportingDataJson: string }[]>(studio, '/findings')).map(
        ({ title, supportingDataJson }) => [title, JSON.parse(supportingDataJson) as object],
      ),
    )
    .toEqual([['A program tried to reach a server that is not allowed', expect.objectContaining(about)]]);
  const recorded = await read<{ kind: string }[]>(studio, `/replay/timeline`);
  expect(recorded.filter(({ kind }) => kind === 'AgentRefused')).toHaveLength(1);
});
