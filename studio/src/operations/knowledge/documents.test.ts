import { expect, it } from 'vitest';
import { startTestStudio } from '../../testing/test-studio.js';

it('documents of the outside are not read unless somebody allows it', async () => {
  const studio = await startTestStudio();
  const { json } = await studio.call('POST', '/studio/workunits', { body: { goal: 'g' } });
  const { workUnitId } = json as { workUnitId: string };
  const body = { url: 'https://docs.example.test/', reason: 'to know', workUnitId };
  expect(await studio.call('POST', '/studio/doc/fetch', { body })).toMatchObject({
    status: 400,
    json: { code: 'reject.feature_off' },
  });
  expect(await studio.call('POST', '/studio/doc/fetch', { body: { ...body, workUnitId: 'none' } })).toMatchObject({
    status: 404,
    json: { code: 'reject.workunit_not_found' },
  });
});
