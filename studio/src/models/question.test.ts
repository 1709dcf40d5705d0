import { describe, expect, it } from 'vitest';
import { agentsAtWork } from '../testing/work/agents-at-work.js';
import { type Turn, askedOf, scriptedModels, turnOf } from '../testing/models/scripted-models.js';
import { type Provider, ProviderError } from './provider.js';

const found: Turn = { calls: [['artifact_record', { type: 'Research', title: 'Found', body: 'it' }]] };
const unit = { goal: 'Find it', owner: 'ann', expectedOutputKind: 'KnowledgeArtifact' };

async function begin(given: Parameters<typeof agentsAtWork>[0]) {
  const atWork = await agentsAtWork(given);
  const { workUnitId } = (await atWork.call('workunit.create', unit)) as { workUnitId: string };
  await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
  return { atWork, workUnitId };
}

describe('a question to a model', () => {
  it('records each time that it is asked again, before its answer', async () => {
    const provider: Provider = {
      name: 'busy',
      turn: (request, { onRetry }) => {
        const fault = new ProviderError('overloaded', 'too much to do', { retryAfterMs: 20, status: 529 });
        onRetry?.({ fault, attempt: 1, most: 3, delayMs: 20 });
        onRetry?.({ fault: new ProviderError('unreachable', 'gone'), attempt: 2, most: 3, delayMs: 40 });
        return Promise.resolve(turnOf(request, found));
      },
    };
    const { atWork, workUnitId } = await begin({ models: () => ({ provider, model: 'm' }) });
    await atWork.until(({ workUnits }) => workUnits.get(workUnitId)?.status === 'Completed');
    const told = atWork.ledger.feed.after(0).map(({ stored }) => stored.event as { type: string });
    const types = told.map(({ type }) => type).filter((type) => /^(Model|Provider)/.test(type));
    expect(types).toEqual(['ModelAsked', 'ProviderRetryAttempted', 'ProviderRetryAttempted', 'ModelAnswered']);
    const [{ agentId } = { agentId: '' }] = atWork.records.conversationEntries.all();
    expect(told.filter(({ type }) => type === 'ProviderRetryAttempted')).toMatchObject([
      {
        agentId,
        provider: 'busy',
        statusCode: 529,
        attemptNumber: 1,
        maxAttempts: 3,
        delayMs: 20,
        reason: 'too much to do',
      },
      { attemptNumber: 2, delayMs: 40, reason: 'gone' },
    ]);
  });

  it('has its cost in what is told of its unit, its goal, its agent and its model', async () => {
    const usage = { inputTokens: 1000, cachedInputTokens: 0, outputTokens: 100 };
    const price = { input: 2, output: 10 };
    const { atWork, workUnitId } = await begin({ models: scriptedModels(() => ({ ...found, usage }), { price }) });
    await atWork.until(({ workUnits }) => workUnits.get(workUnitId)?.status === 'Completed');
    const spent = { usage: { tokens: 1100, costUsd: 0.003, turns: 1 } };
    expect(await atWork.call('workunit.list', {})).toMatchObject([spent]);
    expect(await atWork.call('goal.list', {})).toMatchObject({ goals: [spent] });
    expect(await atWork.call('agent.list', { all: true })).toMatchObject([spent]);
    expect(await atWork.call('external-goal.status', { goalId: workUnitId })).toMatchObject(spent);
    expect(await atWork.call('external-result.get', { goalId: workUnitId })).toMatchObject(spent);
    expect(await atWork.call('goal.guardrail', { workUnitId })).toMatchObject({
      ...spent,
      byModel: [{ provider: 'scripted', model: 'scripted-1', ...spent.usage }],
    });
  });

  it('is broken off when the time of its goal is over, and the goal waits for a person', async () => {
    const { atWork, workUnitId } = await begin({
      budgets: { goal: { milliseconds: 20 } },
      models: scriptedModels(async (_asked, signal) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        return found;
      }),
    });
    await atWork.until(({ goals }) => goals.get(workUnitId)?.status === 'Paused');
    expect(atWork.records.goals.get(workUnitId)?.pauseReason).toBe('nothing is left of the time of the goal');
    expect(atWork.records.scheduledItems.get(workUnitId)).toMatchObject({ place: 'parked', parkedFor: 'Paused' });
  });

  it('says what people have promoted for the stage', async () => {
    const told: string[] = [];
    const models = scriptedModels((asked) => (told.push(askedOf(asked.request).said), found));
    const atWork = await agentsAtWork({ models });
    const finding = { kind: 'PromptImprovement', title: 'Look twice', summary: 'The first look misses much.' };
    const given = [
      { ...finding, targetStage: 'Execute' },
      { ...finding, title: 'Plan twice', targetStage: 'Plan' },
    ];
    const { imported } = (await atWork.call('finding.imported', { findings: given })) as {
      imported: { findingId: string }[];
    };
    for (const { findingId } of imported) await atWork.call('finding.review', { findingId, decision: 'promote' });
    const { workUnitId } = (await atWork.call('workunit.create', unit)) as { workUnitId: string };
    await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    await atWork.until(({ workUnits }) => workUnits.get(workUnitId)?.status === 'Completed');
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('Look twice\nThe first look misses much.');
    expect(told[0]).not.toContain('Plan twice');
  });
});
