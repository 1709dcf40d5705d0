/** Who works on a part: by its files, by what a model says, or as usual. */
import { describe, expect, it } from 'vitest';
import { ProviderError } from '../models/provider.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { tempFolder } from '../testing/temp-folder.js';
import { type AgentsAtWork, agentsAtWork } from '../testing/work/agents-at-work.js';
import { type Asked, type Turn, scriptedModels } from '../testing/models/scripted-models.js';

type Answer = (asked: Asked, signal: AbortSignal) => Turn | Promise<Turn>;

const found: Turn = { calls: [['artifact_record', { type: 'Research', title: 'Found', body: 'It is so.' }]] };
const pick = (profileId: string): Turn => ({ calls: [['choose_profile', { profileId, reason: 'It knows this.' }]] });

/** Parts with these files, profiles with these patterns; `answer` is what a model says that is asked who works. */
async function open(scopes: readonly string[][], profiles: Readonly<Record<string, string[]>>, answer?: Answer) {
  const asked: string[] = [];
  const slices = scopes.map((fileScope, i) => ({ sliceId: `s${i}`, goal: `do ${i}`, fileScope }));
  const plan: Turn = { calls: [['artifact_record_plan', { planContent: JSON.stringify({ slices }) }]] };
  const options = {
    models: scriptedModels(async (question, signal) => {
      if (question.role === 'planner') return plan;
      if (!question.request.system.includes('choose_profile')) return found;
      asked.push(question.said);
      return answer!(question, signal);
    }),
  };
  const atWork = await agentsAtWork(options);
  for (const [agentProfileId, fileScopePatterns] of Object.entries(profiles))
    await atWork.call('agent-profile.create', {
      agentProfileId,
      name: agentProfileId,
      stage: 'Execute',
      systemPrompt: 'Do it.',
      allowedTools: [],
      maxIterations: 5,
      fileScopePatterns,
    });
  if (answer) await atWork.call('option.change', { useLlmProfileSelection: true });
  const given = { goal: 'All of it', expectedOutputKind: 'KnowledgeArtifact' };
  const { workUnitId } = (await atWork.call('workunit.create', given)) as { workUnitId: string };
  const begin = () => atWork.call('scheduler.enqueue', { workUnitId, profileId: 'orchestrator' });
  const who = ({ records }: AgentsAtWork = atWork) =>
    records.workUnits.where('parent', workUnitId).map((unit) => records.scheduledItems.get(unit.workUnitId)?.profileId);
  const end = () => atWork.until(({ workUnits }) => workUnits.get(workUnitId)?.status === 'Completed');
  const reasons = ({ records }: AgentsAtWork = atWork) =>
    records.orchestrationDecisions
      .all()
      .flatMap(({ reason = '' }) => (reason.includes(' works on it: ') ? reason : []));
  return { atWork, options, asked, workUnitId, begin, end, who, reasons };
}

