import { describe, expect, it } from 'vitest';
import { post } from '../../testing/doors/calls.js';
import { startTestStudio } from '../../testing/test-studio.js';

const PATH = '/studio/experiments';
const refused = (status: number, code: string) => ({ status, json: { code } });
const body = {
  goal: 'be fast',
  owner: 'ann',
  forkType: 'Library',
  forks: [{ constraintText: 'use a' }, { constraintText: 'use b' }],
};

interface Experiment {
  readonly experimentId: string;
  readonly parentWorkUnitId: string;
  readonly forkWorkUnitIds: readonly string[];
}

describe('experiments', () => {
  it('are started, listed newest first, read, and won', async () => {
    const studio = await startTestStudio();
    const start = async (given: object) => (await studio.call('POST', PATH, { body: given })).json as Experiment;
    const first = await start(body);
    expect(first.experimentId).toMatch(/^exp-[0-9a-f]{32}$/);
    const { workUnitId } = await post<{ workUnitId: string }>(studio, '/workunits', { goal: 'g' });
    const session = { rootWorkUnitId: workUnitId, profileIds: ['worker'] };
    const { sessionId } = await post<{ sessionId: string }>(studio, '/sessions', session);
    const second = await start({ ...body, comparisonMetricHint: 'time', sessionId });
    const shown = { forkType: 'Library', createdAt: expect.any(String) as string };
    expect((await studio.call('GET', PATH, { as: 'read' })).json).toEqual([
      { ...second, ...shown, comparisonMetricHint: 'time', sessionId },
      { ...first, ...shown },
    ]);
    const [winnerId, loserId] = first.forkWorkUnitIds;
    const converge = (given: object) =>
      studio.call('POST', `${PATH}/${first.parentWorkUnitId}/converge`, { body: given });
    expect((await converge({ winnerId, rationale: 'faster' })).json).toEqual({
      experimentId: first.experimentId,
      parentWorkUnitId: first.parentWorkUnitId,
      winnerId,
      rationale: 'faster',
      rejectedWorkUnitIds: [loserId],
      cancelledWorkUnitIds: [loserId],
      decisionIds: [],
    });
    expect(await converge({ winnerId: loserId })).toMatchObject(refused(409, 'reject.wrong_state'));
    expect(await converge({ winnerId: 'wu-none' })).toMatchObject(refused(400, 'reject.invalid_input'));
    expect((await studio.call('GET', `${PATH}/${first.experimentId}`)).json).toMatchObject({ winnerId });
    const hypotheses = await studio.call('GET', `/studio/hypotheses?parentWorkUnitId=${first.parentWorkUnitId}`);
    expect(hypotheses.json).toMatchObject({ hypotheses: [{ status: 'Converged' }, { status: 'Rejected' }] });
  });

  it('are refused where they compare nothing', async () => {
    const studio = await startTestStudio();
    const wrong = [
      [{ forks: [{ constraintText: 'a' }] }, 400, 'reject.invalid_input'],
      [{ forkType: 'Model' }, 400, 'reject.invalid_input'],
      [{ forkType: 'Weather' }, 400, 'reject.invalid_input'],
      [{ repositoryId: 'none' }, 404, 'reject.repository_not_found'],
      [{ repositoryPath: '/nowhere' }, 404, 'reject.repository_not_found'],
    ] as const;
    for (const [given, status, code] of wrong)
      expect(await studio.call('POST', PATH, { body: { ...body, ...given } })).toMatchObject(refused(status, code));
    expect(await studio.call('GET', `${PATH}/none`)).toMatchObject(refused(404, 'reject.experiment_not_found'));
    const none = await studio.call('POST', `${PATH}/none/converge`, { body: { winnerId: 'x' } });
    expect(none).toMatchObject(refused(404, 'reject.experiment_not_found'));
  });
});
