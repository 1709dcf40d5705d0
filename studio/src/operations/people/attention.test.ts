import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { scriptedModels } from '../../testing/models/scripted-models.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';
import { operationTable } from '../table.js';

interface Item {
  readonly kind: string;
  readonly id: string;
  readonly goalId?: string;
  readonly workUnitId?: string;
  readonly since: string;
  readonly sentence: string;
  readonly blocks: number;
  readonly blockedWorkUnitIds: readonly string[];
  readonly actions: readonly { readonly operation: string; readonly input: object; readonly asks: readonly string[] }[];
}

async function attention(studio: TestStudio): Promise<readonly Item[]> {
  const { status, json } = await studio.call('GET', '/studio/attention', { as: 'read' });
  expect(status).toBe(200);
  const { items } = json as { items: Item[] };
  for (const { actions } of items) {
    expect(actions.length).toBeGreaterThan(0);
    for (const { operation, input, asks } of actions) {
      const found = operationTable.find(({ id }) => id === operation);
      const known = Object.keys(found?.in.shape ?? {});
      expect(known).toEqual(expect.arrayContaining([...Object.keys(input), ...asks]));
    }
  }
  return items;
}

async function unit(studio: TestStudio, body: object): Promise<string> {
  const { json } = await studio.call('POST', '/studio/workunits', { body });
  return (json as { workUnitId: string }).workUnitId;
}

const ask = (studio: TestStudio, workUnitId: string, question: string, more = {}) =>
  studio.call('POST', '/studio/clarifications/request', { body: { workUnitId, question, ...more } });

it('is empty where nothing waits, and names the newest event', async () => {
  const studio = await startTestStudio();
  expect((await studio.call('GET', '/studio/attention')).json).toEqual({
    asOf: expect.any(Number) as number,
    items: [],
  });
  const before = ((await studio.call('GET', '/studio/attention')).json as { asOf: number }).asOf;
  await unit(studio, { goal: 'x' });
  expect(((await studio.call('GET', '/studio/attention')).json as { asOf: number }).asOf).toBeGreaterThan(before);
});

it('a question holds up its unit’s whole and what needs it, and comes before what holds up less', async () => {
  const wall = new ManualClock(Date.parse('2026-01-01T00:00:00Z'));
  const studio = await startTestStudio(undefined, { wall });
  const root = await unit(studio, { goal: 'whole' });
  const first = await unit(studio, { goal: 'first', parentWorkUnitId: root });
  const second = await unit(studio, { goal: 'second', parentWorkUnitId: root, dependsOn: [first] });
  const third = await unit(studio, { goal: 'third', parentWorkUnitId: root, dependsOn: [second] });
  await ask(studio, third, 'Of the third?', { blocking: false });
  wall.jump(1_000);
  await ask(studio, first, 'Of the first?', { options: ['a', 'b'] });
  wall.jump(60_000);
  const items = await attention(studio);
  expect(items).toMatchObject([
    {
      kind: 'answer',
      sentence: 'Of the first?',
      goalId: root,
      workUnitId: first,
      since: '2026-01-01T00:00:01.000Z',
      options: ['a', 'b'],
    },
    { sentence: 'Of the third?', blocks: 0 },
  ]);
  expect([...(items[0]?.blockedWorkUnitIds ?? [])].sort()).toEqual([root, second, third].sort());
  const [{ operation = '', input = {} } = {}] = items[0]?.actions ?? [];
  expect(operation).toBe('clarification.respond');
  expect(input).toEqual({ workUnitId: first, requestId: items[0]?.id });
  await studio.call('POST', `/studio/clarifications/${first}/respond`, {
    body: { response: 'a', requestId: items[0]?.id },
  });
  expect((await attention(studio)).map(({ sentence }) => sentence)).toEqual(['Of the third?']);
  await studio.call('POST', `/studio/workunits/${third}/cancel`);
  expect(await attention(studio)).toEqual([]);
});

it('tells of a pause, a budget that is nearly spent, and a goal that waits for what was cancelled, until it is over', async () => {
  const wall = new ManualClock(Date.parse('2026-01-01T00:00:00Z'));
  const studio = await startTestStudio(undefined, { wall });
  const root = await unit(studio, { goal: 'whole' });
  const first = await unit(studio, { goal: 'first', parentWorkUnitId: root });
  const second = await unit(studio, { goal: 'second', parentWorkUnitId: root, dependsOn: [first] });
  await studio.call('POST', `/studio/goals/${root}/pause`, { body: { reason: 'lunch' } });
  expect(await attention(studio)).toMatchObject([{ kind: 'paused', id: root, sentence: 'lunch', blocks: 3 }]);
  await studio.call('POST', `/studio/goals/${root}/resume`, { body: {} });
  await studio.call('POST', '/studio/options', { as: 'admin', body: { maxGoalDurationMinutes: 10 } });
  wall.jump(7 * 60_000);
  expect(await attention(studio)).toEqual([]);
  wall.jump(2 * 60_000);
  expect(await attention(studio)).toMatchObject([
    { kind: 'budget', sentence: '9 of 10 minutes have passed', blocks: 0 },
  ]);
  await studio.call('POST', `/studio/workunits/${first}/cancel`);
  expect(await attention(studio)).toMatchObject([{ kind: 'held', workUnitId: second }, { kind: 'budget' }]);
  await studio.call('POST', `/studio/goals/${root}/cancel`);
  expect(await attention(studio)).toEqual([]);
});

it('tells of failures with their ways back, of reviews, and of what is approved and wants to land', async () => {
  const lost = { calls: [['workspace_exists', { path: 'x' }]] as const };
  const done = {
    calls: [
      ['workspace_write', { path: 'new.txt', content: 'new\n' }],
      ['merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary: 'It is new' }],
    ] as const,
  };
  const turns = [lost, done];
  const models = scriptedModels(({ role }) =>
    role === 'worker'
      ? (turns.shift() ?? lost)
      : { calls: [['merge_review', { decision: 'Approved', verificationResults: 'read' }]] },
  );
  const studio = await startTestStudio(undefined, { agents: { models } });
  const path = join(await tempFolder(), 'user');
  await gitRepository(path, { 'readme.md': 'hello\n' });
  await studio.call('POST', '/studio/repositories', { body: { path } });
  await studio.call('PUT', '/studio/agent-profiles/worker', { body: { maxIterations: 1 } });
  await studio.call('POST', '/studio/goals/run', { body: { goal: 'Add a file', shape: 'single' } });
  const waiting = (kind: string) =>
    expect.poll(async () => (await attention(studio)).map((one) => one.kind)).toEqual([kind]);
  await waiting('failed');
  const [failed] = await attention(studio);
  expect(failed?.actions.map(({ operation }) => operation)).toEqual([
    'dead-letter.retry',
    'dead-letter.retryWithContext',
    'dead-letter.goOn',
    'dead-letter.replan',
  ]);
  await studio.call('POST', `/studio/dead-letter/${failed?.id}/continue`, { body: {} });
  await waiting('review');
  const [review] = await attention(studio);
  await studio.call('POST', `/studio/merges/${review?.id}/review`, { body: { decision: 'Approved' } });
  expect(await attention(studio)).toMatchObject([{ kind: 'land', id: review?.id, sentence: 'It is new' }]);
  await studio.call('POST', `/studio/merges/${review?.id}/apply`);
  expect(await attention(studio)).toEqual([]);
});
