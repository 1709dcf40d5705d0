import { describe, expect, it } from 'vitest';
import { createAgentDoor } from '../../doors/tools/agent.js';
import { agent } from '../../record/aggregates/agent/agent.js';
import { ManualClock } from '../../testing/manual-clock.js';
import { openRecord } from '../../testing/record/open-record.js';
import { SHOWN_INSTEAD, agentTable } from '../agent-tools/table.js';
import { operationTable } from '../table.js';
import { callTool } from '../../testing/doors/call-tool.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

interface Artifact {
  readonly artifactId: string;
  readonly body: string;
}

const PATH = '/studio/artifacts';
const refused = (status: number, code: string) => ({ status, json: { code } });
const ids = (json: unknown): string[] => (json as Artifact[]).map(({ artifactId }) => artifactId);

async function unit(studio: TestStudio, parentWorkUnitId?: string): Promise<string> {
  const { json } = await studio.call('POST', '/studio/workunits', { body: { goal: 'build it', parentWorkUnitId } });
  return (json as { workUnitId: string }).workUnitId;
}

async function recorded(studio: TestStudio, workUnitId: string, body: object = {}): Promise<Artifact> {
  const given = { workUnitId, type: 'Research', title: 'found', body: 'it is so', ...body };
  const answer = await studio.call('POST', PATH, { body: given });
  expect(answer).toMatchObject({ status: 200 });
  return answer.json as Artifact;
}

