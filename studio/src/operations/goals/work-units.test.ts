import { describe, expect, it } from 'vitest';
import { CANCELLED_AT_ONCE } from '../../rules/queue/cancel.js';
import { createUnit } from '../../rules/goals/create-unit.js';
import { openRecord } from '../../testing/record/open-record.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

interface Unit {
  readonly workUnitId: string;
  readonly branchId: string;
  readonly status: string;
}

const PATH = '/studio/workunits';
const refused = (status: number, code: string) => ({ status, json: { code } });

async function made(studio: TestStudio, body: object = {}): Promise<Unit> {
  const answer = await studio.call('POST', PATH, { body: { goal: 'build it', ...body } });
  expect(answer.status).toBe(200);
  return answer.json as Unit;
}

describe('work units', () => {
  it('are created with a branch of their own, and read', async () => {
    const studio = await startTestStudio();
    const unit = await made(studio, { owner: 'ann', fileScope: ['src/**'], taskReviewPolicy: 'Hybrid' });
    expect(unit).toMatchObject({
      goal: 'build it',
      owner: 'ann',
      status: 'Created',
      fileScope: ['src/**'],
      dependsOn: [],
      taskReviewPolicy: 'Hybrid',
      workspaceReviewPolicy: 'HumanRequired',
      expectedOutputKind: 'FileChange',
      workUnitId: expect.stringMatching(/^wu-[0-9a-f]{32}$/) as string,
      branchId: expect.stringMatching(/^work-[0-9a-f]{32}$/) as string,
    });
    const read = await studio.call('GET', `${PATH}/${unit.workUnitId}`, { as: 'read' });
    expect(read.json).toEqual({ ...unit, awaitingFileLease: false, awaitingResume: false, proposalCount: 0 });
    expect(read.headers['etag']).toBe('"1"');
  });

  it('are parts of others, and take over from them what they are not told', async () => {
    const studio = await startTestStudio();
    const root = await made(studio, { taskReviewPolicy: 'AgentApproval', bypassPromotionBranch: true });
    const part = await made(studio, { parentWorkUnitId: root.workUnitId });
    const other = await made(studio, { parentWorkUnitId: root.workUnitId, dependsOn: [part.workUnitId] });
    expect(part).toMatchObject({ taskReviewPolicy: 'AgentApproval', bypassPromotionBranch: true });
    const children = await studio.call('GET', `${PATH}/${root.workUnitId}/children`, { as: 'read' });
    expect(children.json).toEqual([part, other]);
    const onBranch = await studio.call('GET', `${PATH}?branchId=${part.branchId}`, { as: 'read' });
    expect((onBranch.json as Unit[]).map(({ workUnitId }) => workUnitId)).toEqual([part.workUnitId]);
  });

  it('do not depend on what waits for them: what they are a part of, and what depends on that', async () => {
    const studio = await startTestStudio();
    const root = await made(studio);
    const part = await made(studio, { parentWorkUnitId: root.workUnitId });
    const behind = await made(studio, { dependsOn: [root.workUnitId] });
    const beside = await made(studio, { parentWorkUnitId: root.workUnitId, dependsOn: [part.workUnitId] });
    const refuses = async (parent: Unit, dependency: Unit, waitsFor: Unit): Promise<void> => {
      const body = { goal: 'g', parentWorkUnitId: parent.workUnitId, dependsOn: [dependency.workUnitId] };
      expect(await studio.call('POST', PATH, { body })).toMatchObject({
        ...refused(400, 'reject.waits_for_itself'),
        json: { details: { dependsOn: dependency.workUnitId, waitsFor: waitsFor.workUnitId } },
      });
    };
    await refuses(root, root, root);
    await refuses(part, root, root);
    await refuses(part, behind, root);
    await refuses(part, beside, part);
    // What does not wait is no circle, nor is what waits for nothing any more.
    await made(studio, { parentWorkUnitId: beside.workUnitId, dependsOn: [part.workUnitId] });
    await studio.call('POST', `${PATH}/${behind.workUnitId}/cancel`, { body: {} });
    await made(studio, { parentWorkUnitId: part.workUnitId, dependsOn: [behind.workUnitId] });
  });

  it('are listed a page at a time', async () => {
    const studio = await startTestStudio();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await made(studio)).workUnitId);
    const found: string[] = [];
    let path = `${PATH}?limit=2`;
    for (let page = 0; page < 10; page++) {
      const { json, headers } = await studio.call('GET', path, { as: 'read' });
      found.push(...(json as Unit[]).map(({ workUnitId }) => workUnitId));
      const link = /^<(.*)>; rel="next"$/.exec(String(headers['link'] ?? ''))?.[1];
      if (link === undefined) break;
      await made(studio, { branchId: 'later' });
      path = link;
    }
    expect(found.slice(0, 5)).toEqual(ids);
    expect(new Set(found).size).toBe(found.length);
    expect(await studio.call('GET', `${PATH}?cursor=none`, { as: 'read' })).toMatchObject(
      refused(400, 'reject.invalid_input'),
    );
  });

  it('are cancelled with all below them', async () => {
    const studio = await startTestStudio();
    const root = await made(studio);
    const part = await made(studio, { parentWorkUnitId: root.workUnitId });
    const deep = await made(studio, { parentWorkUnitId: part.workUnitId });
    const aside = await made(studio);
    const ids = [root, part, deep].map(({ workUnitId }) => workUnitId);
    const answer = await studio.call('POST', `${PATH}/${root.workUnitId}/cancel`);
    expect(answer.json).toEqual({ cancelledWorkUnitIds: ids });
    expect((await studio.call('POST', `${PATH}/${root.workUnitId}/cancel`)).json).toEqual({ cancelledWorkUnitIds: [] });
    expect((await studio.call('POST', '/studio/stop-all')).json).toEqual({ cancelledWorkUnitIds: [aside.workUnitId] });
    expect(await studio.call('POST', PATH, { body: { goal: 'x', parentWorkUnitId: root.workUnitId } })).toMatchObject(
      refused(409, 'reject.wrong_state'),
    );
  });

  it('are refused where something that they name is not there', async () => {
    const studio = await startTestStudio();
    const wrong = [
      [{ parentWorkUnitId: 'wu-none' }, 'reject.workunit_not_found'],
      [{ dependsOn: ['wu-none'] }, 'reject.workunit_not_found'],
      [{ repositoryId: 'repo-none' }, 'reject.repository_not_found'],
      [{ repositoryPath: '/nowhere' }, 'reject.repository_not_found'],
    ] as const;
    for (const [body, code] of wrong)
      expect(await studio.call('POST', PATH, { body: { goal: 'x', ...body } })).toMatchObject(refused(404, code));
    for (const body of ['{}', '{"goal":"\\ud800"}', '{"goal":"x","referenceFiles":[{"path":"\\udfff"}]}'])
      expect(await studio.call('POST', PATH, { body })).toMatchObject(refused(400, 'reject.invalid_input'));
    for (const [method, path] of [
      ['GET', '/none'],
      ['GET', '/none/children'],
      ['POST', '/none/cancel'],
    ] as const)
      expect(await studio.call(method, PATH + path)).toMatchObject(refused(404, 'reject.workunit_not_found'));
    expect((await studio.call('GET', PATH, { as: 'read' })).json).toEqual([]);
  });

  it('are stopped, however many there are, those above before those below', async () => {
    const { call, change, records, ledger } = await openRecord();
    const count = 2 * CANCELLED_AT_ONCE + 5;
    const ids = await change((open) => {
      const root = createUnit(open, records, { goal: 'all', owner: 'ann' }).workUnitId;
      const parts = Array.from({ length: count }, () =>
        createUnit(open, records, { goal: 'part', owner: 'ann', parentWorkUnitId: root }),
      );
      return [root, ...parts.map(({ workUnitId }) => workUnitId)];
    });
    const before = ledger.feed.last;
    expect(await call('workunit.stopAll', {})).toEqual({ cancelledWorkUnitIds: ids });
    expect(new Set(records.workUnits.all().map(({ status }) => status))).toEqual(new Set(['Cancelled']));
    expect(ledger.feed.get(before + 1)?.stored.id).toBe(ids[0]);
    expect(await call('workunit.stopAll', {})).toEqual({ cancelledWorkUnitIds: [] });
  });
});
