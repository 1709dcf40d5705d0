/** Demonstration beside a studio: begun, played to its end, ended, and gone; and who may not play it. */
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../testing/test-studio.js';
import { playedBeside } from './played.js';
import { runItsTests } from './repository.js';
import { enteredBy, playToItsEnd } from '../testing/doors/played-by-rest.js';

const options = { demonstration: playedBeside({ confinement: { unconfined: true }, log: () => undefined }) };
const folderOf = ({ branches }: TestStudio): string => join(branches, 'demonstration');
const stateOf = async (studio: TestStudio): Promise<unknown> =>
  (await studio.call('GET', '/studio/demonstration', { as: 'read' })).json;
const play = async (studio: TestStudio): Promise<string> =>
  ((await studio.call('POST', '/studio/demonstration')).json as { link: string }).link;

it('is played from its statement to landed, in a studio of its own, and ended without a trace in the other', async () => {
  const studio = await startTestStudio(undefined, options);
  expect(await stateOf(studio)).toEqual({ state: 'offered', home: studio.origin });
  const link = await play(studio);
  expect(await stateOf(studio)).toEqual({ state: 'running', home: studio.origin });
  const { ask } = await enteredBy(link);
  expect(await ask('GET', 'demonstration')).toMatchObject({ state: 'this', home: studio.origin });
  // A second link opens the same one.
  const again = await enteredBy(await play(studio));
  expect(await again.ask('GET', 'repositories')).toEqual(await ask('GET', 'repositories'));

  expect(await playToItsEnd(ask, { way: 'retry' })).toEqual(['answer', 'failed', 'rejected', 'landed']);
  const repository = join(folderOf(studio), 'calculator');
  expect((await runItsTests(repository)).passed).toBe(true);
  expect(await readFile(join(repository, 'src/show.js'), 'utf8')).toContain('toFixed(3)');
  expect(await readFile(join(repository, 'src/index.js'), 'utf8')).toContain('subtract');

  expect((await studio.call('DELETE', '/studio/demonstration')).json).toEqual({ ended: true });
  expect(await stateOf(studio)).toEqual({ state: 'offered', home: studio.origin });
  await expect(access(folderOf(studio))).rejects.toThrow('ENOENT');
  await expect(fetch(link)).rejects.toThrow();
  expect((await studio.call('GET', '/studio/repositories')).json).toEqual([]);
  expect((await studio.call('GET', '/studio/goals')).json).toMatchObject({ goals: [] });
  // Ended once more, nothing is there to end.
  expect((await studio.call('DELETE', '/studio/demonstration')).json).toEqual({ ended: true });
});

it('ends with the studio beside it, and what a killed one has left is gone before the next', async () => {
  const studio = await startTestStudio(undefined, options);
  const link = await play(studio);
  await studio.close();
  await expect(fetch(link)).rejects.toThrow();
  await expect(access(folderOf(studio))).rejects.toThrow('ENOENT');

  const folder = await tempFolder();
  const left = join(folder, 'studio/demonstration/calculator');
  await mkdir(left, { recursive: true });
  await writeFile(join(left, 'left'), 'behind');
  const next = await startTestStudio(undefined, { ...options, folder });
  await expect(access(left)).rejects.toThrow('ENOENT');
  const { ask } = await enteredBy(await play(next));
  expect(await ask('GET', 'repositories')).toHaveLength(1);
});

it('that is begun while another ends waits for that, and is its own', async () => {
  const begin = playedBeside({ confinement: { unconfined: true }, log: () => undefined });
  const played = await begin({ folder: await tempFolder(), url: 'http://127.0.0.1:7880' });
  onTestFinished(() => played.end());
  const first = await played.play();
  const ending = played.end();
  const second = await enteredBy(await played.play());
  await ending;
  expect(await second.ask('GET', 'repositories')).toHaveLength(1);
  await expect(fetch(first)).rejects.toThrow();
});

it('is refused to who may only read, where the studio is reached from elsewhere, and within itself', async () => {
  const studio = await startTestStudio(undefined, options);
  const refused = { code: 'reject.scope_missing' };
  for (const method of ['POST', 'DELETE'])
    expect((await studio.call(method, '/studio/demonstration', { as: 'read' })).json).toMatchObject(refused);
  await expect(access(folderOf(studio))).rejects.toThrow('ENOENT');

  const { ask } = await enteredBy(await play(studio));
  for (const method of ['POST', 'DELETE'])
    expect(await ask(method, 'demonstration')).toMatchObject({
      code: 'reject.wrong_state',
      error: expect.stringContaining('this studio is the demonstration') as string,
    });

  for (const open of [await startTestStudio(undefined, { ...options, listen: '0.0.0.0:0' }), await startTestStudio()]) {
    expect(await stateOf(open)).toEqual({ state: 'none' });
    expect((await open.call('POST', '/studio/demonstration')).json).toMatchObject({ code: 'reject.wrong_state' });
  }
});

it('says why it cannot begin, leaves nothing open, and begins when it can', async () => {
  const studio = await startTestStudio(undefined, options);
  await writeFile(folderOf(studio), 'a file where its folder goes');
  expect((await studio.call('POST', '/studio/demonstration')).status).toBe(500);
  expect(await stateOf(studio)).toEqual({ state: 'offered', home: studio.origin });
  const { ask } = await enteredBy(await play(studio));
  expect(await ask('GET', 'repositories')).toHaveLength(1);
});
