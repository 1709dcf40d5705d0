import { describe, expect, it } from 'vitest';
import { type Unit, expectRefusal, makeUnit, post, read, statusOf } from '../../testing/doors/calls.js';
import { startTestStudio } from '../../testing/test-studio.js';

interface Steered {
  readonly newWorkUnitId: string;
  readonly steeringDecisionId: string;
}

describe('steering', () => {
  it('pauses an agent, and begins its work again beside it under a constraint', async () => {
    const studio = await startTestStudio();
    const root = await makeUnit(studio);
    const unit = await makeUnit(studio, { parentWorkUnitId: root.workUnitId, fileScope: ['src/**'] });
    const { workUnitId } = unit;
    const { agentId } = await post<{ agentId: string }>(studio, '/agents/spawn', { agentType: 'worker', workUnitId });
    const given = { workUnitId, agentId, injectedConstraint: 'no new files' };
    const steered = await post<Steered>(studio, '/steering/redirect', given);
    expect(steered).toMatchObject({ originalWorkUnitId: workUnitId });
    expect(await read(studio, `/agents/${agentId}/status`)).toMatchObject({ status: 'paused' });
    expect(await statusOf(studio, unit)).toBe('Waiting');
    expect(await read(studio, `/workunits/${steered.newWorkUnitId}`)).toMatchObject({
      goal: 'build it',
      parentWorkUnitId: root.workUnitId,
      fileScope: ['src/**'],
      status: 'Queued',
      fanOutInfo: { seedFromBranchId: unit.branchId },
    });
    expect(await read(studio, `/workunits/${steered.newWorkUnitId}/artifacts`)).toMatchObject([
      { type: 'Constraint', body: 'no new files', ownedByWorkUnitId: steered.newWorkUnitId },
    ]);
    const context = `/projections/DecisionContext?workUnitId=${steered.newWorkUnitId}`;
    expect(await read(studio, context)).toMatchObject({
      data: {
        steeredFromDecisionId: steered.steeringDecisionId,
        constraints: [{ body: 'no new files' }],
        allowedTools: expect.arrayContaining(['workspace_write']) as string[],
      },
    });
    const none = { ...given, workUnitId: 'none' };
    await expectRefusal(studio, ['POST', '/steering/redirect', none], 404, 'workunit_not_found');
    await expectRefusal(studio, ['POST', '/steering/redirect', { ...given, agentId: 'x' }], 404, 'agent_not_found');
    await expectRefusal(studio, ['POST', '/steering/redirect', { workUnitId, agentId }], 400, 'invalid_input');
  });

  it('branches off with another goal, which somebody begins only when they are named', async () => {
    const studio = await startTestStudio();
    const { workUnitId } = await makeUnit(studio);
    const fork = (more: object) => post<Steered>(studio, '/steering/fork-from-node', { workUnitId, ...more });
    const idle = await fork({ newGoal: 'otherwise' });
    expect(await read<Unit>(studio, `/workunits/${idle.newWorkUnitId}`)).toMatchObject({
      goal: 'otherwise',
      status: 'Created',
    });
    const begun = await fork({ profileId: 'worker', constraintText: 'quickly' });
    expect(await read(studio, `/workunits/${begun.newWorkUnitId}`)).toMatchObject({
      goal: 'build it',
      status: 'Queued',
    });
    expect(await read(studio, `/workunits/${begun.newWorkUnitId}/artifacts`)).toMatchObject([{ body: 'quickly' }]);
    const unknown = { workUnitId, proposalId: 'MP-none' };
    await expectRefusal(studio, ['POST', '/steering/fork-from-node', unknown], 404, 'proposal_not_found');
    const wrong = { workUnitId, profileId: 'none' };
    await expectRefusal(studio, ['POST', '/steering/fork-from-node', wrong], 404, 'profile_not_found');
    await expectRefusal(studio, ['POST', '/steering/fork-from-node', { workUnitId: 'x' }], 404, 'workunit_not_found');
  });
});
