/**
 * What callers say is recorded or answered as they said it: each value of a call is looked for in what the call answers and in the events that
 * it writes. Values are such as nothing else has, so a field that is not heard is missed.
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { FailureKind } from '../record/aggregates/dead-letter/dead-letter.js';
import { toDeadLetter } from '../rules/queue/dead-letters.js';
import { leaseNext } from '../rules/queue/queue.js';
import type { ForgeDesk } from '../operations/kernel/forge-desk.js';
import { proposeMemory } from '../rules/knowledge/memories.js';
import { Answers } from '../testing/doors/answers.js';
import { git, gitRepository } from '../testing/git/git-repository.js';
import { tempFolder } from '../testing/temp-folder.js';
import { openTestFront } from '../testing/doors/test-front.js';
import { toolServerCommand } from '../testing/doors/tool-server.js';

interface Unit {
  readonly workUnitId: string;
  readonly branchId: string;
}

/** The values in a value, at any depth. */
function* valuesIn(value: unknown): Generator {
  yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const one of Object.values(value)) yield* valuesIn(one);
}

const issue = (number: number) =>
  Promise.resolve({
    number,
    title: `Issue ${number}`,
    body: '',
    author: 'ann',
    authorMayWrite: true,
    url: `http://127.0.0.1:9/${number}`,
    isOpen: true,
    labels: [],
    comments: [],
  });

async function world() {
  const opened: Awaited<ReturnType<typeof openTestFront>> = await openTestFront(undefined, {
    // A forge that is asked for its issues alone.
    demonstration: () => undefined,
    forges: () => {
      const state = { lookedAt: undefined, waitsUntil: undefined, troubles: [] };
      const { records, ledger } = opened;
      const change = ledger.change.bind(ledger, 'forge');
      const context = { records, change, forgeOf: () => ({ issue }) } as unknown as ForgeDesk['context'];
      return { context, state: () => state, look: () => Promise.resolve(state), heed: () => Promise.resolve('new') };
    },
  });
  const answers = new Answers(opened);
  const of: Answers['of'] = (id, input) => answers.of(id, input);
  const path = join(await tempFolder(), 'user');
  await gitRepository(path, { 'a.ts': 'export const one = 1;\n' });
  const { repositoryId } = await of('repository.register', { path });
  const { ledger, records, shared } = opened;
  const unit = (more: object = {}) => of<Unit>('workunit.create', { goal: 'g', repositoryId, ...more });
  /** Calls, and looks for every value that was said. */
  const says = async (id: string, input: object, also: Readonly<Record<string, unknown>> = {}) => {
    const before = ledger.feed.last;
    const answer = await of<Record<string, string>>(id, { ...also, ...input });
    const written = [...valuesIn([answer, ledger.feed.after(before)])];
    for (const [field, value] of Object.entries(input))
      if (!written.some((one) => isDeepStrictEqual(one, value)))
        expect.fail(`${id} neither recorded nor answered ${field} as ${JSON.stringify(value)}`);
    return answer;
  };
  const queue = ({ workUnitId }: Unit) => of('scheduler.enqueue', { workUnitId, profileId: 'worker' });
  const write = ({ branchId }: Unit, content: string) =>
    of('branch.resyncFiles', { branchId, files: [{ path: 'a.ts', content }] });
  const propose = async (of_: Unit, more: object = {}) => {
    const given = { sourceBranch: '-', targetBranch: 'main', summary: 's', workUnitId: of_.workUnitId };
    return (await of<{ proposalId: string }>('merge.propose', { ...given, ...more })).proposalId;
  };
  /** Work that has failed. */
  const failed = async (kind: FailureKind = 'Exception') => {
    const made = await unit();
    const { workUnitId } = made;
    await queue(made);
    const entryId = await ledger.change('host', (change) => {
      const mayTake = (one: { workUnitId: string }) => one.workUnitId === workUnitId;
      leaseNext(change, records, { agentId: 'a', most: 99, hasKey: () => true, mayTake });
      return toDeadLetter(change, records, { workUnitId, kind, reason: 'no luck' }).entryId;
    });
    return { entryId, workUnitId };
  };
  return {
    ...opened,
    of,
    answers,
    repositoryId: repositoryId!,
    path,
    unit,
    queue,
    write,
    propose,
    failed,
    says,
    shared,
  };
}

const CHOICE = {
  provider: 'openai',
  model: 'model-said',
  baseUrl: 'http://127.0.0.1:9/said',
  credentialRef: 'key-said',
};
const overriding = (choice: object) =>
  Object.fromEntries(
    Object.entries(choice).map(([name, value]) => [`override${name[0]!.toUpperCase()}${name.slice(1)}`, value]),
  );

