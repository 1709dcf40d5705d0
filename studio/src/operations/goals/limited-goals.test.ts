/** Limits of one goal: how much it may cost and how long it may take, whatever others may. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentsOptions } from '../../runtime.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { ManualClock } from '../../testing/manual-clock.js';
import { scriptedModels } from '../../testing/models/scripted-models.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

interface Goal {
  readonly goalId: string;
  readonly status: string;
  readonly pauseReason: string | null;
}

const PATIENT = { timeout: 20_000 };

/** Studio whose worker asks a person at once, so a goal that may go on is seen to wait for an answer. */
async function studioWith(agents: Partial<AgentsOptions> = {}, price?: { input: number; output: number }) {
  const asks = { calls: [['clarification_request', { question: 'Which?' }]] as const };
  const models = scriptedModels(() => asks, price === undefined ? {} : { price });
  const wall = new ManualClock(Date.parse('2026-01-01T00:00:00Z'));
  const studio = await startTestStudio(undefined, { agents: { models, ...agents }, wall });
  const path = join(await tempFolder(), 'user');
  await gitRepository(path, { 'readme.md': 'hello\n' });
  await studio.call('POST', '/studio/repositories', { body: { path } });
  const run = async (limits: object): Promise<string> => {
    const body = { goal: 'Add a file', shape: 'single', ...limits };
    const { status, json } = await studio.call('POST', '/studio/goals/run', { body });
    expect(status, JSON.stringify(json)).toBe(200);
    return (json as Goal).goalId;
  };
  const goal = async (goalId: string): Promise<Goal> => {
    const { goals } = (await studio.call('GET', '/studio/goals')).json as { goals: Goal[] };
    return goals.find((one) => one.goalId === goalId)!;
  };
  /** Why it is paused, once it is. */
  const paused = async (goalId: string): Promise<string | null> => {
    await expect.poll(async () => (await goal(goalId)).status, PATIENT).toBe('Paused');
    return (await goal(goalId)).pauseReason;
  };
  const asked = (goalId: string) =>
    expect
      .poll(async () => (await studio.call('GET', '/studio/clarifications/awaiting')).json, PATIENT)
      .toContainEqual(expect.objectContaining({ workUnitId: goalId }));
  const resume = (goalId: string, limits: object) =>
    studio.call('POST', `/studio/goals/${goalId}/resume`, { body: limits });
  const cost = async (goalId: string) =>
    (await studio.call('GET', `/studio/goals/${goalId}/guardrail-status`)).json as object;
  return { ...studio, wall, run, paused, asked, resume, cost };
}

describe('a goal with limits of its own', () => {
  it('is paused when its tokens are used, while others go on, and goes on when a person allows more', async () => {
    const studio = await studioWith();
    const narrow = await studio.run({ maxGoalTokens: 1000 });
    const free = await studio.run({});
    expect(await studio.paused(narrow)).toBe('nothing is left of the tokens of the goal');
    await studio.asked(free);
    expect(await studio.cost(narrow)).toMatchObject({ maxGoalTokens: 1000 });
    expect(await studio.cost(free)).not.toHaveProperty('maxGoalTokens');
    expect((await studio.resume(narrow, { maxGoalTokens: 1_000_000 })).status).toBe(200);
    await studio.asked(narrow);
    expect(await studio.cost(narrow)).toMatchObject({ maxGoalTokens: 1_000_000 });
  });

  it('is paused when its money is spent, and needs no limit in the end', async () => {
    const studio = await studioWith({}, { input: 1, output: 1 });
    const goalId = await studio.run({ maxGoalDollars: 0.001 });
    expect(await studio.paused(goalId)).toBe('nothing is left of the money of the goal');
    expect(await studio.cost(goalId)).toMatchObject({ maxGoalDollars: 0.001 });
    await studio.resume(goalId, { maxGoalDollars: null });
    await studio.asked(goalId);
    expect(await studio.cost(goalId)).not.toHaveProperty('maxGoalDollars');
  });

  it('is refused when it may cost dollars and nobody knows what its model costs', async () => {
    const studio = await studioWith();
    const body = { goal: 'Add a file', shape: 'single', maxGoalDollars: 5 };
    const { status, json } = await studio.call('POST', '/studio/goals/run', { body });
    expect([status, json]).toMatchObject([
      409,
      { code: 'reject.price_unknown', recovery: [expect.stringContaining('--max-tokens') as string] },
    ]);
    expect((await studio.call('GET', '/studio/goals')).json).toMatchObject({ goals: [] });
  });

  it('is paused before its first question when it is limited to dollars later, and the price is unknown', async () => {
    const studio = await studioWith();
    const goalId = await studio.run({ maxGoalTokens: 1000 });
    await studio.paused(goalId);
    await studio.resume(goalId, { maxGoalTokens: null, maxGoalDollars: 5 });
    await expect.poll(async () => studio.paused(goalId), PATIENT).toContain('nobody knows what this model costs');
  });

  it('may cost less than all goals may, or more, and never more than the host allows', async () => {
    const studio = await studioWith({ budgets: { goal: { tokens: 500_000 } } });
    await studio.call('POST', '/studio/options', { as: 'admin', body: { maxGoalTokens: 1000 } });
    await studio.asked(await studio.run({ maxGoalTokens: 1_000_000 }));
    const mean = await studioWith({ budgets: { goal: { tokens: 1000 } } });
    await mean.paused(await mean.run({ maxGoalTokens: 1_000_000 }));
  });

  it('is paused when its time is over, before more of it is begun', async () => {
    const studio = await studioWith();
    const goalId = await studio.run({ maxGoalDurationMinutes: 10 });
    await studio.asked(goalId);
    expect(await studio.cost(goalId)).toMatchObject({ maxGoalDurationMinutes: 10, durationExceeded: false });
    studio.wall.jump(11 * 60_000);
    expect(await studio.cost(goalId)).toMatchObject({ durationExceeded: true });
    const body = { response: 'this one' };
    expect((await studio.call('POST', `/studio/clarifications/${goalId}/respond`, { body })).status).toBe(200);
    expect(await studio.paused(goalId)).toBe('it has taken longer than 10 minutes');
    const { json } = await studio.call('GET', '/studio/attention');
    expect(json).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({
          kind: 'budget',
          actions: expect.arrayContaining([
            { operation: 'goal.resume', input: { goalId }, asks: ['maxGoalDurationMinutes'] },
          ]) as unknown,
        }),
      ]) as unknown,
    });
  });

  it.each([
    { maxGoalTokens: 0 },
    { maxGoalTokens: 1.5 },
    { maxGoalDollars: 0 },
    { maxGoalDollars: -1 },
    { maxGoalDurationMinutes: 0 },
  ])('is refused with limits that mean nothing: %j', async (limits) => {
    const studio = await startTestStudio();
    const [field] = Object.keys(limits);
    const { status, json } = await studio.call('POST', '/studio/goals/run', { body: { goal: 'x', ...limits } });
    expect([status, json]).toMatchObject([400, { code: 'reject.invalid_input', details: [{ field }] }]);
  });
});
