import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentsAtWork } from '../testing/work/agents-at-work.js';
import { scriptedModels } from '../testing/models/scripted-models.js';
import type { Spending } from '../rules/goals/spending.js';
import { spendingOf } from '../rules/goals/spending.js';
import { type Limits, costOf, grant, spentSoFar, warningsOf } from './budgets.js';
import { ProviderError } from './provider.js';

const nothing: Spending = { tokens: 0, microUsd: 0, turns: 0, milliseconds: 0 };
const none = { goal: nothing, unit: nothing, agent: nothing };
const price = { input: 3, cachedInput: 0.3, output: 15 };
const wanted = { inputTokens: 1000, outputTokens: 8000, price };

describe('a budget', () => {
  it('is as long an answer as the smallest of all allows', () => {
    expect(grant(none, {}, wanted)).toEqual({ outputTokens: 8000, reserved: { tokens: 9000, microUsd: 123_000 } });
    expect(grant(none, { goal: { tokens: 3000 }, unit: { tokens: 5000 } }, wanted)).toMatchObject({
      outputTokens: 2000,
    });
    expect(grant(none, { agent: { microUsd: 18_000 } }, wanted)).toEqual({
      outputTokens: 1000,
      reserved: { tokens: 2000, microUsd: 18_000 },
    });
  });

  it('says which one is used up', () => {
    const spent = { ...none, unit: { ...nothing, turns: 3, milliseconds: 10 } };
    expect(grant(spent, { unit: { turns: 3 } }, wanted)).toEqual({
      exhausted: 'unit',
      reason: 'nothing is left of the turns of the unit',
    });
    expect(grant(spent, { unit: { milliseconds: 10 } }, wanted)).toEqual({
      exhausted: 'unit',
      reason: 'nothing is left of the time of the unit',
    });
    expect(grant(none, { goal: { tokens: 1200 } }, wanted)).toEqual({
      exhausted: 'goal',
      reason: 'nothing is left of the tokens of the goal',
    });
  });

  it('counts what came from a cache for less', () => {
    expect(costOf({ inputTokens: 1000, cachedInputTokens: 900, outputTokens: 10 }, price)).toBe(300 + 270 + 150);
    expect(costOf({ inputTokens: 1000, cachedInputTokens: 900, outputTokens: 10 }, undefined)).toBe(0);
  });

  it('counts what was written to a cache for more', () => {
    const usage = { inputTokens: 1000, cachedInputTokens: 400, cacheWriteTokens: 500, outputTokens: 0 };
    expect(costOf(usage, { ...price, cacheWrite: 3.75 })).toBe(300 + 120 + 1875);
  });

  it('leaves room for others: one answer reserves a quarter of what is left, if that is more than a usual one', () => {
    const long = { ...wanted, outputTokens: 64_000 };
    expect(grant(none, { goal: { tokens: 101_000 } }, long)).toMatchObject({ outputTokens: 25_000 });
    expect(grant(none, { goal: { tokens: 11_000 } }, long)).toMatchObject({ outputTokens: 8192 });
  });

  it('in dollars refuses to begin with a model whose price nobody knows', () => {
    expect(grant(none, { unit: { microUsd: 5_000_000 } }, { ...wanted, price: undefined })).toMatchObject({
      exhausted: 'unit',
      reason: expect.stringContaining('nobody knows what this model costs') as string,
    });
  });

  it('warns once at each of its shares, of the highest that was reached', () => {
    const spent = { ...none, goal: { ...nothing, tokens: 81, turns: 1 }, unit: { ...nothing, microUsd: 95 } };
    const limits = { goal: { tokens: 100, turns: 3 }, unit: { microUsd: 100 }, agent: { turns: 9 } };
    const warnings = warningsOf(spent, limits);
    expect(warnings.map(({ id }) => id)).toEqual(['limit 80 goal tokens', 'limit 95 unit microUsd']);
    expect(warnings[1]?.text).toMatch(/^95 % of the money of the unit are used\. .*end your work now/);
  });

  it('is never promised twice: whatever is set aside fits what is left', () => {
    const amount = fc.nat(50_000);
    const limits = fc.record({ tokens: amount, microUsd: amount }, { requiredKeys: [] });
    const spending = fc.record({ tokens: amount, microUsd: amount, turns: amount, milliseconds: amount });
    const record = <T>(of: fc.Arbitrary<T>) => fc.record({ goal: of, unit: of, agent: of });
    fc.assert(
      fc.property(record(spending), record(limits), amount, (spent, budgets, inputTokens) => {
        const given = grant(spent, budgets, { ...wanted, inputTokens });
        if ('exhausted' in given) return;
        for (const scope of ['goal', 'unit', 'agent'] as const)
          for (const kind of ['tokens', 'microUsd'] as const) {
            const limit = (budgets[scope] as Limits)[kind] ?? Number.POSITIVE_INFINITY;
            expect(spent[scope][kind] + given.reserved[kind]).toBeLessThanOrEqual(Math.max(limit, 0));
          }
      }),
    );
  });
});

