/** What is shown of records that were folded from a few events. */
import { describe, expect, it } from 'vitest';
import type { Streams } from '../ledger/collection.js';
import { storedEvent } from '../ledger/stream.js';
import { profileOf, proposalOf, requireGoal, unitOf } from './by-id.js';
import { mostFrequent } from './counted.js';
import { executionsOf } from './executions.js';
import { progressOf } from './progress.js';
import { proposalsOf } from './proposals.js';
import { createRecords } from './records.js';

/** Tells an event, which is folded. */
function tell(view: Streams, id: string, said: object, at = '2026'): void {
  const key = `studio/${view.aggregate.name}/${id}/${view.version(id)}`;
  expect(view.fold(storedEvent(key, { v: 1, ...said, meta: { at, by: 'ann' } })!)).toBe('folded');
}

describe('what is looked up by its id', () => {
  it('is there, or is named in the refusal', () => {
    const records = createRecords();
    tell(records.goals, 'wu-1', {
      type: 'GoalCreated',
      goalId: 'wu-1',
      workUnitId: 'wu-1',
      goal: 'g',
      branchId: 'b',
      owner: 'ann',
    });
    expect(requireGoal(records, 'wu-1').goal).toBe('g');
    expect(profileOf(records, 'worker').stage).toBe('Execute');
    for (const [ask, reason, data] of [
      [() => requireGoal(records, 'x'), 'reject.goal_not_found', { goalId: 'x' }],
      [() => unitOf(records, 'x'), 'reject.workunit_not_found', { workUnitId: 'x' }],
      [() => proposalOf(records, 'x'), 'reject.proposal_not_found', { proposalId: 'x' }],
      [() => profileOf(records, 'x'), 'reject.profile_not_found', { profileId: 'x' }],
    ] as const)
      expect(ask).toThrow(expect.objectContaining({ reason, data }));
  });
});

describe('what is counted by name', () => {
  it('is the most frequent since then, and of equal ones the first by name', () => {
    const events = [
      { at: '2', name: 'b' },
      { at: '2', name: 'c' },
      { at: '3', name: 'a' },
      { at: '3', name: 'c' },
      { at: '1', name: 'old' },
    ];
    const counted = [
      { name: 'c', count: 2 },
      { name: 'a', count: 1 },
      { name: 'b', count: 1 },
    ];
    expect(mostFrequent(events, '2', 9)).toEqual(counted);
    expect(mostFrequent(events, '2', 2)).toEqual(counted.slice(0, 2));
  });
});

describe('progress', () => {
  it('is tasks, agents with the models that they were scheduled with, open failures and states to go back to', () => {
    const records = createRecords();
    const failed = (entryId: string) => ({
      type: 'WorkUnitFailed',
      entryId,
      workUnitId: 'wu-1',
      kind: 'Exception',
      failureReason: 'r',
      profileId: 'worker',
      attemptCount: 1,
      maxAttemptsReached: false,
    });
    const agent = (agentId: string, workUnitId: string) => ({
      type: 'AgentSpawned',
      agentId,
      agentType: 'worker',
      workUnitId,
      profileId: 'worker',
    });
    tell(records.tasks, 't', {
      type: 'TaskCreated',
      taskId: 't',
      workUnitId: 'wu-1',
      title: 'do',
      description: 'd',
      priority: 0,
    });
    tell(records.agents, 'a', agent('a', 'wu-1'));
    tell(records.agents, 'b', agent('b', 'wu-2'));
    tell(records.scheduledItems, 'wu-1', {
      type: 'WorkUnitScheduled',
      workUnitId: 'wu-1',
      profileId: 'worker',
      provider: 'p',
      model: 'm',
      attemptCount: 0,
    });
    tell(records.deadLetters, 'one', failed('one'));
    tell(records.deadLetters, 'two', failed('two'));
    tell(records.deadLetters, 'one', {
      type: 'DeadLetterResolved',
      entryId: 'one',
      workUnitId: 'wu-1',
      resolution: 'Retried',
    });
    tell(records.knownGoods, 's', {
      type: 'KnownGoodStateMarked',
      stateId: 's',
      branchId: 'main',
      repositoryId: 'r',
      commit: 'a'.repeat(40),
      description: 'd',
      createdBy: 'ann',
    });
    const { tasks, agents, failures, knownGood } = progressOf(records);
    expect(tasks).toEqual([{ taskId: 't', workUnitId: 'wu-1', title: 'do', status: 'Open', assignee: undefined }]);
    expect(agents).toEqual([
      { agentId: 'a', workUnitId: 'wu-1', status: 'active', model: 'm', provider: 'p' },
      { agentId: 'b', workUnitId: 'wu-2', status: 'active', model: undefined, provider: undefined },
    ]);
    expect(failures).toEqual([
      { entryId: 'two', workUnitId: 'wu-1', kind: 'Exception', reason: 'r', occurredAt: '2026' },
    ]);
    expect(knownGood).toEqual([{ stateId: 's', branchId: 'main' }]);
  });
});

