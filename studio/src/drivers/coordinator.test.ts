import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AgentsAtWork, agentsAtWork } from '../testing/work/agents-at-work.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { nodeDisk } from '../workspace/git/node-disk.js';
import { refusal } from '../reasons.js';
import { forge } from '../record/aggregates/forge/forge.js';
import type { ScheduledItemEvent } from '../record/aggregates/scheduled-item/scheduled-item.js';
import { isOver } from '../record/aggregates/work-unit/status.js';
import { openSlices } from '../rules/knowledge/slices.js';
import { personsTurn } from '../rules/proposals/policy.js';
import { ManualClock } from '../testing/manual-clock.js';
import { npmProject } from '../testing/git/npm-project.js';
import { nowAndThenFull } from '../testing/record/mortal-room.js';
import { type Asked, type Script, type Turn, scriptedModels } from '../testing/models/scripted-models.js';
import { tempFolder } from '../testing/temp-folder.js';

interface Work {
  readonly slices?: readonly object[];
  /** By the goal of a slice: the files that it writes. */
  readonly files?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly review?: (asked: Asked) => 'Approved' | 'Rejected';
}

/** Agents that do what is written here, with the files as a stand-in for what they would have changed themselves. */
function team(atWork: () => AgentsAtWork, work: Work): Script {
  const write = async ({ branchId }: Asked, files: Readonly<Record<string, string>>): Promise<void> => {
    const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
    await atWork().call('branch.resyncFiles', { branchId, files: entries, deletedPaths: [] });
  };
  const propose = ({ branchId, goal }: Asked): Turn => ({
    calls: [['merge_propose', { sourceBranch: branchId, targetBranch: 'main', summary: goal }]],
  });
  return async (asked) => {
    switch (asked.role) {
      case 'planner':
        return { calls: [['artifact_record_plan', { planContent: JSON.stringify({ slices: work.slices }) }]] };
      case 'worker':
        await write(asked, work.files?.[asked.goal] ?? {});
        return propose(asked);
      case 'reconciler':
        return propose(asked);
      case 'reviewer': {
        const proposalId = /Proposal (MP-\S+):/.exec(asked.said)?.[1];
        const decision = work.review?.(asked) ?? 'Approved';
        return { calls: [['merge_review', { proposalId, decision, verificationResults: 'read it' }]] };
      }
    }
  };
}

interface More extends Partial<Parameters<typeof agentsAtWork>[0]> {
  /** Files that the repository has besides. */
  readonly there?: Readonly<Record<string, string>>;
}

async function open(work: Work, { there = {}, ...more }: More = {}) {
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, { 'a.txt': '1\n', 'b.txt': '1\n', ...there });
  const now: { atWork?: AgentsAtWork } = {};
  const options = { models: scriptedModels(team(() => now.atWork!, work)), folder: await tempFolder(), ...more };
  const atWork = (now.atWork = await agentsAtWork(options));
  await atWork.call('repository.register', { path: user });
  /** Begins a goal, which a person has divided already where its parts are given. */
  const run = async (policy: object, parts: readonly string[] = []): Promise<string> => {
    const { workUnitId } = (await atWork.call('workunit.create', { goal: 'All of it', owner: 'ann', ...policy })) as {
      workUnitId: string;
    };
    for (const goal of parts) await atWork.call('workunit.create', { goal, parentWorkUnitId: workUnitId });
    await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'orchestrator' });
    return workUnitId;
  };
  const restart = async (): Promise<AgentsAtWork> => {
    await now.atWork!.stop();
    return (now.atWork = await agentsAtWork({ ...options, host: atWork.host }));
  };
  const statusOf = (id: string) => now.atWork!.records.workUnits.get(id)?.status;
  return { atWork, run, restart, statusOf, file: (name: string) => readFile(join(user, name), 'utf8') };
}

const PROJECT = npmProject({ test: '! grep -q bad a.txt' });
const agents = { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'AgentApproval' };
const slice = (sliceId: string, more: object = {}) => ({ sliceId, goal: `do ${sliceId}`, ...more });

/** One part, which does not work before it is done a second time, all the way. */
async function repaired(option: object) {
  const tries = ['bad\n', '2\n'];
  const { atWork, run, statusOf, file } = await open({
    slices: [slice('a')],
    files: {
      get 'do a'() {
        return { 'package.json': PROJECT, 'a.txt': tries.shift()! };
      },
    },
  });
  await atWork.call('option.change', option);
  const id = await run(agents);
  await atWork.until(() => statusOf(id) === 'Merged');
  expect(await file('a.txt')).toBe('2\n');
  const { records } = atWork;
  const [part] = records.workUnits.where('parent', id);
  const offered = records.proposals.where('workUnit', part!.workUnitId);
  expect(offered.map(({ status }) => status)).toEqual(['Rejected', 'Superseded']);
  return { records, part: part!, offered };
}

