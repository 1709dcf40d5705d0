import { describe, expect, it } from 'vitest';
import { LOCAL_ROOM, WORKGROUP_ROOM } from '../../studio.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { callTool } from '../../testing/doors/call-tool.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

interface Constraint {
  readonly artifactId: string;
  readonly scopeVersion: number;
}

const PATH = '/studio/constraints';
const rule = { title: 'be brief', body: 'no long files' };
const refused = (status: number, code: string) => ({ status, json: { code } });

async function made(studio: TestStudio, body: object = {}): Promise<Constraint> {
  const answer = await studio.call('POST', PATH, { body: { ...rule, ...body } });
  expect(answer).toMatchObject({ status: 200 });
  return answer.json as Constraint;
}

async function repository(studio: TestStudio): Promise<string> {
  const path = await tempFolder();
  await gitRepository(path, { 'a.txt': path });
  const { json } = await studio.call('POST', '/studio/repositories', { body: { path } });
  return (json as { repositoryId: string }).repositoryId;
}

async function proposed(
  studio: TestStudio,
  repositoryId?: string,
): Promise<{ workUnitId: string; artifactId: string }> {
  const unit = await studio.call('POST', '/studio/workunits', { body: { goal: 'g', repositoryId } });
  const { workUnitId } = unit.json as { workUnitId: string };
  const answer = await studio.call('POST', '/studio/artifacts', { body: { ...rule, type: 'Constraint', workUnitId } });
  return { workUnitId, artifactId: (answer.json as Constraint).artifactId };
}

async function writesOf(studio: TestStudio, room: string): Promise<{ readonly key: string }[]> {
  const all: { readonly key: string }[] = [];
  for await (const { writes } of (await studio.host.room(room)).history(0)) all.push(...writes);
  return all;
}

/** Keys of one room that name an artifact. */
async function keysOf(studio: TestStudio, room: string, artifactId: string): Promise<string[]> {
  return (await writesOf(studio, room)).map(({ key }) => key).filter((key) => key.includes(artifactId));
}

