/** What else callers say: each call has what was asked for, and not what would have come without it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reject } from '../rules/proposals/review.js';
import { toDeadLetter } from '../rules/queue/dead-letters.js';
import { leaseNext, lease } from '../rules/queue/queue.js';
import { askForFile } from '../rules/queue/file-leases.js';
import { recordRead, recordSearch } from '../rules/queue/usage.js';
import { Answers } from '../testing/doors/answers.js';
import { git, gitRepository } from '../testing/git/git-repository.js';
import { tempFolder } from '../testing/temp-folder.js';
import { openTestFront } from '../testing/doors/test-front.js';

interface Unit {
  readonly workUnitId: string;
  readonly branchId: string;
}

async function world() {
  const asked: string[] = [];
  const opened = await openTestFront(undefined, {
    documents: {
      get: (url: string | URL) => {
        asked.push(String(url));
        return Promise.resolve({
          status: 200,
          contentType: 'text/plain',
          bytes: Buffer.from('how to'),
          truncated: false,
        });
      },
    },
  });
  const answers = new Answers(opened);
  const of: Answers['of'] = (id, input) => answers.of(id, input);
  const base = await tempFolder();
  const path = join(base, 'user');
  await gitRepository(path, { 'a.ts': 'export const one = 1;\n' });
  const { repositoryId } = await of('repository.register', { path });
  const unit = (more: object = {}) => of<Unit>('workunit.create', { goal: 'g', repositoryId, ...more });
  const write = ({ branchId }: Unit, content: string) =>
    of('branch.resyncFiles', { branchId, files: [{ path: 'a.ts', content }] });
  const approved = async (made: Unit, content: string, targetBranch = 'main') => {
    await write(made, content);
    const given = { sourceBranch: '-', targetBranch, summary: 's', workUnitId: made.workUnitId };
    const { proposalId } = await of('merge.propose', given);
    await of('merge.review', { proposalId, decision: 'Approved' });
    return proposalId!;
  };
  const failed = async (kind: 'Exception' | 'MaxIterationsExceeded' = 'Exception') => {
    const made = await unit();
    const { workUnitId } = made;
    await of('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    const entryId = await opened.ledger.change('host', (change) => {
      const mayTake = (one: { workUnitId: string }) => one.workUnitId === workUnitId;
      leaseNext(change, opened.records, { agentId: 'a', most: 99, hasKey: () => true, mayTake });
      return toDeadLetter(change, opened.records, { workUnitId, kind, reason: 'no luck' }).entryId;
    });
    return { entryId, workUnitId };
  };
  return { ...opened, asked, answers, of, base, path, repositoryId: repositoryId!, unit, write, approved, failed };
}

const count = (list: unknown): number => (list as readonly unknown[]).length;

describe('lists are of what is named:', () => {
  it('failures, decisions and dependents of one work unit', async () => {
    const { of, failed, unit, approved } = await world();
    const [one, other] = [await failed(), await failed()];
    for (const id of ['dead-letter.byWorkUnit', 'dead-letter.history']) {
      const shown = JSON.stringify(await of(id, { workUnitId: one.workUnitId }));
      expect([shown.includes(one.entryId), shown.includes(other.entryId)]).toEqual([true, false]);
    }
    const proposalId = await approved(await unit(), '1\n');
    await of('decision.record', { proposalId, outcome: 'Deferred' });
    const { workUnitId } = await unit();
    const named = JSON.stringify(await of('decision.list', { workUnitId }));
    const all = JSON.stringify(await of('decision.list', {}));
    expect([named.includes(proposalId), all.includes(proposalId)]).toEqual([false, true]);
    const root = await unit();
    const part = { parentWorkUnitId: root.workUnitId };
    const first = await unit(part);
    await unit({ ...part, dependsOn: [first.workUnitId] });
    expect(count(await of('workunit.dependents', { workUnitId: first.workUnitId }))).toBe(1);
  });

  it('proposals of a branch or a session, and what is known by words', async () => {
    const { of, unit, write, approved } = await world();
    const [one, other] = [await unit(), await unit()];
    const { sessionId } = await of('session.start', { rootWorkUnitId: other.workUnitId, profileIds: ['worker'] });
    await approved(one, '1\n');
    await write(other, '2\n');
    const { workUnitId: workOf } = other;
    await of('merge.propose', { sourceBranch: '-', targetBranch: 'main', summary: 's', workUnitId: workOf, sessionId });
    expect(count(await of('merge.list', {}))).toBe(2);
    expect(count(await of('merge.list', { sourceBranch: one.branchId }))).toBe(1);
    expect(count(await of('merge.list', { sessionId }))).toBe(1);
    for (const title of ['apple', 'pear'])
      await of('artifact.record', { workUnitId: one.workUnitId, type: 'Research', title, body: 'b' });
    const { workUnitId } = one;
    const found = JSON.stringify(await of('artifact.query', { workUnitId, type: 'Research', keywords: 'apple' }));
    expect([found.includes('apple'), found.includes('pear')]).toEqual([true, false]);
  });

  it('what happened since, and until', async () => {
    const { of, unit } = await world();
    const { workUnitId } = await unit();
    const { sessionId } = await of('session.start', { rootWorkUnitId: workUnitId, profileIds: ['worker'] });
    expect(count(await of('event.ofSession', { sessionId }))).toBeGreaterThan(0);
    expect(count(await of('event.ofSession', { sessionId, since: '2999-01-01T00:00:00Z' }))).toBe(0);
    const view = { projectionType: 'TrajectoryTimeline', workUnitId };
    await of('trajectory.create', { workUnitId, phase: 'Executing' });
    const all = JSON.stringify(await of('projection.get', view));
    expect(JSON.stringify(await of('projection.get', { ...view, since: '2999-01-01T00:00:00Z' }))).not.toBe(all);
    expect(JSON.stringify(await of('projection.get', { ...view, until: '2001-01-01T00:00:00Z' }))).not.toBe(all);
  });

  it('as many as are wanted, from where they are wanted', async () => {
    const { of, unit, approved, write, repositoryId } = await world();
    const made = await unit();
    const files = ['one.txt', 'two.txt', 'three.txt'].map((path) => ({ path, content: 'a needle\nmore\n' }));
    await of('branch.resyncFiles', { branchId: made.branchId, files });
    const proposalId = await approved(made, '1\n');
    const status = async (input: object) =>
      (await of<{ changedFiles: { path: string }[] }>('workspace.status', input)).changedFiles.map(({ path }) => path);
    const all = await status({});
    expect(all).toHaveLength(4);
    expect(await status({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await status({ offset: 1, limit: 2 })).toEqual(all.slice(1, 3));
    const read = (input: object) =>
      of<{ content: string }>('workspace.read', { branchId: made.branchId, path: 'one.txt', ...input });
    expect(await Promise.all([{ limit: 1 }, { offset: 2 }].map(async (input) => (await read(input)).content))).toEqual([
      'a needle\n',
      'more\n',
    ]);
    await of('merge.apply', { proposalId });
    const hits = async (input: object) =>
      (
        await of<{ matches: { path: string }[] }>('repository.blobSearch', { repositoryId, query: 'needle', ...input })
      ).matches.map(({ path }) => path);
    expect(await hits({})).toHaveLength(3);
    expect(await hits({ maxResults: 2 })).toHaveLength(2);
    expect(await hits({ scope: 'two.txt' })).toEqual(['two.txt']);
    for (const mode of ['DryRun', 'MarkOnly']) await of('cache.collect', { mode });
    expect(await of('cache.collected', { limit: 1 })).toMatchObject({ count: 1, runs: [{ mode: 'MarkOnly' }] });
    // Files that changed together, and how surely.
    const pair = (content: string) => ['a.ts', 'b.ts'].map((path) => ({ path, content }));
    for (const content of ['2\n', '3\n']) {
      const { branchId, workUnitId } = await unit();
      await of('branch.resyncFiles', { branchId, files: pair(content) });
      await of('merge.propose', { sourceBranch: '-', targetBranch: 'main', summary: 's', workUnitId });
    }
    const third = await unit();
    await write(third, '4\n');
    await of('merge.propose', { sourceBranch: '-', targetBranch: 'main', summary: 's', workUnitId: third.workUnitId });
    const pairs = async (minConfidence: number) =>
      (await of<{ patterns: object[] }>('co-modification.list', { minConfidence })).patterns.length;
    expect([await pairs(0.4), await pairs(0.9)]).toEqual([1, 0]);
  });

  it('what an agent did, how it stands, and what happened in a session', async () => {
    const { of, answers, unit } = await world();
    const [one, other] = [await unit(), await unit({ goal: 'other' })];
    const { sessionId } = await of('session.start', { rootWorkUnitId: one.workUnitId, profileIds: ['worker'] });
    const agents: string[] = [];
    for (const { workUnitId } of [one, other])
      agents.push((await of('agent.spawn', { agentType: 'worker', workUnitId }))['agentId']!);
    const [first = '', second = ''] = agents;
    for (const id of agents) await of('agent.pause', { agentId: id });
    const done = (limit?: number) =>
      of<{ events: object[] }>('participant.events', { id: first, ...(limit && { limit }) });
    const whole = (await done()).events;
    expect(whole.length).toBeGreaterThan(1);
    expect((await done(1)).events).toEqual(whole.slice(-1));
    const compared = { otherAgentId: second, workUnitId: one.workUnitId };
    expect(await of('snapshot.compare', { agentId: first, ...compared })).toMatchObject({
      snapshot: { agentId: first },
    });
    expect(await of('snapshot.compare', { agentId: second, otherAgentId: first })).toMatchObject({
      workUnitId: other.workUnitId,
      snapshot: { agentId: second, currentGoal: 'other' },
    });
    const followed = await of<{ workUnitId: string }[]>('event.follow', { after: 0, sessionId });
    expect(new Set(followed.map(({ workUnitId }) => workUnitId))).toEqual(new Set([one.workUnitId]));
    // Only a session that the work is a part of, and that there is.
    const question = { workUnitId: one.workUnitId, question: 'q' };
    await of('clarification.request', { ...question, sessionId });
    await expect(
      answers.refused('clarification.request', { ...question, workUnitId: other.workUnitId, sessionId }),
    ).resolves.toBe('reject.session_not_found');
  });

  it('proposals of one model for what was tried in place of others', async () => {
    const { of, answers, unit, approved, write } = await world();
    const made = await unit();
    const proposalId = await approved(made, '1\n');
    const { sessionId } = await of('session.start', { rootWorkUnitId: made.workUnitId, profileIds: ['worker'] });
    const tried = { proposalId, newProfileId: 'worker' };
    for (const model of ['model-1', 'model-2']) {
      const again = await of<Unit>('counterfactual.create', { ...tried, sessionId });
      await write(again, `${model}\n`);
      const offer = { sourceBranch: '-', targetBranch: 'main', summary: 's', workUnitId: again.workUnitId };
      await of('merge.propose', { ...offer, model });
      expect(await of('hypothesis.list')).toMatchObject({
        hypotheses: expect.arrayContaining([
          expect.objectContaining({ workUnitId: again.workUnitId, sessionId }),
        ]) as object,
      });
    }
    const replayed = async (compareModel?: string) =>
      (
        await of<{ proposals: { model?: string }[] }>('model.replay', {
          workUnitId: made.workUnitId,
          ...(compareModel && { compareModel }),
        })
      ).proposals.map(({ model }) => model);
    expect(await replayed()).toEqual([undefined, 'model-1', 'model-2']);
    expect(await replayed('model-2')).toEqual([undefined, 'model-2']);
    const forks = [{ profileId: 'worker' }, { profileId: 'reviewer' }];
    const experiment = { goal: 'g', owner: 'ann', forkType: 'Model', forks };
    for (const [id, input] of [
      ['counterfactual.create', tried],
      ['experiment.create', experiment],
    ] as const)
      await expect(answers.refused(id, { ...input, sessionId: 'none' })).resolves.toBe('reject.session_not_found');
  });

  it('what is used most, and lately', async () => {
    const { of, unit, ledger, records } = await world();
    const root = await unit();
    const parts = [
      await unit({ parentWorkUnitId: root.workUnitId }),
      await unit({ parentWorkUnitId: root.workUnitId }),
    ];
    for (const { workUnitId } of parts) await of('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    const [holder, waiting] = parts.map(({ workUnitId }) => workUnitId);
    await ledger.change('host', (change) => {
      lease(change, holder!, 'a');
      for (const path of ['a.ts', 'b.ts']) {
        askForFile(change, records, holder!, path);
        askForFile(change, records, waiting!, path);
      }
      recordRead(change, holder!, ['a.ts', 'b.ts']);
      const search = { query: 'one', matchedPaths: ['a.ts'], matchCount: 1, truncated: false };
      recordSearch(change, { ...search, workUnitId: holder! });
    });
    // What was recorded in the time of tests is long ago.
    for (const id of ['usage-metric.fileHits', 'usage-metric.leaseContention'])
      expect([id, await of(id, { sinceHours: 1 })]).toEqual([id, []]);
    const searches = async (input: object) =>
      (await of<{ searchCount: number }>('usage-metric.searchActivity', input)).searchCount;
    expect(
      await Promise.all([{}, { sinceHours: 1 }, { workUnitId: holder }, { workUnitId: waiting }].map(searches)),
    ).toEqual([1, 0, 1, 0]);
    for (const id of ['usage-metric.fileHits', 'usage-metric.leaseContention']) {
      const all = JSON.stringify(await of(id, { topN: 10 }));
      expect([id, JSON.stringify(await of(id, { topN: 1 }))]).not.toEqual([id, all]);
    }
  });
});

describe('what is done is what was said:', () => {
  it('a failed goal is taken up again in the way that is named, with what a person says', async () => {
    const { of, failed, records, ledger, answers } = await world();
    const one = await failed();
    const input = { goalId: one.workUnitId, action: 'retry_with_context', steeringContext: 'context-said' };
    await of('external-goal.recover', input);
    expect(records.workUnits.get(one.workUnitId)?.goal).toContain('context-said');
    const two = await failed();
    const replanned = await of('external-goal.recover', { goalId: two.workUnitId, action: 'replan' });
    expect(records.workUnits.get(two.workUnitId)?.status).toBe('Cancelled');
    expect(replanned).toBeDefined();
    await expect(
      answers.refused('external-goal.recover', { goalId: 'wu-none', action: 'retry' }),
    ).resolves.toBeDefined();
    const three = await failed();
    await of('dead-letter.retryWithContext', { entryId: three.entryId, steeringContext: 'context-2' });
    expect(records.workUnits.get(three.workUnitId)?.goal).toContain('context-2');
    const { workUnitId } = await failed();
    await of('workunit.cancel', { workUnitId });
    await of('external-goal.requeue', { goalId: workUnitId, notes: 'notes-said' });
    expect(JSON.stringify(ledger.feed.after(0))).toContain('notes-said');
  });

  it('repositories are made, cloned, written to and searched as named', async () => {
    const { of, base, repositoryId, unit, shared } = await world();
    const made = await of('repository.create', { path: join(base, 'made'), label: 'label-said' });
    expect(JSON.stringify(made)).toContain('label-said');
    expect(JSON.stringify(made)).toContain(join(base, 'made'));
    const theirs = join(base, 'theirs');
    await gitRepository(theirs, { 'z.ts': 'z\n' });
    await git(theirs, 'branch', 'other');
    await of('repository.clone', { url: theirs, targetPath: join(base, 'clone'), branch: 'other' });
    expect(await git(join(base, 'clone'), 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('other');
    const { workUnitId, branchId } = await unit();
    const written = { repositoryId, path: 'blob.ts', content: 'content-said\n', reason: 'reason-said', workUnitId };
    await of('repository.blobWrite', written);
    expect(JSON.stringify(await of('workspace.read', { branchId, path: 'blob.ts' }))).toContain('content-said');
    const [store = ''] = await readdir(join(shared.disk.folder, 'git'));
    const log = await git(join(shared.disk.folder, 'git', store), 'log', '--all', '--format=%B');
    expect(log).toContain('reason-said');
  });

  it('a document is fetched from where it is, for the reason that was said', async () => {
    const { of, unit, asked, records } = await world();
    await of('option.change', { docFetchTools: true, docFetchAllowedDomains: ['docs.example.test'] });
    const { workUnitId } = await unit();
    const url = 'https://docs.example.test/said';
    await of('document.fetch', { url, reason: 'reason-said', workUnitId });
    expect(asked).toEqual([url]);
    expect(JSON.stringify(records.externalDocs.all())).toContain('reason-said');
  });

  it('work begins where it is said, by whom it is said', async () => {
    const { of, unit, write, repositoryId, records, approved, ledger } = await world();
    await of('branch.create', { name: 'begun', repositoryId });
    await write({ workUnitId: '', branchId: 'begun' }, 'begun\n');
    await of('branch.create', { name: 'again', fromBranch: 'begun', repositoryId });
    const seeded = await unit({ seedFromBranchId: 'begun' });
    for (const branchId of ['again', seeded.branchId])
      expect(await of('workspace.read', { branchId, path: 'a.ts' })).toMatchObject({ content: 'begun\n' });
    const { stateId } = await of('state.markKnownGood', { branchId: 'begun', description: 'd', repositoryId });
    await write({ workUnitId: '', branchId: 'begun' }, 'worse\n');
    await of('state.checkoutKnownGood', { knownGoodStateId: stateId });
    expect(await of('workspace.read', { branchId: 'begun', path: 'a.ts' })).toMatchObject({ content: 'begun\n' });
    const made = await unit();
    const { agentId } = await of('agent.spawn', { agentType: 'worker', workUnitId: made.workUnitId });
    const turned = { workUnitId: made.workUnitId, agentId, injectedConstraint: 'so', profileId: 'reconciler' };
    const { newWorkUnitId } = await of('steering.redirect', turned);
    expect(records.scheduledItems.get(newWorkUnitId!)?.profileId).toBe('reconciler');
    // What a retry does with the files of work that was rejected.
    for (const [restartMode, content] of [
      ['Revise', 'mine\n'],
      ['Revert', 'export const one = 1;\n'],
    ]) {
      const work = await unit();
      await write(work, 'mine\n');
      const offer = { sourceBranch: '-', targetBranch: 'main', summary: 's', workUnitId: work.workUnitId };
      const { proposalId } = await of('merge.propose', offer);
      await ledger.change('host', (change) =>
        reject(change, records, proposalId!, {
          by: 'ann',
          automated: false,
          notes: 'no',
          consideredArtifactIds: [],
          restartMode: 'Revise',
        }),
      );
      await of('merge.retry', { proposalId, restartMode });
      expect(await of('workspace.read', { branchId: work.branchId, path: 'a.ts' })).toMatchObject({ content });
    }
    void approved;
  });

  it('what the options say', async () => {
    const { of, answers, unit, write } = await world();
    const made = await unit();
    const asked = { workUnitId: made.workUnitId, question: 'q', timeoutSeconds: 60 };
    const behaviour = async () => {
      const { requestId } = await of('clarification.request', asked);
      const all = await of<{ requestId: string; timeoutBehavior?: string }[]>('clarification.list');
      return all.find((one) => one.requestId === requestId)?.timeoutBehavior;
    };
    expect(await behaviour()).toBe('auto_continue');
    await of('option.change', { defaultClarificationTimeoutBehavior: 'auto_abandon' });
    expect(await behaviour()).toBe('auto_abandon');
    const [offer, other] = await Promise.all(
      [await unit(), await unit()].map(({ workUnitId }) => ({
        sourceBranch: '-',
        targetBranch: 'main',
        summary: 's',
        workUnitId,
      })),
    );
    await expect(answers.refused('merge.propose', offer!)).resolves.toBe('reject.nothing_changed');
    await of('option.change', { enforceExpectedOutputKind: true });
    expect(await of('merge.propose', other)).toMatchObject({ status: 'Rejected' });
    await write(made, '1\n');
    const slow = { branchId: made.branchId, buildCommand: 'sleep 60' };
    const stopped = { builds: [{ exitCode: 124 }] };
    expect(await of('workspace.build', { ...slow, timeoutSeconds: 1 })).toMatchObject(stopped);
    await of('option.change', { executionTimeoutSeconds: 1 });
    expect(await of('workspace.build', slow)).toMatchObject(stopped);
  });

  it('a domain that is not allowed, or that is denied, is not asked', async () => {
    const { of, unit, asked, answers } = await world();
    const { workUnitId } = await unit();
    const given = { url: 'https://docs.example.test/', reason: 'r', workUnitId };
    await of('option.change', { docFetchTools: true, docFetchAllowedDomains: ['other.example.test'] });
    await expect(answers.refused('document.fetch', given)).resolves.toMatch(/^reject\./);
    await of('option.change', {
      docFetchAllowedDomains: ['docs.example.test'],
      docFetchDeniedDomains: ['docs.example.test'],
    });
    await expect(answers.refused('document.fetch', given)).resolves.toMatch(/^reject\./);
    expect(asked).toEqual([]);
  });

  it('results are those of the goal that is named, and land when they are', async () => {
    const { of, unit, approved } = await world();
    const made = await unit();
    const proposalId = await approved(made, '1\n');
    await of('external-result.apply', { proposalId });
    expect(await of('merge.get', { proposalId })).toMatchObject({ status: 'Merged' });
    const result = await of('external-result.get', { goalId: made.workUnitId });
    expect(JSON.stringify(result)).toContain(proposalId);
  });

  it('a materialized unit is built, tested and linted by what was said', async () => {
    const { of, unit, write } = await world();
    const made = await unit();
    await write(made, '1\n');
    const ran = async (input: object) =>
      JSON.stringify(await of('materialization.verify', { workUnitId: made.workUnitId, ...input }));
    const commands = {
      buildCommand: 'echo b-said',
      testCommand: 'echo t-said',
      lintCommand: 'echo a.ts:1:1: error l-said; exit 1',
    };
    const all = await ran({ ...commands, build: true, test: true, lint: true });
    for (const word of ['b-said', 't-said', 'l-said']) expect(all).toContain(word);
    expect(await ran({ ...commands, build: false, test: true, lint: true })).not.toContain('b-said');
    expect(await ran({ ...commands, build: true, test: false, lint: true })).not.toContain('t-said');
    expect(await ran({ ...commands, build: true, test: true, lint: false })).not.toContain('l-said');
  });
});