describe('an execution', () => {
  const step = (kind: string, exitCode: number, more: object = {}) => ({
    type: 'ExecutionStepEnded',
    resultId: 'x',
    step: {
      kind,
      projectRoot: '.',
      command: kind.toLowerCase(),
      exitCode,
      stdOut: '',
      stdErr: '',
      truncated: false,
      startedAt: '2026',
      ...more,
    },
  });
  const started = { type: 'ExecutionStarted', v: 2, branchId: 'main', repositoryId: 'r', commit: 'c', hostId: 'h' };

  it('is shown by what it has built, tested and checked, as soon as it has ended', () => {
    const records = createRecords();
    const { executions } = records;
    const { latest } = executionsOf(records);
    tell(executions, 'x', { ...started, resultId: 'x' });
    tell(executions, 'x', step('Build', 0, { buildSystem: 'make' }));
    tell(executions, 'x', step('Test', 1, { counts: { totalTests: 3, passed: 1, failed: 1, skipped: 1 } }));
    tell(executions, 'x', step('Test', 0));
    tell(executions, 'x', step('Lint', 0));
    expect(latest('main')).toBeUndefined();
    tell(executions, 'x', { type: 'ExecutionEnded', resultId: 'x' });
    tell(executions, 'y', { ...started, resultId: 'y' });
    expect(latest('other')).toBeUndefined();
    expect(latest('main')).toEqual({
      resultId: 'x',
      branchId: 'main',
      commit: 'c',
      executedAt: '2026',
      allSucceeded: false,
      builds: [{ success: true, exitCode: 0, buildSystem: 'make', command: 'build' }],
      tests: [
        { success: false, exitCode: 1, totalTests: 3, passed: 1, failed: 1, skipped: 1, command: 'test' },
        { success: true, exitCode: 0, totalTests: 0, passed: 0, failed: 0, skipped: 0, command: 'test' },
      ],
      checks: [{ success: true, exitCode: 0, complaints: 0, command: 'lint' }],
    });
  });
});

describe('merge proposals', () => {
  it('are shown by their ids, all together, and by the work that they are of', () => {
    const records = createRecords();
    const commit = 'a'.repeat(40);
    for (const [proposalId, workUnitId] of [
      ['MP-1', 'wu-1'],
      ['MP-2', 'wu-2'],
    ] as const)
      tell(records.proposals, proposalId, {
        type: 'MergeProposed',
        proposalId,
        workUnitId,
        sourceBranch: 's',
        targetBranch: 't',
        repositoryId: 'r',
        goal: 'g',
        summary: 's',
        changeDescription: 'd',
        filesTouched: [],
        reconciledFrom: [],
        baseCommit: commit,
        headCommit: commit,
      });
    const proposals = proposalsOf(records);
    expect(proposals.get('MP-2')).toBe(proposalOf(records, 'MP-2'));
    expect(proposals.all().map(({ proposalId }) => proposalId)).toEqual(['MP-1', 'MP-2']);
    expect(proposals.ofUnit('wu-2').map(({ proposalId }) => proposalId)).toEqual(['MP-2']);
  });
});

describe('what is kept beside states', () => {
  it('goes with the stream that it is of', () => {
    const { usages, fileLeases } = createRecords();
    for (const id of ['wu-1', 'wu-2']) {
      tell(usages, id, { type: 'WorkspaceReadExecuted', workUnitId: id, paths: ['a', 'b'] });
      tell(usages, id, {
        type: 'WorkspaceSearchExecuted',
        workUnitId: id,
        query: 'q',
        matchedPaths: [],
        matchCount: 2,
        truncated: true,
      });
      const lease = { goalId: id, path: 'a' };
      tell(fileLeases, id, { type: 'FileLeaseAcquired', ...lease, workUnitId: 'wu-1' });
      tell(fileLeases, id, {
        type: 'FileLeaseContended',
        ...lease,
        requestingWorkUnitId: 'wu-2',
        holderWorkUnitId: 'wu-1',
      });
    }
    const kept = () => [
      usages.reads.map(({ workUnitId, name }) => `${workUnitId} ${name}`),
      usages.searches.map(({ workUnitId, matchCount, truncated }) => [workUnitId, matchCount, truncated]),
      fileLeases.contentions.map(({ at, name, workUnitId }) => [at, name, workUnitId]),
    ];
    const contention = ['2026', 'a', 'wu-2'];
    expect(kept()).toEqual([
      ['wu-1 a', 'wu-1 b', 'wu-2 a', 'wu-2 b'],
      [
        ['wu-1', 2, true],
        ['wu-2', 2, true],
      ],
      [contention, contention],
    ]);
    for (const view of [usages, fileLeases]) view.forget('wu-1');
    expect(kept()).toEqual([['wu-2 a', 'wu-2 b'], [['wu-2', 2, true]], [contention]]);
  });
});