describe('budgets of agents at work', () => {
  it('fault 38: of a goal are kept by all of its agents together, and over restarts', async () => {
    const models = scriptedModels(({ turn }) => ({
      calls: [['artifact_query', { keywords: `${turn}` }]],
      usage: { inputTokens: 1000, cachedInputTokens: 0, outputTokens: 100 },
    }));
    const budgets = { goal: { tokens: 50_000 } };
    const first = await agentsAtWork({ models, budgets });
    // More turns for each than the budget has for all, and few enough to come to their end.
    const worker = (await first.call('agent-profile.get', { profileId: 'worker' })) as object;
    await first.call('agent-profile.create', { ...worker, maxIterations: 40 });
    const root = (await first.call('workunit.create', { goal: 'all' })) as { workUnitId: string };
    for (const goal of ['a', 'b', 'c']) {
      const part = { goal, parentWorkUnitId: root.workUnitId };
      const { workUnitId } = (await first.call('workunit.create', part)) as { workUnitId: string };
      await first.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    }
    const spent = ({ records }: typeof first): number => spendingOf(records.conversationEntries.all()).tokens;
    let most = 0;
    first.ledger.feed.onEvent(() => (most = Math.max(most, spent(first))));
    await first.until(({ conversationEntries }) => conversationEntries.all().length > 9);
    await first.stop();
    const second = await agentsAtWork({ models, budgets, host: first.host });
    second.ledger.feed.onEvent(() => (most = Math.max(most, spent(second))));
    await second.until(({ goals }) => goals.all()[0]?.status === 'Paused');
    await second.until(({ scheduledItems }) => scheduledItems.where('place', 'parked').length === 3);
    expect(most).toBeLessThanOrEqual(50_000);
    expect(second.records.goals.all()[0]).toMatchObject({ pauseReason: 'nothing is left of the tokens of the goal' });
    await second.stop();
    const third = await agentsAtWork({ models, host: first.host });
    await third.call('goal.resume', { goalId: root.workUnitId });
    await third.until(({ deadLetters }) => deadLetters.all().length === 3);
    expect(third.records.deadLetters.all()).toMatchObject(Array(3).fill({ kind: 'MaxIterationsExceeded' }));
  });

  it('of a goal count what was spent before its root was planned anew', async () => {
    const models = scriptedModels(() => {
      throw new ProviderError('malformed', 'it is none');
    });
    const atWork = await agentsAtWork({ models });
    const { workUnitId } = (await atWork.call('workunit.create', { goal: 'x' })) as { workUnitId: string };
    await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    const failures = () => atWork.records.deadLetters.all();
    await atWork.until(() => failures().length === 1);
    const spent = (id: string) => spentSoFar(atWork.records, atWork.ledger.look, id, '').goal;
    const before = spent(workUnitId);
    expect(before.tokens).toBeGreaterThan(8192);
    await atWork.call('dead-letter.replan', { entryId: failures()[0]!.entryId });
    await atWork.until(() => failures().length === 2);
    const { workUnitId: again } = failures()[1]!;
    expect(again).not.toBe(workUnitId);
    expect(spent(again)).toMatchObject({ turns: 2 });
    expect(spent(again)).toEqual(spent(workUnitId));
  });

  it('of a unit send it to people', async () => {
    const models = scriptedModels(({ turn }) => ({ calls: [['artifact_query', { keywords: `${turn}` }]] }));
    const atWork = await agentsAtWork({ models, budgets: { unit: { turns: 2 } } });
    const { workUnitId } = (await atWork.call('workunit.create', { goal: 'x' })) as { workUnitId: string };
    await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    await atWork.until(({ deadLetters }) => deadLetters.all().length === 1);
    expect(atWork.records.deadLetters.all()).toMatchObject([{ reason: 'nothing is left of the turns of the unit' }]);
    expect(atWork.records.conversationEntries.all()).toHaveLength(2);
  });
});
