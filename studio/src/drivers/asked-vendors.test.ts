/** Agents that ask models over HTTP, of servers that speak as vendors do. */
import { describe, expect, it } from 'vitest';
import { post, read, toolData } from '../testing/doors/calls.js';
import {
  type FakeServer,
  type Played,
  answerOf,
  fakeServer,
  openaiVendor,
  vendors,
} from '../testing/models/fake-vendor.js';
import { type TestStudio, startTestStudio } from '../testing/test-studio.js';

const found: Played = {
  calls: [{ name: 'svc_v1_artifact_record', input: { type: 'Research', title: 'Found', body: 'it' } }],
};
const look: Played = { calls: [{ name: 'svc_v1_artifact_query', input: { keywords: 'x' } }] };

const served = (played: readonly Played[]): Promise<FakeServer> =>
  fakeServer(played.map((one) => answerOf(openaiVendor, one)));

async function begin(studio: TestStudio, choice: object = {}): Promise<string> {
  const given = { goal: 'Find it', expectedOutputKind: 'KnowledgeArtifact' };
  const { workUnitId } = await post<{ workUnitId: string }>(studio, '/workunits', given);
  await post(studio, '/scheduler/enqueue', { workUnitId, profileId: 'worker', ...choice });
  return workUnitId;
}

/** Follows the unit until it stands so. */
async function until(studio: TestStudio, id: string, wanted: string): Promise<void> {
  for (let looks = 0; looks < 400; looks++) {
    const { status } = await read<{ status: string }>(studio, `/workunits/${id}`);
    if (status === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  expect((await read<{ status: string }>(studio, `/workunits/${id}`)).status).toBe(wanted);
}

const modelsAsked = ({ asked }: FakeServer) => asked.map((body) => (JSON.parse(body) as { model: string }).model);

describe('the model of an agent', () => {
  it.each(vendors)(
    'is asked over $name where that was chosen, with the key that came with the choice',
    async (vendor) => {
      const server = await fakeServer([look, found].map((one) => answerOf(vendor, one)));
      const studio = await startTestStudio(undefined, { agents: {} });
      const choice = { provider: vendor.name, model: 'large', baseUrl: server.url, apiKey: 'k-1' };
      const id = await begin(studio, choice);
      await until(studio, id, 'Completed');
      expect(modelsAsked(server)).toEqual(['large', 'large']);
      expect(server.headers[0]?.authorization ?? server.headers[0]?.['x-api-key']).toContain('k-1');
    },
  );

  it('is the usual one of the host where nobody has chosen, and costs what the host was told', async () => {
    const server = await served([found]);
    const usual = { provider: 'openai', model: 'usual', baseUrl: server.url };
    const prices = { usual: { input: 2, cachedInput: 1, output: 10 } };
    const budgets = { goal: { microUsd: 1_000_000 } };
    const studio = await startTestStudio(undefined, { agents: { usual, prices, budgets } });
    const id = await begin(studio);
    await until(studio, id, 'Completed');
    expect(modelsAsked(server)).toEqual(['usual']);
    const dear = await startTestStudio(undefined, {
      agents: { usual, prices: { usual: { input: 2e6, output: 1e6 } }, budgets },
    });
    const goalId = await begin(dear);
    await until(dear, goalId, 'Waiting');
    expect(await read(dear, '/goals')).toMatchObject({
      goals: [{ status: 'Paused', pauseReason: 'nothing is left of the money of the goal' }],
    });
    expect(server.asked).toHaveLength(1);
  });

  it('fault 37: whose key ends in the middle waits for another, and goes on with that where it was', async () => {
    const server = await served([look, 'no-right', found]);
    const studio = await startTestStudio(undefined, { agents: {} });
    const choice = { provider: 'openai', model: 'm', baseUrl: server.url, credentialRef: 'mine', apiKey: 'old' };
    const id = await begin(studio, choice);
    await until(studio, id, 'Waiting');
    expect(await read(studio, '/scheduler/pending')).toMatchObject([{ workUnitId: id, awaitingCredentials: true }]);
    await post(studio, `/scheduler/${id}/resume`, { credentialRef: 'mine', apiKey: 'new' });
    await until(studio, id, 'Completed');
    expect(server.headers.map(({ authorization }) => authorization)).toEqual([
      'Bearer old',
      'Bearer old',
      'Bearer new',
    ]);
    const last = JSON.parse(server.asked[2]!) as { messages: { role: string }[] };
    expect(last.messages.filter(({ role }) => role === 'assistant')).toHaveLength(1);
  });

  it('waits for a key that this host does not have, and all that waits goes on when it comes', async () => {
    const server = await served([found]);
    const usual = { provider: 'openai', model: 'm', baseUrl: server.url, credentialRef: 'main' };
    const studio = await startTestStudio(undefined, { agents: { usual } });
    const [one, other] = [await begin(studio), await begin(studio)];
    for (const id of [one, other]) await until(studio, id, 'Waiting');
    expect(await read(studio, '/scheduler/pending')).toMatchObject(
      [one, other].map((workUnitId) => ({ workUnitId, awaitingCredentials: true, credentialRef: 'main' })),
    );
    expect(server.asked).toEqual([]);
    expect(await toolData(studio, 'svcs_v1_goal_status', { goalId: one })).toMatchObject({ missingKeys: ['main'] });
    await post(studio, `/scheduler/${one}/resume`, { credentialRef: 'main', apiKey: 'k-1' });
    for (const id of [one, other]) await until(studio, id, 'Completed');
    expect(await toolData(studio, 'svcs_v1_goal_status', { goalId: one })).toMatchObject({ missingKeys: [] });
    expect(server.headers.map(({ authorization }) => authorization)).toEqual(['Bearer k-1', 'Bearer k-1']);
  });

  it('of a vendor that needs a key waits for one of its name, where no other is named', async () => {
    const studio = await startTestStudio(undefined, { agents: { usual: { provider: 'anthropic', model: 'm' } } });
    const id = await begin(studio);
    await until(studio, id, 'Waiting');
    expect(await read(studio, '/scheduler/pending')).toMatchObject([
      { workUnitId: id, awaitingCredentials: true, credentialRef: 'anthropic' },
    ]);
  });

  it('fault 37: that breaks off, sends no JSON and calls what is not there is asked again, and does the work', async () => {
    const wrongJson = { calls: [{ name: 'svc_v1_artifact_query', input: '{"keywords": ' }] };
    const wrongName = { calls: [{ name: 'svc_v1_make_coffee', input: {} }] };
    const server = await served(['half', wrongJson, wrongName, found]);
    const studio = await startTestStudio(undefined, { agents: {} });
    const id = await begin(studio, { provider: 'openai', model: 'm', baseUrl: server.url });
    await until(studio, id, 'Completed');
    expect(server.asked.length).toBeGreaterThanOrEqual(4);
  });
});
