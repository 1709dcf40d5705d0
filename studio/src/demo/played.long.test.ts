/** Every way out of the failure of the demonstration leads on. */
import { expect, it } from 'vitest';
import { enteredBy, playToItsEnd } from '../testing/doors/played-by-rest.js';
import { startTestStudio } from '../testing/test-studio.js';
import { playedBeside } from './played.js';

it.each(['continue', 'retry-with-context', 'replan'])('the demonstration goes on by %s', async (way) => {
  const demonstration = playedBeside({ confinement: { unconfined: true }, log: () => undefined });
  const studio = await startTestStudio(undefined, { demonstration });
  const { link } = (await studio.call('POST', '/studio/demonstration')).json as { link: string };
  const { ask } = await enteredBy(link);
  expect(await playToItsEnd(ask, way)).toEqual(['answer', 'failed', 'rejected', 'landed']);
});