describe('the coordinator', () => {
  it('has a small goal done by one agent and looked at by one other, and says why', async () => {
    const { atWork, statusOf, file } = await open({ files: { 'Set a.txt to 2': { 'a.txt': '2\n' } } });
    const { call, records } = atWork;
    const { workUnitId } = (await call('external-goal.run', {
      goal: 'Set a.txt to 2',
      reviewPolicy: 'AgentApproval',
    })) as { workUnitId: string };
    await atWork.until(() => statusOf(workUnitId) === 'Merged');
    expect(await file('a.txt')).toBe('2\n');
    expect(records.workUnits.all()).toHaveLength(1);
    expect(records.agents.all().map(({ profileId }) => profileId)).toEqual(['orchestrator', 'worker', 'reviewer']);
    expect(records.conversationEntries.all()).toHaveLength(2);
    expect(records.orchestrationDecisions.where('workUnit', workUnitId)[0]).toMatchObject({
      action: 'SpawnWorker',
      reason: 'it is short and says one thing: one agent does all of it',
    });
  });

  it('begins work that was taken up again by itself, with its task and the model that was asked for', async () => {
    const { atWork, statusOf, file } = await open({ files: { 'Set a.txt': { 'a.txt': '2\n' } } });
    const { call, records } = atWork;
    const made = async (more: object) =>
      ((await call('workunit.create', { owner: 'ann', ...agents, ...more })) as { workUnitId: string }).workUnitId;
    const needed = await made({ goal: 'Look', expectedOutputKind: 'KnowledgeArtifact' });
    const workUnitId = await made({ goal: 'Set a.txt', dependsOn: [needed] });
    const { taskId } = (await call('task.create', { workUnitId, title: 'set it', description: 'to 2' })) as {
      taskId: string;
    };
    // Nobody takes it in between.
    const queued = call('scheduler.enqueue', { workUnitId, profileId: 'worker', taskId });
    await Promise.all([queued, call('workunit.cancel', { workUnitId })]);
    await call('requeue.requeue', { workUnitId, overrideModel: 'm2' });
    await atWork.settled();
    expect(statusOf(workUnitId)).toBe('Created');
    for (const status of ['Active', 'Completed']) await call('workunit.update', { workUnitId: needed, status });
    await atWork.until(() => statusOf(workUnitId) === 'Merged');
    expect(await file('a.txt')).toBe('2\n');
    expect(records.agents.all().map(({ profileId }) => profileId)).toContain('worker');
    const begun = atWork.ledger.feed
      .ofWorkUnit(workUnitId)
      .flatMap(({ stored: { aggregate, event } }) =>
        aggregate === 'scheduled-item' ? [event as ScheduledItemEvent] : [],
      )
      .flatMap((event) => (event.type === 'WorkUnitScheduled' ? [event] : []));
    expect(begun.filter((event) => event.taskId === taskId).map(({ model }) => model)).toEqual([undefined, 'm2', 'm2']);
  });

  it('fails a goal where the profile that would plan it orchestrates itself, and does not go round for ever', async () => {
    const { atWork, run, statusOf } = await open({ slices: [slice('a'), slice('b')] });
    await atWork.call('agent-profile.update', { profileId: 'planner', stage: 'Orchestrate' });
    const id = await run(agents);
    const { deadLetters, orchestrationDecisions } = atWork.records;
    await atWork.until(() => deadLetters.all().length > 0 || orchestrationDecisions.all().length > 20);
    expect(statusOf(id)).toBe('DeadLettered');
    expect(deadLetters.all().map(({ reason }) => reason)).toEqual([
      'the profile planner orchestrates, and so cannot do the work: give it another stage',
    ]);
  });

  it('plans, divides, reviews, brings together and lands', async () => {
    const { atWork, run, statusOf, file } = await open({
      slices: [slice('a', { fileScope: ['a.txt'] }), slice('b', { fileScope: ['b.txt'], dependsOn: ['a'] })],
      files: { 'do a': { 'a.txt': '2\n' }, 'do b': { 'b.txt': '2\n' } },
    });
    const id = await run(agents);
    await atWork.until(() => statusOf(id) === 'Merged');
    expect([await file('a.txt'), await file('b.txt')]).toEqual(['2\n', '2\n']);
    const { records } = atWork;
    expect(records.goals.get(id)?.status).toBe('Converged');
    const [a, b] = records.workUnits.where('parent', id);
    expect([a?.status, b?.status]).toEqual(['Merged', 'Merged']);
    expect(b?.dependsOn).toEqual([a?.workUnitId]);
    expect(records.proposals.all().map(({ status }) => status)).toEqual(['Superseded', 'Superseded', 'Merged']);
    expect(records.orchestrationDecisions.where('workUnit', id).map(({ action }) => action)).toEqual([
      ...['SpawnPlanner', 'SpawnWorker', 'AwaitReview', 'AwaitReview', 'Enqueue', 'ApplyMerge'],
    ]);
  });

  it('begins what needs work of another goal when that is done, and says so where that is cancelled', async () => {
    const { atWork, run, statusOf } = await open({
      files: { 'needs one': { 'a.txt': '2\n' }, 'needs nothing': { 'b.txt': '2\n' } },
    });
    const { call, records } = atWork;
    const made = async (goal: string, more: object = {}): Promise<string> =>
      ((await call('workunit.create', { goal, ...more })) as { workUnitId: string }).workUnitId;
    const [one, other] = [await made('one'), await made('other')];
    const id = await run(agents, ['needs nothing']);
    await atWork.until(() => statusOf(id) === 'Active');
    const part = await made('needs one', { parentWorkUnitId: id, dependsOn: [one], ...agents });
    const stuck = await made('needs the other', { parentWorkUnitId: id, dependsOn: [other] });
    await atWork.until(() => records.workUnits.where('parent', id).some(({ status }) => status === 'Merged'));
    await atWork.settled();
    expect([statusOf(part), statusOf(stuck)]).toEqual(['Created', 'Created']);
    await call('workunit.cancel', { workUnitId: other });
    await atWork.until(() => records.workUnits.get(stuck)?.fanOutInfo.blockedReason !== undefined);
    for (const status of ['Active', 'Completed']) await call('workunit.update', { workUnitId: one, status });
    await atWork.until(() => statusOf(part) === 'Merged');
  });

  it('lands what waited for checks of its forge as soon as the connection requires none, or is ended', async () => {
    const { atWork, run, statusOf } = await open({ files: { one: { 'a.txt': '2\n' }, two: { 'b.txt': '2\n' } } });
    const { call, change, records } = atWork;
    const { repositoryId } = records.repositories.all()[0]!;
    const connect = (more: object): Promise<unknown> =>
      change((open) => {
        const said = {
          kind: 'github',
          api: 'https://forge.test',
          project: 'ada/greet',
          base: 'main',
          ...more,
        } as const;
        const { hostId } = open;
        const settings = { ...said, tokenRef: 'github', mention: '@weft', remote: 'origin', publishes: false, hostId };
        open.run(forge, repositoryId, 'connect', { repositoryId, settings });
      });
    for (const [goal, letThrough] of [
      ['one', () => connect({})],
      ['two', () => call('forge.disconnect', { repositoryId })],
    ] as const) {
      await connect({ requiredChecks: ['test'] });
      const id = await run(agents, [goal]);
      const isApproved = () => records.proposals.where('workUnit', id).at(-1)?.status === 'Approved';
      await atWork.until(() => isApproved() && statusOf(id) === 'Reviewing');
      await atWork.settled();
      expect(statusOf(id)).toBe('Reviewing');
      await letThrough();
      await atWork.until(() => statusOf(id) === 'Merged');
    }
  });

  it('tries again what could not be written down, though nothing else happens', async () => {
    const wall = new ManualClock();
    let isFull = false;
    let id = '';
    const { atWork, run, statusOf } = await open(
      { slices: [slice('a')] },
      { wall, through: (room) => nowAndThenFull(room, () => isFull) },
    );
    const parts = (): readonly object[] => atWork.records.workUnits.where('parent', id);
    const hasFailed = () => atWork.log.some(({ message }) => message === 'a goal could not be gone on with');
    const isToBeDivided = () => statusOf(id) === 'Active' && openSlices(atWork.records, id).length > 0;
    const stop = atWork.ledger.feed.onEvent(() => (isFull ||= isToBeDivided()));
    id = await run(agents);
    while (!hasFailed()) await new Promise((resolve) => setImmediate(resolve));
    stop();
    isFull = false;
    const event = new Promise((resolve) => atWork.ledger.feed.onEvent(resolve));
    wall.pass(10_000);
    await event;
    expect(statusOf(id)).toBe('Active');
    expect(parts()).toHaveLength(1);
  });

  it('tries again what git could not do, tells people once meanwhile, and does it at once after a restart', async () => {
    const wall = new ManualClock();
    const disk = await nodeDisk(await tempFolder());
    let isKilled = true;
    const user: typeof disk.user = {
      ...disk.user,
      advance: (...given) =>
        isKilled ? Promise.reject(refusal('reject.git_failed', 'git was killed')) : disk.user.advance(...given),
    };
    const { atWork, run, statusOf, restart } = await open(
      { slices: [slice('a')], files: { 'do a': { 'a.txt': '2\n' } } },
      { wall, parts: { disk: { ...disk, user } } },
    );
    const failures = () => atWork.log.filter(({ message }) => message === 'what is due cannot be done');
    const told = async () => {
      const { items } = (await atWork.call('attention.list', {})) as { items: { kind: string; sentence: string }[] };
      return items.filter(({ kind }) => kind === 'held').map(({ sentence }) => sentence);
    };
    const [one, other] = [await run(agents), await run(agents)];
    const failed = async (times: number) => {
      while (failures().length < times) await new Promise((resolve) => setImmediate(resolve));
      await atWork.settled();
    };
    await failed(2);
    const all = Array(2).fill('All of it: what is due cannot be done, apply: git was killed') as string[];
    expect(await told()).toEqual(all);
    wall.pass(60_000);
    await failed(4);
    expect(await told()).toEqual(all);
    const decisions = atWork.records.orchestrationDecisions.where('workUnit', one);
    expect(decisions.filter(({ action }) => action === 'Escalate')).toHaveLength(1);
    isKilled = false;
    const again = await restart();
    await again.until(() => statusOf(one) === 'Merged' && statusOf(other) !== 'Reviewing');
  });

  it('asks a person once about the whole of what was divided, and about each part where a policy says so', async () => {
    let times = 2;
    const { atWork, statusOf, file } = await open({
      slices: [slice('a', { fileScope: ['a.txt'] }), slice('b', { fileScope: ['b.txt'] })],
      files: {
        get 'do a'() {
          return { 'a.txt': `${times}\n` };
        },
        get 'do b'() {
          return { 'b.txt': `${times}\n` };
        },
      },
    });
    const waiting = () => {
      const { proposals, workUnits } = atWork.records;
      return proposals.all().filter((one) => {
        const unit = workUnits.get(one.workUnitId ?? '');
        return unit && !isOver(unit.status) && personsTurn(unit, one) === 'review';
      });
    };
    const begin = async (more: object): Promise<string> => {
      const given = { goal: 'All of it', shape: 'planned', ...more };
      return ((await atWork.call('external-goal.run', given)) as { workUnitId: string }).workUnitId;
    };
    const id = await begin({});
    await atWork.until(() => waiting().length > 0);
    expect(waiting().map(({ workUnitId }) => workUnitId)).toEqual([id]);
    expect(await file('a.txt')).toBe('1\n');
    const [{ proposalId } = { proposalId: '' }] = waiting();
    await atWork.call('external-result.apply', { proposalId });
    await atWork.until(() => statusOf(id) === 'Merged');
    expect([await file('a.txt'), await file('b.txt')]).toEqual(['2\n', '2\n']);
    times = 3;
    const each = await begin({ reviewPolicy: 'HumanRequired' });
    await atWork.until(() => waiting().length === 2);
    expect(waiting().map(({ workUnitId = '' }) => atWork.records.workUnits.get(workUnitId)?.parentWorkUnitId)).toEqual([
      each,
      each,
    ]);
  });

  it('waits for a person where a person decides, and lands the parts that were approved', async () => {
    const { atWork, run, statusOf } = await open({
      slices: [slice('a')],
      files: { 'do a': { 'a.txt': '2\n' } },
    });
    const id = await run({});
    const ready = (status: string) => atWork.records.proposals.all().filter((one) => one.status === status);
    await atWork.until(() => ready('ReadyForReview').length === 1);
    await atWork.call('merge.review', { proposalId: ready('ReadyForReview')[0]!.proposalId, decision: 'Approved' });
    await atWork.until(() => statusOf(id) === 'Reviewing' && ready('ReadyForReview').length === 1);
    const { proposalId } = ready('ReadyForReview')[0]!;
    await atWork.call('merge.review', { proposalId, decision: 'Approved' });
    await atWork.call('merge.apply', { proposalId });
    await atWork.until(() => statusOf(id) === 'Merged');
  });

  it('gives people time to object where policies are hybrid, also over a restart', async () => {
    const wall = new ManualClock();
    const work = { slices: [slice('a')], files: { 'do a': { 'a.txt': '2\n' } } };
    const { atWork, run, restart, statusOf } = await open(work, { wall });
    const hybrid = { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'Hybrid' };
    const id = await run({ ...hybrid, workspaceReviewHybridTimeoutMinutes: 10 });
    const isApproved = ({ proposals }: AgentsAtWork['records']): boolean =>
      proposals.where('workUnit', id).at(-1)?.status === 'Approved';
    await atWork.until((records) => isApproved(records) && statusOf(id) === 'Reviewing');
    wall.pass(5 * 60_000);
    const later = await restart();
    wall.pass(4 * 60_000);
    await later.settled();
    expect(statusOf(id)).toBe('Reviewing');
    wall.pass(60_000);
    await later.until(() => statusOf(id) === 'Merged');
  });

  it('has rejected work done again, and sends it to people when it is rejected again and again', async () => {
    const { atWork, run } = await open({
      slices: [slice('a')],
      files: { 'do a': { 'a.txt': '2\n' } },
      review: () => 'Rejected',
    });
    const id = await run(agents);
    await atWork.until(({ deadLetters }) => deadLetters.all().length === 1);
    expect(atWork.records.deadLetters.all()).toMatchObject([{ kind: 'ReviewRejected' }]);
    const [part] = atWork.records.workUnits.where('parent', id);
    expect(part).toMatchObject({ status: 'DeadLettered', executionInfo: { automatedReviewRejectionCount: 3 } });
    expect(atWork.records.proposals.where('workUnit', part!.workUnitId)).toHaveLength(3);
  });

  it('has a part that failed planned anew, and brings together what came of both plans', async () => {
    const { atWork, run, statusOf, file } = await open({
      get slices() {
        return isPlannedAnew
          ? [slice('c', { fileScope: ['b.txt'] }), slice('d', { fileScope: ['d.txt'] })]
          : [slice('a', { fileScope: ['a.txt'] }), slice('b', { fileScope: ['b.txt', 'd.txt'] })];
      },
      files: {
        'do a': { 'a.txt': '2\n' },
        'do b': { 'b.txt': '2\n' },
        'do c': { 'b.txt': '2\n' },
        'do d': { 'd.txt': '2\n' },
      },
      review: ({ goal }) => (goal === 'do b' && !isPlannedAnew ? 'Rejected' : 'Approved'),
    });
    let isPlannedAnew = false;
    const id = await run(agents);
    await atWork.until(({ deadLetters }) => deadLetters.all().length === 1);
    isPlannedAnew = true;
    const recovered = await atWork.call('external-goal.recover', { goalId: id, action: 'replan' });
    expect(recovered).toMatchObject({ outcome: 'Replanned' });
    await atWork.until(() => statusOf(id) === 'Merged');
    expect([await file('a.txt'), await file('b.txt')]).toEqual(['2\n', '2\n']);
    const [failed, again] = atWork.records.workUnits.where('parent', id).filter(({ goal }) => goal === 'do b');
    expect([failed?.status, again?.status]).toEqual(['Cancelled', 'Merged']);
    expect(atWork.records.workUnits.where('parent', again!.workUnitId)).toHaveLength(2);
  });

  it('has a part done again that does not work where the parts come together', async () => {
    const { records, part } = await repaired({ postMergeExecutionMode: 'Blocking' });
    expect(records.artifacts.where('owner', part.workUnitId)).toMatchObject([
      { type: 'RevisionContext', title: expect.stringContaining('was taken back') as string },
    ]);
    expect(part.executionInfo.automatedReviewRejectionCount).toBe(1);
  });

  it('has nothing reviewed that does not work, and the agent goes on with what it is told', async () => {
    const { offered } = await repaired({ requireTestBeforeProposal: true });
    // One agent, in one go.
    expect(new Set(offered.map(({ agentId }) => agentId)).size).toBe(1);
  });

  it('asks people what to do with parts that work each, and not together', async () => {
    const both = npmProject({ test: '! { grep -q 2 a.txt && grep -q 2 b.txt; }' });
    const { atWork, run, statusOf } = await open(
      {
        slices: [slice('a', { fileScope: ['a.txt'] }), slice('b', { fileScope: ['b.txt'] })],
        files: { 'do a': { 'a.txt': '2\n' }, 'do b': { 'b.txt': '2\n' } },
      },
      { there: { 'package.json': both } },
    );
    await atWork.call('option.change', { requireTestBeforeProposal: true });
    const id = await run(agents);
    await atWork.until(() => statusOf(id) === 'DeadLettered');
    expect(atWork.records.deadLetters.all()).toMatchObject([
      { workUnitId: id, kind: 'ReviewRejected', reason: expect.stringContaining('the test has failed') as string },
    ]);
    expect(atWork.records.workUnits.where('parent', id).map(({ status }) => status)).toEqual(['Merged', 'Merged']);
  });
});