describe('artifacts', () => {
  it('are recorded for a work unit and read', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    const one = await recorded(studio, workUnitId);
    expect(one).toMatchObject({
      type: 'Research',
      status: 'Active',
      title: 'found',
      body: 'it is so',
      supersedes: [],
      scopeVersion: 0,
      ownedByWorkUnitId: workUnitId,
      artifactId: expect.stringMatching(/^artifact-[0-9a-f]{32}$/) as string,
    });
    const read = await studio.call('GET', `${PATH}/${one.artifactId}`, { as: 'read' });
    expect([read.json, read.headers['etag']]).toEqual([one, '"1"']);
    const below = await recorded(studio, workUnitId, { parentArtifactId: one.artifactId });
    expect((await studio.call('GET', `${PATH}/${one.artifactId}/children`)).json).toEqual([below]);
    expect((await studio.call('GET', `${PATH}/${one.artifactId}/feedback`)).json).toEqual({
      artifactId: one.artifactId,
      surfaced: [],
      consideredIn: [],
    });
  });

  it('are listed with those of the units above, by type and by words', async () => {
    const studio = await startTestStudio();
    const root = await unit(studio);
    const part = await unit(studio, root);
    const other = await unit(studio, root);
    const above = await recorded(studio, root, { title: 'Cache keys', body: 'use sha-256' });
    const own = await recorded(studio, part, { type: 'Decision', title: 'cache', body: 'no cache' });
    await recorded(studio, other);
    const found = async (query: string) => ids((await studio.call('GET', `${PATH}?workUnitId=${part}${query}`)).json);
    expect(await found('')).toEqual([above.artifactId, own.artifactId]);
    expect(await found('&includeAncestors=false')).toEqual([own.artifactId]);
    expect(await found('&type=Decision')).toEqual([own.artifactId]);
    expect(await found('&keywords=SHA%20cache')).toEqual([above.artifactId]);
    expect(await found('&keywords=tree')).toEqual([]);
    expect(ids((await studio.call('GET', PATH)).json)).toHaveLength(3);
    const chain = await studio.call('GET', `/studio/workunits/${part}/artifacts`, { as: 'read' });
    expect(ids(chain.json)).toEqual([above.artifactId, own.artifactId]);
  });

  it('are listed from the newest back, as many as are wanted, whoever owns them', async () => {
    const wall = new ManualClock();
    const studio = await startTestStudio(undefined, { wall });
    const root = await unit(studio);
    const part = await unit(studio, root);
    const made: string[] = [];
    for (const owner of [part, root, part, root]) {
      made.push((await recorded(studio, owner)).artifactId);
      wall.pass(1000);
    }
    const found = async (query: string) => ids((await studio.call('GET', `${PATH}?${query}`)).json);
    expect(await found('newest=3')).toEqual(made.slice(1));
    expect(await found(`newest=2&workUnitId=${part}`)).toEqual(made.slice(2));
    expect(await found('newest=2&keywords=so')).toEqual(made.slice(2));
    expect(await found('newest=9')).toEqual(made);
    for (const wrong of ['0', '1001', 'all'])
      expect(await studio.call('GET', `${PATH}?newest=${wrong}`)).toMatchObject(refused(400, 'reject.invalid_input'));
  });

  it('take the place of others', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    const old = await recorded(studio, workUnitId, { type: 'Constraint' });
    const bare = { workUnitId, type: 'Supersession', title: 't', body: 'b' };
    expect(await studio.call('POST', PATH, { body: bare })).toMatchObject(refused(400, 'reject.invalid_input'));
    await recorded(studio, workUnitId, { type: 'Supersession', supersedes: [old.artifactId] });
    const { json } = await studio.call('GET', `${PATH}/${old.artifactId}`);
    expect(json).toMatchObject({ status: 'Superseded' });
    expect((await studio.call('GET', '/studio/constraints/proposed')).json).toEqual([]);
  });

  it('hold a plan, when it can be followed', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    const plan = (slices: object[]) =>
      studio.call('POST', `${PATH}/plan`, { body: { workUnitId, planContent: JSON.stringify({ slices }) } });
    const first = await plan([{ sliceId: 'a', goal: 'do a' }]);
    expect(first.json).toMatchObject({ type: 'Plan', title: 'Plan of 1 slices' });
    expect(JSON.parse((first.json as Artifact).body)).toEqual({
      slices: [{ sliceId: 'a', goal: 'do a', fileScope: [], dependsOn: [], steps: [] }],
    });
    expect((await plan([{ sliceId: 'b', goal: 'do b', dependsOn: ['a'] }])).status).toBe(200);
    expect(await plan([{ sliceId: 'c', goal: 'do c', dependsOn: ['x'] }])).toMatchObject({
      status: 400,
      json: { code: 'reject.plan_invalid', details: { missing: ['x'] } },
    });
  });

  it('fall with what they were derived from', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    const root = await recorded(studio, workUnitId);
    const below = await recorded(studio, workUnitId, { parentArtifactId: root.artifactId });
    const deep = await recorded(studio, workUnitId, { parentArtifactId: below.artifactId });
    const aside = await recorded(studio, workUnitId);
    const ended = await callTool(studio, 'svc_v1_artifact_invalidate', {
      artifactId: root.artifactId,
      reason: 'not so',
    });
    expect(ended).toMatchObject({ data: { status: 'Invalidated', statusReason: 'not so' } });
    for (const one of [below, deep])
      expect((await studio.call('GET', `${PATH}/${one.artifactId}`)).json).toMatchObject({
        status: 'Invalidated',
        statusReason: 'not so',
        invalidatedByArtifactId: root.artifactId,
      });
    expect((await studio.call('GET', `${PATH}/${aside.artifactId}`)).json).toMatchObject({ status: 'Active' });
    const late = { workUnitId, type: 'Research', title: 't', body: 'b', parentArtifactId: root.artifactId };
    expect(await studio.call('POST', PATH, { body: late })).toMatchObject(refused(409, 'reject.wrong_state'));
  });

  it('are found by tools', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    const given = { workUnitId, type: 'Research', title: 'found', body: 'x' };
    await callTool(studio, 'svc_v1_artifact_record', given);
    const planContent = '{"slices":[{"sliceId":"a","goal":"g"}]}';
    await callTool(studio, 'svc_v1_artifact_record_plan', { workUnitId, planContent });
    for (const [name, query] of [
      ['svc_v1_artifact_query', { type: 'Research' }],
      ['svc_v1_artifact_list', { type: 'Research' }],
    ] as const)
      expect(await callTool(studio, name, { workUnitId, ...query })).toMatchObject({ data: [{ title: 'found' }] });
  });

  it('divide the parts of parts of a goal by the word of a person alone: a model that always divides comes to an end', async () => {
    const record = await openRecord();
    const door = createAgentDoor(operationTable, record.shared, { table: agentTable, shownInstead: SHOWN_INSTEAD });
    const answers: string[] = [];
    let workUnitId: string | undefined;
    const planContent = '{"slices":[{"sliceId":"a","goal":"g"}]}';
    for (const agentId of ['a-1', 'a-2', 'a-3', 'a-4']) {
      const made = await record.call('workunit.create', { goal: 'x', parentWorkUnitId: workUnitId });
      const id = (workUnitId = (made as { workUnitId: string }).workUnitId);
      const about = { agentId, agentType: 'planner', workUnitId: id, profileId: 'planner' };
      await record.change((change) => change.run(agent, agentId, 'spawn', about));
      const input = { workUnitId, planContent };
      const call = { agentId, workUnitId, allowed: [], name: 'svc_v1_artifact_record_plan', input };
      answers.push((await door.call(call)).text);
    }
    expect(answers.map((text) => /at level (\d)/.exec(text)?.[1])).toEqual([undefined, undefined, undefined, '4']);
    expect(await record.call('artifact.recordPlan', { workUnitId, planContent })).toMatchObject({ type: 'Plan' });
  });

  it('are refused where something that they name is not there', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    const given = { workUnitId, type: 'Research', title: 't', body: 'b' };
    const wrong = [
      [{ workUnitId: 'wu-none' }, 404, 'reject.workunit_not_found'],
      [{ parentArtifactId: 'none' }, 404, 'reject.artifact_not_found'],
      [{ supersedes: ['none'] }, 404, 'reject.artifact_not_found'],
      [{ type: 'Plan' }, 400, 'reject.invalid_input'],
    ] as const;
    for (const [body, status, code] of wrong)
      expect(await studio.call('POST', PATH, { body: { ...given, ...body } })).toMatchObject(refused(status, code));
    for (const [method, path] of [
      ['GET', '/none'],
      ['GET', '/none/children'],
      ['GET', '/none/feedback'],
      ['POST', '/none/elevate'],
    ] as const)
      expect(await studio.call(method, PATH + path)).toMatchObject(refused(404, 'reject.artifact_not_found'));
    expect(await studio.call('GET', `${PATH}?workUnitId=none`)).toMatchObject(
      refused(404, 'reject.workunit_not_found'),
    );
  });
});
