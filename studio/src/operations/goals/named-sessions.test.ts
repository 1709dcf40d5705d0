/** Sessions that callers name beside a work unit: the unit says which it is part of, so a wrong name is refused. */
import { expect, it } from 'vitest';
import { studioWith } from '../../testing/git/studio-repository.js';

/** What the answers to all these have, as far as this needs it. */
type Made = Readonly<Record<'workUnitId' | 'sessionId' | 'agentId' | 'stateId', string>>;

it('a session is named only where the work is a part of it', async () => {
  const { post, branch, approved } = await studioWith({ a: '1\n' });
  await branch('fix', { a: '2\n' });
  const made = async (path: string, body: object): Promise<Made> => {
    const { status, json } = await post(path, body);
    expect([path, status]).toEqual([path, 200]);
    return json as Made;
  };
  const { workUnitId } = await made('workunits', { goal: 'whole' });
  const { workUnitId: part } = await made('workunits', { goal: 'part', parentWorkUnitId: workUnitId });
  const { workUnitId: elsewhere } = await made('workunits', { goal: 'other' });
  const begin = async (rootWorkUnitId: string) =>
    (await made('sessions', { rootWorkUnitId, profileIds: ['worker'] })).sessionId;
  const [own, other] = [await begin(workUnitId), await begin(elsewhere)];
  const { agentId } = await made('agents/spawn', { agentType: 'worker', workUnitId: part });
  const { stateId } = await made('state/markKnownGood', { branchId: 'fix', description: 'good' });
  await made('clarifications/request', { workUnitId: part, question: 'Which?' });
  const proposalId = await approved('fix');

  const ofPart: readonly (readonly [path: string, body: object])[] = [
    [`clarifications/${part}/respond`, { response: 'this' }],
    ['steering/fork-from-node', { workUnitId: part }],
    ['steering/redirect', { workUnitId: part, agentId, injectedConstraint: 'so' }],
    ['clarifications/request', { workUnitId: part, question: 'And?' }],
    ['scheduler/enqueue', { workUnitId: part, profileId: 'worker' }],
    ['merges', { workUnitId: part, sourceBranch: '-', targetBranch: 'main', summary: 's' }],
    ['doc/fetch', { workUnitId: part, url: 'https://example.test/', reason: 'to know' }],
  ];
  const ofNone: readonly (readonly [path: string, body: object])[] = [
    [`state/${stateId}/fork`, { goal: 'again' }],
    [`merges/${proposalId}/review`, { decision: 'Approved' }],
    [`merges/${proposalId}/retry`, {}],
    [`merges/${proposalId}/branch`, { goal: 'again', profileId: 'worker' }],
    ['experiments', { goal: 'g', owner: 'ann', forkType: 'Code', forks: [{}, {}] }],
    ['counterfactuals', { proposalId, newProfileId: 'worker' }],
  ];
  const refused = { status: 404, json: { code: 'reject.session_not_found' } };
  for (const [path, body] of [...ofPart, ...ofNone])
    expect(await post(path, { ...body, sessionId: 'none' }), path).toMatchObject(refused);
  for (const [path, body] of ofPart) {
    expect(await post(path, { ...body, sessionId: other }), path).toMatchObject(refused);
    expect((await post(path, { ...body, sessionId: own })).json, path).not.toMatchObject(refused.json);
  }
});