describe('the model that a caller chooses is what the work is queued with, and the key is held under its name:', () => {
  type World = Awaited<ReturnType<typeof world>>;
  const parked = async ({ unit, queue }: World) => {
    const made = await unit();
    await queue(made);
    return made.workUnitId;
  };
  const cancelled = async (at: World) => {
    const workUnitId = await parked(at);
    await at.of('workunit.cancel', { workUnitId });
    return workUnitId;
  };
  const ways: readonly (readonly [string, (at: World) => Promise<{ input: object; workUnitId: string }>])[] = [
    ['dead-letter.retry', async (at) => at.failed().then((one) => ({ input: { entryId: one.entryId }, ...one }))],
    [
      'dead-letter.retryWithContext',
      async (at) => at.failed().then((one) => ({ input: { entryId: one.entryId, steeringContext: 'c' }, ...one })),
    ],
    [
      'dead-letter.goOn',
      async (at) => at.failed('MaxIterationsExceeded').then((one) => ({ input: { entryId: one.entryId }, ...one })),
    ],
    ['requeue.requeue', async (at) => cancelled(at).then((workUnitId) => ({ input: { workUnitId }, workUnitId }))],
    [
      'requeue.reinvokeOrchestrator',
      async (at) => parked(at).then((workUnitId) => ({ input: { workUnitId }, workUnitId })),
    ],
    [
      'external-goal.requeue',
      async (at) => cancelled(at).then((workUnitId) => ({ input: { goalId: workUnitId }, workUnitId })),
    ],
    ['scheduler.resume', async (at) => parked(at).then((workUnitId) => ({ input: { workUnitId }, workUnitId }))],
    [
      'scheduler.enqueue',
      async (at) => at.unit().then(({ workUnitId }) => ({ input: { workUnitId, profileId: 'worker' }, workUnitId })),
    ],
  ];

  it.each(ways)('%s', async (id, make) => {
    const at = await world();
    const { input, workUnitId } = await make(at);
    const { credentials } = at.shared;
    const isOverride = !id.startsWith('scheduler');
    const given = { ...CHOICE, apiKey: 'secret-said' };
    await at.of(id, { ...input, ...(isOverride ? overriding(given) : given) });
    const item = at.records.scheduledItems.get(workUnitId);
    expect(item).toMatchObject(CHOICE);
    await expect(credentials.keyOf('key-said')).resolves.toBe('secret-said');
  });

  it('requeue.reinvokeOrchestrator takes a profile for what is not in the queue, and refuses another for what is', async () => {
    const { of, unit, answers, records: all } = await world();
    const { workUnitId } = await unit();
    const asked = { workUnitId, overrideProfileId: 'reviewer' };
    await of('requeue.reinvokeOrchestrator', asked);
    expect(all.scheduledItems.get(workUnitId)?.profileId).toBe('reviewer');
    await of('requeue.reinvokeOrchestrator', asked);
    const other = answers.refused('requeue.reinvokeOrchestrator', { ...asked, overrideProfileId: 'worker' });
    await expect(other).resolves.toBe('reject.wrong_state');
  });

  it.each(['conflict.reconcileCandidate', 'conflict.reconcileTask'])('%s', async (id) => {
    const { of, answers, unit, write, propose, records, shared } = await world();
    const isTask = id.endsWith('Task');
    const root = await unit();
    const ids: string[] = [];
    for (const content of ['one\n', 'two\n']) {
      const made = await unit(isTask ? { parentWorkUnitId: root.workUnitId } : {});
      await write(made, content);
      ids.push(await propose(made, { targetBranch: isTask ? 'main' : 'candidate' }));
    }
    for (const proposalId of ids) await of('merge.review', { proposalId, decision: 'Approved' });
    await of('merge.apply', { proposalId: ids[0] });
    await expect(answers.refused('merge.apply', { proposalId: ids[1] })).resolves.toBe('reject.merge_conflict');
    const conflictId = records.conflicts.all()[0]?.conflictId;
    const said = { ...CHOICE, apiKey: 'secret-said', steeringNotes: 'notes-said', profileId: 'reviewer' };
    const input = { conflictId, ...(isTask && { workUnitId: root.workUnitId }), ...said };
    const { workUnitId, goal } = await of<{ workUnitId: string; goal: string }>(id, input);
    expect(goal).toContain('notes-said');
    expect(records.scheduledItems.get(workUnitId)).toMatchObject({ ...CHOICE, profileId: 'reviewer' });
    await expect(shared.credentials.keyOf('key-said')).resolves.toBe('secret-said');
  });

  it('agent.spawn, of each stage and of all', async () => {
    const { of, unit, records, shared } = await world();
    const { workUnitId } = await unit();
    const stage = { ...CHOICE, credentialRef: 'key-2', lenientToolParsing: true };
    await of('agent.spawn', {
      agentType: 'worker',
      workUnitId,
      ...CHOICE,
      apiKey: 'secret-said',
      lenientToolParsing: true,
      stageCredentials: { Review: { ...stage, apiKey: 'secret-2' } },
    });
    expect(records.scheduledItems.get(workUnitId)).toMatchObject({ ...CHOICE, lenientToolParsing: true });
    expect(records.agents.all()).toMatchObject([{ stageModels: { Review: stage } }]);
    for (const [name, secret] of [
      ['key-said', 'secret-said'],
      ['key-2', 'secret-2'],
    ] as const)
      await expect(shared.credentials.keyOf(name)).resolves.toBe(secret);
  });

  it.each(['dead-letter.retry', 'dead-letter.retryWithContext', 'external-goal.requeue'])(
    '%s takes another profile',
    async (id) => {
      const at = await world();
      const { input, workUnitId } = await ways.find(([name]) => name === id)![1](at);
      await at.of(id, { ...input, overrideProfileId: 'reviewer' });
      expect(at.records.scheduledItems.get(workUnitId)?.profileId).toBe('reviewer');
    },
  );
});