describe('constraints', () => {
  it('are rules for all, of one repository or of all', async () => {
    const studio = await startTestStudio();
    const wide = await made(studio);
    expect(wide).toMatchObject({
      type: 'Constraint',
      status: 'Approved',
      reach: 'Workgroup',
      ...rule,
      artifactId: expect.stringMatching(/^constraint-[0-9a-f]{32}$/) as string,
    });
    expect(wide).not.toHaveProperty('ownedByWorkUnitId');
    const unclear = { ...rule, repoSpecific: true };
    expect(await studio.call('POST', PATH, { body: unclear })).toMatchObject(refused(400, 'reject.repository_needed'));
    const repositoryId = await repository(studio);
    const narrow = await made(studio, { repoSpecific: true });
    const row = { ...rule, reach: 'Workgroup', enabled: true };
    const wideRow = { ...row, artifactId: wide.artifactId, appliesToAllRepos: true };
    const narrowRow = { ...row, artifactId: narrow.artifactId, appliesToAllRepos: false, repositoryId };
    expect((await studio.call('GET', PATH, { as: 'read' })).json).toEqual([wideRow, narrowRow]);
    expect((await studio.call('GET', `${PATH}?repositoryId=${repositoryId}`)).json).toEqual([wideRow, narrowRow]);
    expect((await studio.call('GET', `${PATH}?repositoryId=other`)).json).toEqual([wideRow]);
  });

  it('are switched off on this host, and nobody else is told', async () => {
    const studio = await startTestStudio();
    const { artifactId } = await made(studio);
    const answer = await studio.call('POST', `${PATH}/${artifactId}/toggle`, { body: { disabled: true } });
    expect(answer.json).toEqual({ artifactId, disabled: true });
    expect((await studio.call('GET', PATH)).json).toMatchObject([{ artifactId, enabled: false }]);
    const switches = `studio/constraint-switch/${artifactId}/0`;
    expect(await keysOf(studio, WORKGROUP_ROOM, artifactId)).toEqual([`studio/artifact/${artifactId}/0`]);
    expect(await keysOf(studio, LOCAL_ROOM, artifactId)).toEqual([switches]);
    const none = await studio.call('POST', `${PATH}/none/toggle`, { body: { disabled: true } });
    expect(none).toMatchObject(refused(404, 'reject.artifact_not_found'));
  });

  it('are promoted once', async () => {
    const studio = await startTestStudio();
    const repositoryId = await repository(studio);
    const { artifactId, workUnitId } = await proposed(studio, repositoryId);
    const row = { artifactId, ...rule, workUnitId, repositoryId, appliesToAllRepos: false };
    expect((await studio.call('GET', `${PATH}/proposed`)).json).toEqual([{ ...row, promoted: false }]);
    const first = await studio.call('POST', `${PATH}/${artifactId}/promote`);
    expect(first.json).toMatchObject({ ...rule, promotedFromArtifactId: artifactId, repositoryId, reach: 'Workgroup' });
    const again = await studio.call('POST', `${PATH}/${artifactId}/promote`, { body: { repoSpecific: false } });
    expect(again.json).toEqual(first.json);
    expect((await studio.call('GET', `${PATH}/proposed`)).json).toEqual([{ ...row, promoted: true }]);
    const copy = (first.json as Constraint).artifactId;
    expect(await studio.call('POST', `${PATH}/${copy}/promote`)).toMatchObject(refused(400, 'reject.not_a_constraint'));
    const { artifactId: wide } = await proposed(studio, repositoryId);
    const forAll = await studio.call('POST', `${PATH}/${wide}/promote`, { body: { repoSpecific: false } });
    expect([forAll.status, forAll.json]).toEqual([200, expect.not.objectContaining({ repositoryId })]);
  });

  it('are not proposed any more when they were taken back', async () => {
    const studio = await startTestStudio();
    const { artifactId } = await proposed(studio);
    await callTool(studio, 'svc_v1_artifact_invalidate', { artifactId, reason: 'no' });
    expect((await studio.call('GET', `${PATH}/proposed`)).json).toEqual([]);
    expect(await studio.call('POST', `${PATH}/${artifactId}/promote`)).toMatchObject(
      refused(409, 'reject.wrong_state'),
    );
  });

  it('are private in a place that never leaves this host', async () => {
    const studio = await startTestStudio();
    const { artifactId } = await made(studio, { reach: 'Private' });
    expect(await keysOf(studio, WORKGROUP_ROOM, artifactId)).toEqual([]);
    expect((await studio.call('GET', PATH)).json).toMatchObject([{ artifactId, reach: 'Private' }]);
    expect((await studio.call('GET', `/studio/artifacts/${artifactId}`)).json).toMatchObject({ reach: 'Private' });
  });

  it('are private in the answers that are kept for repeated requests, too', async () => {
    const studio = await startTestStudio();
    const { workUnitId, artifactId: source } = await proposed(studio);
    let key = 0;
    const post = async (path: string, body: object) =>
      (await studio.call('POST', path, { body, headers: { 'idempotency-key': `key-${key++}` } })).json as Constraint;
    const { artifactId } = await post(PATH, { title: 'secret', body: 'top secret', reach: 'Private' });
    const promoted = await post(`${PATH}/${source}/promote`, { reach: 'Private' });
    expect(await post(`${PATH}/${source}/promote`, { reach: 'Private' })).toEqual(promoted);
    for (const disabled of [true, true]) await post(`${PATH}/${artifactId}/toggle`, { disabled });
    await post(`${PATH}/${artifactId}/scope`, { reach: 'Private' });
    const named = { workUnitId, type: 'Supersession', title: 't', body: 'b' };
    for (const body of [{ supersedes: [artifactId] }, { type: 'Research', parentArtifactId: artifactId }])
      expect(await studio.call('POST', '/studio/artifacts', { body: { ...named, ...body } })).toMatchObject(
        refused(409, 'reject.wrong_state'),
      );
    const told = JSON.stringify(await writesOf(studio, WORKGROUP_ROOM));
    for (const secret of ['secret', artifactId, promoted.artifactId]) expect(told).not.toContain(secret);
  });

  it('go from one place to the other, there and back', async () => {
    const studio = await startTestStudio();
    const { artifactId } = await made(studio, { reach: 'Private' });
    const scoped = async (body: object) =>
      (await studio.call('POST', `${PATH}/${artifactId}/scope`, { body })).json as Constraint;
    for (const [i, reach] of (['Workgroup', 'Private', 'Workgroup', 'Workgroup'] as const).entries()) {
      expect(await scoped({ reach })).toMatchObject({ reach, scopeVersion: Math.min(i + 1, 3), ...rule });
      expect((await studio.call('GET', PATH)).json).toMatchObject([{ artifactId, reach }]);
    }
    const repositoryId = await repository(studio);
    expect(await scoped({ repoSpecific: true })).toMatchObject({ repositoryId, scopeVersion: 4 });
    const elevated = await studio.call('POST', `/studio/artifacts/${artifactId}/elevate`);
    expect(elevated.json).toMatchObject({ scopeVersion: 5, reach: 'Workgroup' });
    expect(elevated.json).not.toHaveProperty('repositoryId');
    expect((await studio.call('POST', `/studio/artifacts/${artifactId}/elevate`)).json).toEqual(elevated.json);
  });

  it('are not of one repository where there is none, and that is no failure', async () => {
    const studio = await startTestStudio();
    const { artifactId } = await made(studio);
    const answer = await studio.call('POST', `${PATH}/${artifactId}/scope`, { body: { repoSpecific: true } });
    expect(answer).toMatchObject(refused(answer.status, 'reject.repository_needed'));
    expect(answer.status).toBeLessThan(500);
  });

  it('have a scope only when they are for all, and count', async () => {
    const studio = await startTestStudio();
    const { artifactId } = await proposed(studio);
    const scope = (id: string) => studio.call('POST', `${PATH}/${id}/scope`, { body: { reach: 'Private' } });
    expect(await scope(artifactId)).toMatchObject(refused(400, 'reject.not_a_constraint'));
    expect(await scope('none')).toMatchObject(refused(404, 'reject.artifact_not_found'));
    const ended = await made(studio);
    await callTool(studio, 'svc_v1_artifact_invalidate', { artifactId: ended.artifactId, reason: 'no' });
    expect(await scope(ended.artifactId)).toMatchObject(refused(409, 'reject.wrong_state'));
    const elsewhere = { repoSpecific: true, repositoryId: 'repo-none' };
    const wide = await made(studio);
    const answer = await studio.call('POST', `${PATH}/${wide.artifactId}/scope`, { body: elsewhere });
    expect(answer).toMatchObject(refused(404, 'reject.repository_not_found'));
  });
});
