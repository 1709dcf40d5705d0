import { describe, expect, it } from 'vitest';
import { type AgentsAtWork, agentsAtWork } from '../testing/work/agents-at-work.js';
import { type Script, type Turn, scriptedModels } from '../testing/models/scripted-models.js';
import type { ChooseModel } from '../models/chosen-model.js';
import { ProviderError } from '../models/provider.js';

const rule: Turn = {
  calls: [['artifact_record', { type: 'Constraint', title: 'No logs', body: 'Tokens are not logged.' }]],
};

/** Only observers ask these models. */
function looking(script: Script): { readonly models: ChooseModel; readonly asked: string[] } {
  const asked: string[] = [];
  const models: ChooseModel = (choice, { profileId }) =>
    scriptedModels((question, signal) => {
      asked.push(`${profileId}: ${question.said}`);
      return script(question, signal);
    })(choice, { profileId });
  return { models, asked };
}

async function begun(given: Parameters<typeof agentsAtWork>[0], enabledDomainAgents: readonly string[]) {
  const atWork = await agentsAtWork(given);
  await atWork.call('option.change', { enabledDomainAgents });
  const made = (await atWork.call('workunit.create', { goal: 'Log in' })) as { workUnitId: string };
  return { atWork, ...made };
}

const record = (atWork: AgentsAtWork, workUnitId: string, title: string, type = 'Decision') =>
  atWork.call('artifact.record', { workUnitId, type, title, body: 'So it is.' });
const titles = ({ records }: AgentsAtWork) => records.artifacts.all().map(({ title }) => title);