describe('what is said is recorded or shown, by operations about', () => {
  it('profiles', async () => {
    const { says } = await world();
    const said = {
      name: 'name-said',
      stage: 'Reconcile',
      systemPrompt: 'prompt-said',
      fileScopePatterns: ['said/**'],
      executor: 'codex',
      injectApiKeyEnv: true,
    };
    const rest = { allowedTools: [], maxIterations: 3 };
    await says('agent-profile.create', said, { agentProfileId: 'p-1', ...rest });
    await says('agent-profile.write', said, { profileId: 'p-2', ...rest });
    const other = { ...said, name: 'name-2', stage: 'Merge', systemPrompt: 'prompt-2', fileScopePatterns: ['two/**'] };
    await says('agent-profile.update', { ...other, executor: 'acp' }, { profileId: 'p-1' });
    const shown = await says('agent-profile.update', {}, { profileId: 'p-2', injectApiKeyEnv: false });
    expect(shown['injectApiKeyEnv']).toBe(false);
  });

  it('work units, tasks and goals', async () => {
    const { says, of, repositoryId, unit } = await world();
    const referenceFiles = [{ repositoryId, path: 'path-said.ts' }];
    const { workUnitId: first } = await says('workunit.create', {
      goal: 'goal-said',
      successCriteria: 'criteria-said',
      referenceFiles,
      taskReviewHybridTimeoutMinutes: 4711,
      workspaceReviewHybridTimeoutMinutes: 4712,
    });
    const { workUnitId } = await unit();
    await says('workunit.update', { fileScope: ['scope-said/**'] }, { workUnitId });
    const set = await of('goal.create', { goal: 'g', repositoryId, referenceFiles });
    for (const workUnitId of [first, set['workUnitId']])
      expect(await of('workunit.get', { workUnitId })).toMatchObject({ referenceFiles });
    const { goalId } = await of('goal.create', { goal: 'all', repositoryId });
    await says('goal.pause', { pausedBy: 'ann-said' }, { goalId });
    await says('goal.resume', { resumedBy: 'bob-said', maxGoalDurationMinutes: 4713 }, { goalId });
    const { taskId } = await of('task.create', { workUnitId, title: 't', description: 'd' });
    await says('task.update', { description: 'description-said' }, { taskId });
    await says(
      'external-goal.run',
      { successCriteria: 'criteria-2', workerProfileId: 'worker', repositoryId },
      { goal: 'g' },
    );
    await says('state.fork', { goal: 'goal-2', profileId: 'reviewer' }, await marked(of, repositoryId));
  });

  const marked = async (of: Answers['of'], repositoryId: string) => {
    await of('branch.create', { name: 'one', fromBranchId: 'main', repositoryId });
    const { stateId } = await of('state.markKnownGood', { branchId: 'one', description: 'd', repositoryId });
    return { stateId };
  };

  it('agents and what they leave behind', async () => {
    const { says, of, unit, repositoryId } = await world();
    const { workUnitId } = await unit();
    const { taskId } = await of('task.create', { workUnitId, title: 't', description: 'd' });
    await says(
      'agent.spawn',
      { taskId, autoReviewProfileId: 'reviewer', ...CHOICE },
      {
        agentType: 'worker',
        workUnitId,
        apiKey: 'secret-said',
      },
    );
    await says(
      'intent.record',
      { intentType: 'type-said', regionDescriptor: 'region-said', baseSnapshotHash: 'hash-said' },
      { workUnitId, targetPath: 'a.ts' },
    );
    await says(
      'reasoning.record',
      { agentModel: 'model-said', agentProvider: 'provider-said', projectionSnapshotJson: '{"shot":"said"}' },
      { workUnitId, agentId: 'a', inputStage: 'Plan', action: 'NoOp' },
    );
    await says('trajectory.create', { provider: 'provider-said' }, { workUnitId, phase: 'Executing' });
    await says('hypothesis.fork', { parentWorkUnitId: workUnitId }, { goal: 'h', forkType: 'Code' });
    await of('branch.create', { name: 'one', fromBranchId: 'main', repositoryId });
    await says(
      'state.markKnownGood',
      { verificationResults: 'results-said', createdBy: 'ann-said', repositoryId },
      { branchId: 'one', description: 'd' },
    );
  });

  it('questions', async () => {
    const { says, of, unit, queue } = await world();
    const made = await unit();
    await queue(made);
    const { workUnitId } = made;
    await says(
      'clarification.request',
      {
        requestedByAgentId: 'agent-said',
        timeoutSeconds: 4714,
        timeoutBehavior: 'auto_abandon',
        defaultResponse: 'default-said',
      },
      { workUnitId, question: 'q', options: [] },
    );
    await says('clarification.respond', { respondedBy: 'ann-said', note: 'note-said' }, { workUnitId, response: 'r' });
    const { requestId: clarificationId } = await of('clarification.request', { workUnitId, question: 'q' });
    await says('clarification.respondById', {}, { clarificationId, response: 'r', resume: false });
    expect((await of<{ status: string }>('workunit.get', { workUnitId })).status).toBe('Waiting');
  });

  it('proposals', async () => {
    const { says, of, unit, write, propose } = await world();
    const made = await unit();
    const { workUnitId } = made;
    await write(made, '1\n');
    const given = { sourceBranch: '-', targetBranch: 'main', summary: 's', workUnitId };
    const { proposalId: first } = await says(
      'merge.propose',
      { agentId: 'agent-said', provider: 'provider-said', confidence: 0.4711 },
      given,
    );
    await says(
      'decision.record',
      {
        reviewerAgentId: 'agent-2',
        reviewerModel: 'model-said',
        reviewerProvider: 'provider-said',
        confidence: 0.4712,
      },
      { proposalId: first, outcome: 'Deferred' },
    );
    await says('merge.review', { reviewedBy: 'ann-said' }, { proposalId: first, decision: 'Rejected', notes: 'no' });
    await says('merge.retry', { notes: 'notes-said' }, { proposalId: first });
    await write(made, '2\n');
    const second = await propose(made);
    await says('merge.review', { reviewerAgentId: 'agent-3' }, { proposalId: second, decision: 'Approved' });
    await says('merge.branchFrom', { goal: 'goal-said' }, { proposalId: second, profileId: 'worker' });
    await says(
      'counterfactual.create',
      { proposalId: second, newProfileId: 'reviewer', constraintText: 'constraint-said' },
      { newGoalOverride: 'goal-2' },
    );
    const forks = [{ constraintText: 'use a' }, { constraintText: 'use b' }];
    const { parentWorkUnitId } = await says(
      'experiment.create',
      {
        goal: 'goal-3',
        owner: 'owner-said',
        taskReviewPolicy: 'Hybrid',
        workspaceReviewPolicy: 'AgentApproval',
        taskReviewHybridTimeoutMinutes: 4715,
        workspaceReviewHybridTimeoutMinutes: 4716,
      },
      { forkType: 'Library', forks },
    );
    expect(parentWorkUnitId).toBeDefined();
    expect(await of('decision.list', { workUnitId })).not.toEqual(await of('decision.list', { workUnitId: 'wu-none' }));
  });

  it('memories, constraints and feedback', async () => {
    const { says, of, repositoryId, ledger, records } = await world();
    const { memoryId } = await says('memory.add', { text: 'text-said', repositoryId });
    await says('memory.confirm', { memoryId, text: 'text-2' });
    expect(await of('memory.list', { repositoryId })).toHaveLength(1);
    expect(await of('memory.list', { repositoryId: 'repo-none' })).toHaveLength(0);
    expect(await of('memory.list', { repositoryId, status: 'Proposed' })).toHaveLength(0);
    await of('memory.remove', { memoryId });
    expect(await of('memory.list', { repositoryId, status: 'Confirmed' })).toHaveLength(0);
    const proposed = await ledger.change('agent:a', (change) =>
      proposeMemory(change, records, { repositoryId, text: 'c' }),
    );
    await says('memory.refuse', { notes: 'notes-said' }, { memoryId: proposed.memoryId });
    await says('constraint.create', { repositoryId }, { title: 't', body: 'b', repoSpecific: true });
    const { goalId } = await of('goal.create', { goal: 'all', repositoryId });
    await says('external-result.recordFeedback', { title: 'title-said', feedback: 'feedback-said', goalId });
  });

  it('webhooks and servers of tools', async () => {
    const { says, of, unit, repositoryId } = await world();
    const url = 'http://127.0.0.1:1/';
    const { workUnitId } = await unit();
    const { goalId } = await of('goal.create', { goal: 'all', repositoryId });
    const { sessionId } = await of('session.start', { rootWorkUnitId: workUnitId, profileIds: ['worker'] });
    const { webhookId } = await says('webhook.make', { url, label: 'label-said', sessionId });
    await says(
      'webhook.change',
      { label: 'label-2', sessionId, workUnitId, kinds: ['WorkUnitCreated'] },
      { webhookId, url },
    );
    const about = { about: 'attention', shape: 'mail', template: { to: 'to-said' }, kinds: ['answer'], goalId };
    await says('webhook.change', { ...about, credentialRef: 'mail-said' }, { webhookId, url });
    const command = toolServerCommand();
    const server = { name: 'docs', command, profiles: ['reviewer'], seconds: 47, repositoryId, online: true };
    const { tools, ...shown } = await of<{ tools: { name: string; isAllowed: boolean }[] }>('tool-server.add', {
      ...server,
      allowed: ['echo'],
    });
    expect(shown).toMatchObject(server);
    expect(tools.filter(({ isAllowed }) => isAllowed).map(({ name }) => name)).toEqual(['echo']);
    expect(await of('tool-server.list')).toHaveLength(1);
    await of('tool-server.remove', { name: 'docs' });
    expect(await of('tool-server.list')).toHaveLength(0);
  });

  it('forges and how work is published', async () => {
    const { says, of, answers, repositoryId, path, unit, write, propose } = await world();
    for (const name of ['remote-said', 'remote-2']) await git(path, 'remote', 'add', name, 'http://127.0.0.1:1/x.git');
    const connected = {
      repositoryId,
      kind: 'gitea',
      api: 'http://127.0.0.1:1/said',
      project: 'team-said/project',
      tokenRef: 'token-said',
      hookRef: 'hook-said',
      label: 'label-said',
      mention: 'mention-said',
      remote: 'remote-said',
      base: 'base-said',
      requiredChecks: ['check-said'],
      merges: 'there',
    };
    await says('forge.connect', connected);
    expect(await of('forge.connect', { ...connected, publishes: true })).toMatchObject({ publishes: true });
    const checked = { ...connected, publishes: false, requiredChecks: ['check-said'] };
    expect(await of('forge.connect', checked)).toMatchObject({ publishes: false, requiredChecks: ['check-said'] });
    for (const id of ['forge.get', 'forge.look']) {
      expect(await of(id, { repositoryId })).toMatchObject({ repositoryId, project: 'team-said/project' });
      await expect(answers.refused(id, { repositoryId: 'none' })).resolves.toBe('reject.forge_not_connected');
    }
    expect(await of('forge.takeIssue', { repositoryId, number: 47 })).toMatchObject({ title: 'Issue 47', isNew: true });
    await expect(answers.refused('forge.takeIssue', { repositoryId: 'none', number: 47 })).resolves.toBe(
      'reject.forge_not_connected',
    );
    const made = await unit();
    await write(made, '1\n');
    await propose(made);
    const goalId = made.workUnitId;
    expect(await of('contribution.offer', { goalId })).toMatchObject({ goalId, repositoryId });
    await of('forge.disconnect', { repositoryId });
    await expect(answers.refused('forge.get', { repositoryId })).resolves.toBe('reject.forge_not_connected');
    await says('publishing.set', { repositoryId, remote: 'remote-said', base: 'base-said' });
    const ofGoal = { remote: 'remote-2', base: 'base-2', sign: 'ssh', signingKey: 'key-said' };
    await says('publishing.set', { goalId, ...ofGoal }, { repositoryId });
    expect(await of('publishing.get', { repositoryId, goalId })).toMatchObject({ remote: 'remote-2' });
    expect(await of('publishing.get', { repositoryId })).toMatchObject({ remote: 'remote-said' });
  });
});
