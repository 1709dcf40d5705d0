import { describe, expect, it } from 'vitest';
import {
  type Unit,
  expectRefusal,
  makeUnit,
  post,
  queue,
  read,
  statusOf,
  toolData,
} from '../../testing/doors/calls.js';
import { startTestStudio } from '../../testing/test-studio.js';

interface Session {
  readonly sessionId: string;
  readonly status: string;
}
interface State {
  readonly boundaryEventId?: string;
  readonly activeWorkUnitIds: string[];
  readonly completedEventIds: string[];
}

async function begun() {
  const studio = await startTestStudio();
  const root = await makeUnit(studio);
  const part = await makeUnit(studio, { parentWorkUnitId: root.workUnitId });
  const session = await post<Session>(studio, '/sessions', {
    rootWorkUnitId: root.workUnitId,
    profileIds: ['orchestrator', 'worker'],
  });
  return { studio, root, part, session, path: `/sessions/${session.sessionId}` };
}

describe('sessions', () => {
  it('are begun over a unit and all below it, and read', async () => {
    const { studio, root, part, session, path } = await begun();
    expect(session).toMatchObject({ status: 'Active', rootWorkUnitId: root.workUnitId, modelConfigSnapshotJson: '{}' });
    expect(session).toHaveProperty('profileIdSet', ['orchestrator', 'worker']);
    expect(await read(studio, path)).toEqual(session);
    expect(await read(studio, '/sessions')).toEqual([session]);
    const units = await read<Unit[]>(studio, `${path}/workunits`);
    expect(units.map(({ workUnitId }) => workUnitId)).toEqual([root.workUnitId, part.workUnitId]);
    await makeUnit(studio);
    expect(await read(studio, `/workunits?sessionId=${session.sessionId}`)).toEqual(units);
  });

  it('choose no models', async () => {
    const { studio, root } = await begun();
    const given = { rootWorkUnitId: root.workUnitId, profileIds: ['worker'] };
    expect(await post(studio, '/sessions', { ...given, modelConfigJson: ' {} ' })).toMatchObject({
      modelConfigSnapshotJson: '{}',
    });
    for (const modelConfigJson of ['{"worker":"gpt"}', 'no JSON', ''])
      await expectRefusal(studio, ['POST', '/sessions', { ...given, modelConfigJson }], 422, 'option_fixed');
  });

  it('stop all of their work when they are paused, and let go on what that stopped', async () => {
    const { studio, root, part, path } = await begun();
    await queue(studio, part);
    expect(await post(studio, `${path}/pause`)).toMatchObject({ status: 'Paused' });
    expect(await statusOf(studio, part)).toBe('Waiting');
    await queue(studio, root);
    expect(await statusOf(studio, root)).toBe('Waiting');
    await expectRefusal(studio, ['POST', `/scheduler/${part.workUnitId}/resume`], 409, 'held_back');
    expect(await post(studio, `${path}/resume`)).toMatchObject({ status: 'Active' });
    expect([await statusOf(studio, root), await statusOf(studio, part)]).toEqual(['Queued', 'Queued']);
  });

  it('cancel their work when they are abandoned, and are over then', async () => {
    const { studio, root, part, path } = await begun();
    await queue(studio, part);
    expect(await post(studio, `${path}/abandon`)).toMatchObject({ status: 'Abandoned' });
    expect([await statusOf(studio, root), await statusOf(studio, part)]).toEqual(['Cancelled', 'Cancelled']);
    await expectRefusal(studio, ['POST', `${path}/pause`], 409, 'wrong_state');
    await expectRefusal(studio, ['POST', `${path}/resume`], 409, 'wrong_state');
    expect(await post(studio, `${path}/abandon`)).toMatchObject({ status: 'Abandoned' });
  });

  it('are completed with their root, and are over then', async () => {
    const { studio, path, root } = await begun();
    for (const status of ['Active', 'Completed'])
      await toolData(studio, 'svc_v1_workunit_update', { workUnitId: root.workUnitId, status });
    expect(await read(studio, path)).toMatchObject({ status: 'Completed' });
    await expectRefusal(studio, ['POST', `${path}/abandon`], 409, 'wrong_state');
  });

  it('are branched at an event, with a goal of their own', async () => {
    const { studio, session, path } = await begun();
    const child = await post(studio, `${path}/branch`, { parentEventId: 'ev-1', goal: 'otherwise' });
    const { profileIdSet } = session as unknown as { profileIdSet: string[] };
    expect(child).toMatchObject({
      parentSessionId: session.sessionId,
      parentEventId: 'ev-1',
      goal: 'otherwise',
      profileIdSet,
      status: 'Active',
    });
    await expectRefusal(studio, ['POST', `${path}/branch`, { parentEventId: 'ev-99' }], 404, 'event_not_found');
  });

  it('are shown as they were at an event, and at a time', async () => {
    const { studio, root, part, path } = await begun();
    const ids = [root.workUnitId, part.workUnitId];
    const { completedEventIds: before } = await read<State>(studio, `${path}/state?asOf=2999-01-01T00:00:00Z`);
    await post(studio, `/workunits/${part.workUnitId}/cancel`);
    const now = await read<State>(studio, `${path}/state?asOf=2999-01-01T00:00:00Z`);
    expect(now.activeWorkUnitIds).toEqual([root.workUnitId]);
    expect(now.completedEventIds.slice(0, before.length)).toEqual(before);
    expect(now.completedEventIds.length).toBeGreaterThan(before.length);
    const then = await read<State>(studio, `${path}/state?upToEvent=${before.at(-1)}`);
    expect(then).toMatchObject({ boundaryEventId: before.at(-1), activeWorkUnitIds: ids, completedEventIds: before });
    expect(then).toMatchObject({ activeWorkspaceIds: ['workspace-default'], artifactIds: [] });
    const never = await read<State>(studio, `${path}/state?asOf=2001-01-01T00:00:00Z`);
    expect([never.boundaryEventId, never.activeWorkUnitIds]).toEqual([undefined, []]);
    await expectRefusal(studio, ['GET', `${path}/state`], 400, 'invalid_input');
    await expectRefusal(studio, ['GET', `${path}/state?asOf=soon`], 400, 'invalid_input');
    await expectRefusal(studio, ['GET', `${path}/state?upToEvent=ev-999`], 404, 'event_not_found');
  });

  it('are refused where something that they name is not there', async () => {
    const studio = await startTestStudio();
    const nobody = { rootWorkUnitId: 'none', profileIds: ['worker'] };
    await expectRefusal(studio, ['POST', '/sessions', nobody], 404, 'workunit_not_found');
    await expectRefusal(studio, ['POST', '/sessions', { ...nobody, profileIds: [] }], 400, 'invalid_input');
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/workunits'],
      ['GET', '/state?asOf=2020-01-01T00:00:00Z'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/abandon'],
      ['POST', '/branch'],
    ] as const)
      await expectRefusal(studio, [method, `/sessions/none${path}`], 404, 'session_not_found');
    await expectRefusal(studio, ['GET', '/workunits?sessionId=none'], 404, 'session_not_found');
  });
});