describe('observers', () => {
  it('are off unless somebody wants them', async () => {
    const { models, asked } = looking(() => rule);
    const { atWork, workUnitId } = await begun({ models }, []);
    await record(atWork, workUnitId, 'A token is kept');
    await atWork.settled();
    expect(asked).toEqual([]);
  });

  it('look at what names their domain, and record what follows under their own name', async () => {
    const { models, asked } = looking(() => rule);
    const { atWork, workUnitId } = await begun({ models }, ['SecurityAgent', 'PerformanceAgent']);
    await record(atWork, workUnitId, 'Tokens are kept for a day');
    await record(atWork, workUnitId, 'Buttons are blue');
    await atWork.until(({ artifacts }) => artifacts.all().length === 3);
    await atWork.settled();
    expect(asked).toEqual(['SecurityAgent: Goal: Log in\n\nRecorded (Decision): Tokens are kept for a day\nSo it is.']);
    expect(titles(atWork)).toContain('[SecurityAgent] No logs');
    const recorded = atWork.records.artifacts.all().find(({ type }) => type === 'Constraint');
    expect(recorded).toMatchObject({ ownedByWorkUnitId: workUnitId, ownedByAgentId: 'SecurityAgent' });
    expect(await atWork.call('constraint.proposed', {})).toMatchObject([{ title: '[SecurityAgent] No logs' }]);
    const [cycle] = atWork.records.conversationEntries.all();
    expect(cycle).toMatchObject({ agentId: 'SecurityAgent', agentRole: 'Observe', phase: 'done', inputTokens: 100 });
  });

  it('are wanted for one goal by whoever takes on its agent', async () => {
    const { models, asked } = looking(() => rule);
    const { atWork, workUnitId } = await begun({ models }, []);
    const wanted = { agentType: 'reviewer', workUnitId, enabledDomainAgents: ['TestAgent'] };
    await atWork.call('agent.spawn', wanted);
    await record(atWork, workUnitId, 'All is tested');
    await atWork.until(({ artifacts }) => artifacts.all().length === 2);
    const { workUnitId: other } = (await atWork.call('workunit.create', { goal: 'x' })) as { workUnitId: string };
    await record(atWork, other, 'All is tested');
    await atWork.settled();
    expect(asked).toHaveLength(1);
  });

  it('record nothing else, and touch nothing', async () => {
    const { models } = looking(() => ({
      calls: [
        ['artifact_record', { type: 'Decision', title: 'mine', body: 'b' }],
        ['workspace_write', { path: 'a.txt', content: 'x', type: 'Research' }],
        ['artifact_record', { type: 'Research', title: '[SecurityAgent] seen', body: 'b' }],
      ],
    }));
    const { atWork, workUnitId } = await begun({ models }, ['SecurityAgent']);
    await record(atWork, workUnitId, 'A secret');
    await atWork.until(({ conversationEntries }) => conversationEntries.all()[0]?.phase === 'done');
    expect(titles(atWork)).toEqual(['A secret', '[SecurityAgent] seen']);
    const [cycle] = atWork.records.conversationEntries.all();
    expect(cycle?.toolResults.map(({ isError }) => isError ?? false)).toEqual([true, true, false]);
  });

  it('are no result of the unit that they look at, and what they say is told to who works on it', async () => {
    const said: string[] = [];
    const { models } = looking(({ request, turn, said: told }) => {
      if (request.system.startsWith('You are SecurityAgent'))
        return { calls: [['artifact_record', { type: 'Research', title: 'No logs', body: 'Tokens are not logged.' }]] };
      said.push(told);
      if (turn === 0) return { calls: [['artifact_record', { type: 'Constraint', title: 'Auth', body: 'first' }]] };
      return { calls: [['artifact_record', { type: 'Research', title: 'Found', body: 'it' }]] };
    });
    const atWork = await agentsAtWork({ models });
    await atWork.call('option.change', { enabledDomainAgents: ['SecurityAgent'] });
    const wanted = { goal: 'Log in', expectedOutputKind: 'KnowledgeArtifact' };
    const { workUnitId } = (await atWork.call('workunit.create', wanted)) as { workUnitId: string };
    await record(atWork, workUnitId, 'A secret');
    await atWork.until(({ artifacts }) => artifacts.all().length === 2);
    await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    await atWork.until(({ workUnits }) => workUnits.get(workUnitId)?.status === 'Completed');
    expect(said[0]).toContain('[SecurityAgent] No logs');
    expect(said).toHaveLength(2);
  });

  it('spend from the budgets of the goal, and leave it alone when nothing is left', async () => {
    const { models, asked } = looking(() => rule);
    const { atWork, workUnitId } = await begun({ models, budgets: { agent: { turns: 1 } } }, ['SecurityAgent']);
    await record(atWork, workUnitId, 'A token');
    await record(atWork, workUnitId, 'Another token');
    await atWork.settled();
    expect(asked).toHaveLength(1);
    expect(atWork.records.goals.get(workUnitId)?.status).toBe('Exploring');
  });

  it('stop when the goal is cancelled, and go on after a restart of the host with what they had begun', async () => {
    let begin = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begin = resolve));
    const slow = looking(async (_asked, signal) => {
      begin();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new ProviderError('stopped', 'stopped');
    });
    const { atWork, workUnitId } = await begun({ models: slow.models }, ['SecurityAgent']);
    await record(atWork, workUnitId, 'A token');
    await hasBegun;
    await atWork.stop();
    const quick = looking(() => rule);
    const second = await agentsAtWork({ models: quick.models, host: atWork.host });
    await second.until(({ artifacts }) => artifacts.all().length === 2);
    await second.stop();
    const third = await agentsAtWork({ models: slow.models, host: atWork.host });
    await record(third, workUnitId, 'One more token');
    await third.until(({ conversationEntries }) => conversationEntries.all().length === 2);
    await third.call('workunit.cancel', { workUnitId });
    await third.until(({ conversationEntries }) => conversationEntries.all()[1]?.phase === 'failed');
    expect(titles(third)).toHaveLength(3);
  });

  it('look at what was recorded during a pause, and before anybody wanted them', async () => {
    const { models, asked } = looking(() => ({}));
    const { atWork, workUnitId } = await begun({ models }, []);
    await record(atWork, workUnitId, 'A token');
    await atWork.settled();
    await atWork.call('goal.pause', { goalId: workUnitId });
    await atWork.call('option.change', { enabledDomainAgents: ['SecurityAgent'] });
    await record(atWork, workUnitId, 'Another token');
    await atWork.settled();
    expect(asked).toEqual([]);
    await atWork.call('goal.resume', { goalId: workUnitId });
    await atWork.settled();
    expect(asked).toHaveLength(2);
  });

  it.each(['session', 'agent'] as const)('look at what was recorded during a pause of its %s', async (of) => {
    const { models, asked } = looking(() => ({}));
    const { atWork, workUnitId } = await begun({ models }, ['SecurityAgent']);
    const { call } = atWork;
    const { agentId } = (await call('agent.spawn', { agentType: 'reviewer', workUnitId })) as { agentId: string };
    const { sessionId } = (await call('session.start', { rootWorkUnitId: workUnitId, profileIds: ['worker'] })) as {
      sessionId: string;
    };
    const named = of === 'session' ? { sessionId } : { agentId };
    await call(`${of}.pause`, named);
    await record(atWork, workUnitId, 'A token');
    await atWork.settled();
    expect(asked).toEqual([]);
    await call(`${of}.resume`, named);
    await atWork.settled();
    expect(asked).toHaveLength(1);
  });

  it('look at what was recorded before an agent was taken on that wants them', async () => {
    const { models, asked } = looking(() => ({}));
    const { atWork, workUnitId } = await begun({ models }, []);
    await record(atWork, workUnitId, 'All is tested');
    await atWork.settled();
    await atWork.call('agent.spawn', { agentType: 'reviewer', workUnitId, enabledDomainAgents: ['TestAgent'] });
    await atWork.settled();
    expect(asked).toHaveLength(1);
  });

  it('do not look on for ever', async () => {
    const { models, asked } = looking(() => ({}));
    const { atWork, workUnitId } = await begun({ models }, ['SecurityAgent']);
    for (let i = 0; i < 22; i++) await record(atWork, workUnitId, `Token ${i}`);
    await atWork.settled();
    expect(asked).toHaveLength(20);
  });
});