describe('who works on a part', () => {
  it('is the only one that is for all of its files, without a question', async () => {
    const profiles = { ui: ['src/ui/**', '*.css'], server: ['src/server/**'] };
    const scopes = [['src/ui/a.ts', '*.css'], ['src/server/**'], ['src/ui/b.ts', 'src/server/b.ts'], []];
    const { begin, end, who, asked } = await open(scopes, profiles, () => pick('worker'));
    await begin();
    await end();
    expect(who()).toEqual(['ui', 'server', 'worker', 'worker']);
    expect(asked).toHaveLength(2);
  });

  it('is that also when it was cancelled before it began, and begins again', async () => {
    const { atWork, begin, end, who, workUnitId } = await open([['a.txt'], ['src/b.ts']], { mine: ['src/**'] });
    const part = () => atWork.records.workUnits.where('parent', workUnitId)[1]?.workUnitId ?? '';
    await atWork.call('option.change', { maxConcurrentWorkers: 1 });
    await begin();
    await atWork.until(() => part() !== '');
    await atWork.call('workunit.cancel', { workUnitId: part() });
    await atWork.call('requeue.requeue', { workUnitId: part() });
    await end();
    expect(who()[1]).toBe('mine');
  });

  it('is nobody in particular when several are for its files, unless a model is asked', async () => {
    const { begin, end, who, reasons } = await open([['src/a.ts']], { one: ['src/**'], two: ['*.ts'] });
    await begin();
    await end();
    expect([who(), reasons()]).toEqual([['worker'], []]);
  });

  it('is the first of the session that works, where nobody else is chosen', async () => {
    const { atWork, begin, end, who, workUnitId } = await open([['a.txt']], { mine: [] });
    await atWork.call('session.start', { rootWorkUnitId: workUnitId, profileIds: ['orchestrator', 'mine'] });
    await begin();
    await end();
    expect(who()).toEqual(['mine']);
  });

  it('is whom a goal was begun with, who has to be a worker', async () => {
    const { atWork } = await open([], { mine: [] });
    const run = (workerProfileId: string) =>
      atWork.call('external-goal.run', { goal: 'g', repositoryId, workerProfileId, shape: 'single' });
    const path = await tempFolder();
    await gitRepository(path, { a: '1\n' });
    const { repositoryId } = (await atWork.call('repository.register', { path })) as { repositoryId: string };
    await expect(run('reviewer')).rejects.toThrow(/workerProfileId: reviewer is of the stage Review; .* worker, mine/);
    await run('mine');
    await atWork.until(({ scheduledItems }) => scheduledItems.all().some(({ profileId }) => profileId === 'mine'));
  });

  it('is whom a model chooses of those that are for its files, which is recorded and paid for', async () => {
    const { atWork, begin, end, who, asked, reasons } = await open(
      [['src/a.ts']],
      { one: ['src/**'], two: ['*.ts'], three: ['docs/**'] },
      () => pick('two'),
    );
    await begin();
    await end();
    expect(who()).toEqual(['two']);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('Goal: do 0');
    expect(asked[0]).not.toContain('three');
    expect(reasons()).toEqual(['two works on it: It knows this.']);
    const cycle = atWork.records.conversationEntries.all().find(({ logId }) => logId.startsWith('choice-'));
    expect(cycle).toMatchObject({ phase: 'done', agentRole: 'Orchestrate', spent: { tokens: 110 } });
  });

  it.each([
    ['names somebody else', () => pick('planner'), 'the model has chosen none'],
    ['says nothing', () => ({ text: 'Any.' }), 'the model has chosen none'],
    ['fails', () => Promise.reject(new ProviderError('refused', 'no')), 'the model has chosen none'],
  ] as const)('is as usual when the model %s', async (_, answer, reason) => {
    const { begin, end, who, reasons, asked } = await open([['a.txt']], { one: [] }, answer);
    await begin();
    await end();
    expect([who(), asked.length, reasons()]).toEqual([['worker'], 1, [`worker works on it: ${reason}`]]);
  });

  it('is asked for again when a pause has broken off the question, and after a restart', async () => {
    const silent = (_: Asked, signal: AbortSignal): Promise<Turn> =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new ProviderError('stopped', ''))),
      );
    let count = 0;
    const { atWork, options, workUnitId, begin, asked, who, reasons } = await open(
      [['a.txt']],
      { one: [] },
      (...given) => ((count += 1) < 3 ? silent(...given) : pick('one')),
    );
    await begin();
    const untilAsked = async (times: number): Promise<void> => {
      while (asked.length < times) await new Promise((resolve) => setImmediate(resolve));
    };
    await untilAsked(1);
    await atWork.call('goal.pause', { goalId: workUnitId });
    await atWork.settled();
    expect(asked).toHaveLength(1);
    await atWork.call('goal.resume', { goalId: workUnitId });
    await untilAsked(2);
    await atWork.stop();
    const again = await agentsAtWork({ ...options, host: atWork.host });
    await again.until(({ workUnits }) => workUnits.get(workUnitId)?.status === 'Completed');
    expect([who(again), asked.length, reasons(again)]).toEqual([['one'], 3, ['one works on it: It knows this.']]);
  });
});
