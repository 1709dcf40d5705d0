/**
 * Every operation of the table answers, over a record in which something is known, and what it answers is what it declares.
 *
 * What only reads is asked by itself, with what is known by the names of its fields. For anything else, what answers is written
 * here. A new operation that has not answered is named at the end.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import type { FailureKind } from '../record/aggregates/dead-letter/dead-letter.js';
import { orchestrationDecision } from '../record/aggregates/orchestration-decision/orchestration-decision.js';
import { toDeadLetter } from '../rules/queue/dead-letters.js';
import { Transfers } from '../rules/branches/transfers.js';
import { askForFile } from '../rules/queue/file-leases.js';
import { interrupt, lease, leaseNext } from '../rules/queue/queue.js';
import { recordRead } from '../rules/queue/usage.js';
import type { ForgeDesk } from '../operations/kernel/forge-desk.js';
import type { OperationParts } from '../operations/kernel/context.js';
import { operationTable } from '../operations/table.js';
import { Answers } from '../testing/doors/answers.js';
import { git, gitRepository } from '../testing/git/git-repository.js';
import { npmProject } from '../testing/git/npm-project.js';
import { recordDigest } from '../testing/record/record-digest.js';
import { openTestFront } from '../testing/doors/test-front.js';
import { openTestLedger } from '../testing/record/test-ledger.js';
import { NO_ABILITIES } from '../models/executor.js';
import { toolServerCommand } from '../testing/doors/tool-server.js';
import { proposeMemory } from '../rules/knowledge/memories.js';
import { boundTools } from './tools/tools.js';

interface Unit {
  readonly workUnitId: string;
  readonly branchId: string;
}

const PROJECT = npmProject({ build: 'true', test: 'true' });
const FILES = { 'a.ts': 'export const one = 1;\n', 'tsconfig.json': '{}', 'package.json': PROJECT };
const closers: (() => Promise<unknown>)[] = [];
/** By the names of the fields that take it. */
const known: Record<string, unknown> = {
  path: 'a.ts',
  paths: ['a.ts'],
  query: 'one',
  asOf: '2100-01-01T00:00:00Z',
  after: 0,
  projectionType: 'EngineeringState',
};
/** For reads of what is not known of the things above. */
const elsewhere: Record<string, object> = {};
let opened: Awaited<ReturnType<typeof openTestFront>>;
let answers: Answers;
let base: string;
let repositoryId: string;
let count = 0;

const found = { kind: 'KnowledgeGuideline', title: 't', summary: 's', targetStage: undefined } as const;

/** A forge with one issue, which says nothing else. */
const desk = (): ForgeDesk => {
  const author = { author: 'ada', authorMayWrite: true, labels: [], comments: [], isOpen: true };
  const forge = {
    issue: (number: number) => Promise.resolve({ number, title: 't', body: 'b', url: 'u', ...author }),
  };
  const state = { lookedAt: undefined, waitsUntil: undefined, troubles: [] };
  const { records, ledger } = opened;
  const change = ledger.change.bind(ledger, 'forge');
  // Context and records with no more than is asked here.
  const context = { records, change, forgeOf: () => forge } as unknown as ForgeDesk['context'];
  return { context, state: () => state, look: () => Promise.resolve(state), heed: () => Promise.resolve('new') };
};
const transfers = new Transfers();
void transfers.run(
  { of: 'r', kind: 'fetch', address: 'https://example.test/r', since: '' },
  () => new Promise(() => {}),
);

/** The outside world, as far as somebody asks for it. */
const outside: Partial<OperationParts> = {
  transfers,
  forges: desk,
  documents: {
    get: () =>
      Promise.resolve({ status: 200, contentType: 'text/plain', bytes: Buffer.from('how to'), truncated: false }),
  },
  demonstration: () => ({
    stand: () => ({ state: 'offered' }),
    play: () => Promise.resolve('http://127.0.0.1:1/#code=c'),
    end: () => Promise.resolve(),
  }),
  models: {
    scan: () => Promise.resolve({ findings: [found], text: '', isProgram: false }),
    merge: () => Promise.resolve('both\n'),
    abilities: () => NO_ABILITIES,
  },
};

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'weft-answers-')));
  closers.push(() => rm(base, { recursive: true, force: true }));
  opened = await openTestFront((close) => closers.push(close), outside);
  answers = new Answers(opened);
  await gitRepository(join(base, 'user'), FILES);
  ({ repositoryId } = await answers.of('repository.register', { path: join(base, 'user') }));
  await answers.outside('repo_register', { path: join(base, 'user') });
  known['repositoryId'] = repositoryId;
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const of: Answers['of'] = (id, input) => answers.of(id, input);
const makeUnit = (more: object = {}) => of<Unit>('workunit.create', { goal: `goal ${++count}`, repositoryId, ...more });
const queue = ({ workUnitId }: Unit) => of('scheduler.enqueue', { workUnitId, profileId: 'worker' });

async function write({ branchId }: Unit, content: string): Promise<void> {
  await of('branch.resyncFiles', { branchId, files: [{ path: 'a.ts', content }] });
}

async function propose({ workUnitId }: Unit, targetBranch = 'main'): Promise<string> {
  const given = { sourceBranch: '-', targetBranch, summary: 's', workUnitId };
  return (await of<{ proposalId: string }>('merge.propose', given)).proposalId;
}

async function approved(unit: Unit, content: string, targetBranch?: string): Promise<string> {
  await write(unit, content);
  const proposalId = await propose(unit, targetBranch);
  await of('merge.review', { proposalId, decision: 'Approved' });
  return proposalId;
}

/** Two that have changed the same: one has landed, the other cannot. Answers the conflict. */
async function inConflict(targetBranch: string, more: object = {}): Promise<string> {
  const [one, two] = [await makeUnit(more), await makeUnit(more)];
  const [first, second] = [
    await approved(one, `one of ${count}\n`, targetBranch),
    await approved(two, `two of ${count}\n`, targetBranch),
  ];
  await of('merge.apply', { proposalId: first });
  const before = new Set(opened.records.conflicts.all().map(({ conflictId }) => conflictId));
  await expect(answers.refused('merge.apply', { proposalId: second })).resolves.toBe('reject.merge_conflict');
  return opened.records.conflicts.all().find(({ conflictId }) => !before.has(conflictId))!.conflictId;
}

/** Work that has failed; answers its entry. */
async function failed(kind: FailureKind = 'Exception', more: object = {}): Promise<{ entryId: string; unit: Unit }> {
  const unit = await makeUnit(more);
  const { workUnitId } = unit;
  await queue(unit);
  const { ledger, records } = opened;
  const entryId = await ledger.change('host', (change) => {
    leaseNext(change, records, {
      agentId: 'a',
      most: 99,
      hasKey: () => true,
      mayTake: (one) => one.workUnitId === workUnitId,
    });
    return toDeadLetter(change, records, { workUnitId, kind, reason: 'no luck' }).entryId;
  });
  return { entryId, unit };
}

describe('what changes something answers what it declares:', () => {
  it('goals, their work and their sessions', async () => {
    const { goalId, workUnitId, branchId } = await of('goal.create', { goal: 'all', repositoryId });
    Object.assign(known, { goalId, workUnitId, branchId });
    const part = await makeUnit({ parentWorkUnitId: workUnitId });
    elsewhere['workunit.dependents'] = { workUnitId: part.workUnitId };
    await makeUnit({ parentWorkUnitId: workUnitId, dependsOn: [part.workUnitId] });
    await of('workunit.update', { workUnitId: part.workUnitId, assignedAgent: 'a' });
    await of('goal.pause', { goalId });
    await of('goal.resume', { goalId });
    for (const name of ['goal_pause', 'goal_resume']) await answers.outside(name, { goalId });
    const { taskId } = await of('task.create', { workUnitId, title: 't', description: 'd' });
    await of('task.assign', { taskId, agentId: 'a' });
    await of('task.update', { taskId, status: 'InProgress' });
    const { sessionId } = await of('session.start', { rootWorkUnitId: workUnitId, profileIds: ['worker'] });
    await of('session.pause', { sessionId });
    await of('session.resume', { sessionId });
    const child = await of('session.branch', { sessionId, goal: 'other' });
    Object.assign(known, { taskId, sessionId: child.sessionId });
    const over = await of('session.start', { rootWorkUnitId: (await makeUnit()).workUnitId, profileIds: ['worker'] });
    await of('session.abandon', { sessionId: over.sessionId });
    await of('intent.record', { workUnitId, targetPath: 'a.ts' });
    await of('trajectory.create', { workUnitId, phase: 'Executing' });
    await of('reasoning.record', { workUnitId, agentId: 'a', inputStage: 'Plan', action: 'NoOp' });
    await of('hypothesis.fork', { goal: 'h', forkType: 'Code', parentWorkUnitId: workUnitId });
    await of('steering.forkFromNode', { workUnitId });
  });

  it('agents, profiles and the queue', async () => {
    const unit = await makeUnit();
    const { workUnitId } = unit;
    const { agentId } = await of('agent.spawn', { agentType: 'worker', workUnitId });
    await of('agent.pause', { agentId });
    await of('agent.resume', { agentId });
    await of('steering.redirect', { workUnitId, agentId, injectedConstraint: 'c' });
    await of('participant.stop', { id: agentId });
    await of('agent.stop', { agentId });
    Object.assign(known, { agentId, id: agentId, otherAgentId: agentId });
    const profile = { name: 'p', stage: 'Execute', systemPrompt: '', allowedTools: [], maxIterations: 3 };
    await of('agent-profile.create', { agentProfileId: 'p-1', ...profile });
    await of('agent-profile.write', { profileId: 'p-2', ...profile });
    await of('agent-profile.update', { profileId: 'p-1', name: 'q' });
    known['profileId'] = 'p-1';
    elsewhere['repository.plan'] = { path: join(base, 'user') };
    elsewhere['agent.list'] = { all: true };
    await of('agent.spawn', { agentType: 'worker', workUnitId: known['workUnitId'] });
    const queued = await makeUnit();
    await queue(queued);
    await of('scheduler.resume', { workUnitId: queued.workUnitId });
    await of('scheduler.resumeAll');
    await of('file-lease.release', { workUnitId });
    await of('credential.evict', { credentialRef: 'none' });
    await of('requeue.reinvokeOrchestrator', { workUnitId: queued.workUnitId });
    await of('workunit.cancel', { workUnitId: queued.workUnitId });
    await of('requeue.requeue', { workUnitId: queued.workUnitId });
  });

  it('knowledge', async () => {
    const workUnitId = known['workUnitId'];
    const record = async (type: string, more: object = {}) =>
      (await of('artifact.record', { workUnitId, type, title: 't', body: 'b', ...more })).artifactId!;
    const artifactId = await record('Research');
    known['artifactId'] = artifactId;
    await record('Decision', { parentArtifactId: artifactId });
    await of('artifact.invalidate', { artifactId: await record('Research'), reason: 'r' });
    await of('constraint.promote', { artifactId: await record('Constraint') });
    const global = await of('constraint.create', { title: 't', body: 'b', repoSpecific: true, repositoryId });
    const { artifactId: ruleId } = global;
    await of('constraint.toggle', { artifactId: ruleId, disabled: true });
    await of('constraint.scope', { artifactId: ruleId, reach: 'Private' });
    await of('artifact.elevate', { artifactId: ruleId });
    const planContent = JSON.stringify({ slices: [{ sliceId: 's', goal: 'g', dependsOn: [] }] });
    await of('artifact.recordPlan', { workUnitId, planContent });
    const shots = [await of('projection.capture', { workUnitId }), await of('projection.capture', { workUnitId })];
    const [a, b] = shots.map(({ snapshotId }) => snapshotId);
    Object.assign(known, { snapshotId: a, snapshotIdA: a, snapshotIdB: b, a, b });
    const findings = [{ kind: 'PromptImprovement', title: 't', summary: 's' }];
    const { imported } = await of<{ imported: { findingId: string }[] }>('finding.imported', { findings });
    await of('finding.review', { findingId: imported[0]?.findingId, decision: 'promote' });
    await of('finding.detect');
    await of('finding.scan', { provider: 'openai', model: 'm' });
    await of('option.change', { docFetchTools: true, docFetchAllowedDomains: ['docs.example.test'] });
    await of('document.fetch', { url: 'https://docs.example.test/', reason: 'r', workUnitId });
    await of('co-modification.compute', { repositoryId });
    await answers.outside('feedback_record', { title: 't', feedback: 'f' });
    await of('external-result.recordFeedback', { title: 't', feedback: 'f' });
  });

  it('questions', async () => {
    const ask = async () => {
      const { workUnitId } = await makeUnit();
      return of('clarification.request', { workUnitId, question: 'q' });
    };
    await of('clarification.respond', { workUnitId: (await ask()).workUnitId, response: 'r' });
    await of('clarification.respondById', { clarificationId: (await ask()).requestId, response: 'r' });
    await answers.outside('clarification_respond', { clarificationId: (await ask()).requestId, response: 'r' });
    const waiting = await makeUnit();
    await queue(waiting);
    await of('clarification.request', { workUnitId: waiting.workUnitId, question: 'q' });
  });

  it('branches and their files', async () => {
    await of('branch.create', { name: 'one', fromBranchId: 'main', repositoryId });
    const [at, path] = [{ branchId: 'one', repositoryId }, 'a.ts'];
    await of('branch.checkout', at);
    await of('branch.materializeFile', { ...at, path });
    await of('branch.resyncFiles', { ...at, files: [{ path: 'new.ts', content: '' }] });
    await of('workspace.write', { ...at, path: 'more.ts', content: 'export const two = 2;\n' });
    await of('workspace.replace', { ...at, path: 'more.ts', oldText: 'two', newText: 'three' });
    await of('workspace.remove', { ...at, path: 'more.ts' });
    for (const kind of ['Definition', 'References', 'Implementation'])
      await of(`workspace.symbol${kind}`, { ...at, symbol: 'one' });
    await of('workspace.profileRescan', at);
    for (const what of ['build', 'test', 'exec']) await of(`workspace.${what}`, at);
    await of('workspace.run', { ...at, runCommand: 'echo up; exec sleep 1000', timeoutSeconds: 1 });
    await of('workspace.runOutput', { ...at, rootPath: '.' });
    await of('workspace.runStop', at);
    const { resultId } = await of('workspace.execLatest', at);
    await of('workspace.execOutput', { ...at, resultId });
    Object.assign(known, { targetBranchId: 'main' });
    await of('workspace.switchTo', { repositoryId });
    const good = [];
    for (const description of ['works', 'works too'])
      good.push(await of('state.markKnownGood', { ...at, description }));
    const [one, two] = good.map(({ stateId }) => stateId);
    Object.assign(known, { stateIdA: one, stateIdB: two });
    elsewhere['state.findKnownGood'] = { branchId: 'one' };
    await of('state.checkoutKnownGood', { stateId: one });
    await of('state.rollback', { branchId: 'one', knownGoodStateId: two });
    await of('state.fork', { stateId: one, goal: 'again' });
    await of('state.materialize', { stateId: one, targetPath: join(base, 'good') });
  });

  it('repositories', async () => {
    const theirs = join(base, 'theirs');
    await gitRepository(theirs, { z: '1' });
    await of('repository.clone', { url: theirs, targetPath: join(base, 'clone') });
    await of('repository.create', { path: join(base, 'created') });
    await of('repository.prefetch', { repositoryId });
    await of('repository.resolveIdentity', { repositoryId });
    await of('repository.gitImport', { repositoryId, gitRepoPath: theirs });
    await of('repository.gitExport', { repositoryId, targetGitRepoPath: theirs, branchName: 'from-here' });
    await of('repository.gitBranch', { repositoryId, gitRepoPath: theirs, branchName: 'new' });
    await of('repository.blobWrite', { repositoryId, path: 'blob.ts', content: 'x' });
    await git(base, 'clone', '--quiet', '--bare', join(base, 'user'), 'origin.git');
    await git(join(base, 'user'), 'remote', 'add', 'origin', join(base, 'origin.git'));
    await of('publishing.set', { repositoryId, shape: 'squash' });
    await of('remote.fetch', { repositoryId });
    await of('remote.push', { repositoryId, branch: 'from-here' });
    await of('forge.connect', { repositoryId, kind: 'github', project: 'team/project' });
    await of('forge.look', { repositoryId });
    await of('forge.takeIssue', { repositoryId, number: 1 });
    const unit = await makeUnit();
    const { workUnitId } = unit;
    await write(unit, 'changed\n');
    await of('materialization.ofUnit', { workUnitId, targetPath: join(base, 'unit') });
    await of('materialization.verify', { workUnitId });
    const head = await git(join(base, 'user'), 'rev-parse', 'main');
    await of('materialization.ofSnapshot', { snapshotId: head, targetPath: join(base, 'snapshot') });
    await of('materialization.resolveReference', { repoId: repositoryId, generationId: head, path: 'a.ts' });
    await of('cache.materialize', { workUnitId });
    await of('cache.evict', { workUnitId });
    await of('cache.evictAllOrphaned');
    await of('cache.collect', { dryRun: true });
    await of('cache.reconcileObjects');
    await of('evidence.attach', { workUnitId });
  });

  it('what agents and orchestrators leave behind', async () => {
    const { workUnitId } = known as unknown as Unit;
    const parts = [await makeUnit({ parentWorkUnitId: workUnitId }), await makeUnit({ parentWorkUnitId: workUnitId })];
    for (const part of parts) await queue(part);
    const { ledger, records } = opened;
    const [holder, waiting] = parts.map((part) => part.workUnitId);
    await ledger.change('host', (change) => {
      lease(change, holder!, 'a');
      askForFile(change, records, holder!, 'a.ts');
      askForFile(change, records, waiting!, 'a.ts');
      recordRead(change, holder!, ['a.ts']);
      const begun = {
        logId: 'log-1',
        workUnitId,
        agentId: 'a',
        agentRole: 'Execute',
        cycleNumber: 1,
        run: 1,
        schedule: 1,
      };
      const reserved = { tokens: 1, microUsd: 1 };
      change.run(conversationEntry, 'log-1', 'ask', { ...begun, generation: 1, said: 's', told: [], reserved });
      const decided = { eventId: 'od-1', workUnitId, orchestratorAgentId: 'a', inputStage: 'Plan', spawnedIds: [] };
      change.run(orchestrationDecision, 'od-1', 'record', { ...decided, action: 'NoOp' });
      interrupt(change, holder!);
    });
  });

  it('proposals, and what stands in their way', async () => {
    const unit = known as unknown as Unit;
    await write(unit, '1\n');
    const first = await propose(unit);
    await of('merge.validate', { proposalId: first });
    await of('decision.record', { proposalId: first, outcome: 'Deferred' });
    await of('merge.review', { proposalId: first, decision: 'Rejected', notes: 'no' });
    await of('merge.retry', { proposalId: first });
    await write(unit, '2\n');
    const second = await propose(unit);
    Object.assign(known, { proposalId: first, proposalIdA: first, proposalIdB: second, ids: `${first},${second}` });
    await of('merge.branchFrom', { proposalId: second, goal: 'g', profileId: 'worker' });
    await of('merge.restoreWorkspace', { proposalId: second });
    await of('counterfactual.create', { proposalId: second, newProfileId: 'worker' });
    await of('contribution.offer', { goalId: known['goalId'] });
    await of('merge.review', { proposalId: second, decision: 'Approved' });
    await answers.outside('results_apply', { proposalId: second });
    await of('external-result.apply', { proposalId: await approved(await makeUnit(), '3\n') });

    const files = { 'a.ts': 'both\n' };
    await of('conflict.reconcileCandidate', { conflictId: await inConflict('candidate') });
    await of('candidate.promote', { repositoryId });
    await of('conflict.resolveCandidate', { conflictId: await inConflict('candidate'), files });
    const root = await makeUnit();
    const parts = { parentWorkUnitId: root.workUnitId };
    const conflictId = await inConflict('main', parts);
    await of('reconciliation.report', { workUnitId: root.workUnitId });
    await of('conflict.reconcileTask', { workUnitId: root.workUnitId, conflictId });
    const both = await of('conflict.resolveTask', { workUnitId: root.workUnitId, conflictId, files });
    elsewhere['merge.constituents'] = { proposalId: both.proposalId };
    const spanned = await makeUnit();
    const { sessionId } = await of('session.start', { rootWorkUnitId: spanned.workUnitId, profileIds: ['worker'] });
    await write(spanned, 'of a session\n');
    const offer = { sourceBranch: '-', targetBranch: 'main', summary: 's', workUnitId: spanned.workUnitId };
    await of('merge.propose', { ...offer, sessionId });
    elsewhere['merge.list'] = { sessionId, workUnitId: spanned.workUnitId };
    const other = await makeUnit();
    await inConflict('main', { parentWorkUnitId: other.workUnitId });
    elsewhere['conflict.listOfTask'] = { workUnitId: other.workUnitId };
    await of('reconciliation.reconcile', { workUnitId: root.workUnitId });
    for (const what of ['resolve', 'dismiss']) {
      await inConflict('main');
      const found = opened.records.repositoryConflicts.all().findLast(({ status }) => status === 'Open');
      const how = what === 'resolve' ? { strategy: 'llm', provider: 'openai', model: 'm' } : {};
      await of(`repository-conflict.${what}`, { conflictId: found?.conflictId, ...how });
      known['conflictId'] = found?.conflictId;
    }
  });

  it('experiments', async () => {
    const forks = [{ constraintText: 'use a' }, { constraintText: 'use b' }];
    const made = await of<{ experimentId: string; parentWorkUnitId: string; forkWorkUnitIds: string[] }>(
      'experiment.create',
      { goal: 'fast', owner: 'ann', forkType: 'Library', forks },
    );
    const { parentWorkUnitId, forkWorkUnitIds } = made;
    await of('experiment.converge', { parentWorkUnitId, winnerId: forkWorkUnitIds[0] });
    known['experimentId'] = made.experimentId;
  });

  it('failures, and the ways out', async () => {
    await of('dead-letter.retry', { entryId: (await failed()).entryId });
    await of('dead-letter.retryWithContext', { entryId: (await failed()).entryId, steeringContext: 'c' });
    await of('dead-letter.goOn', { entryId: (await failed('MaxIterationsExceeded')).entryId });
    await of('dead-letter.replan', { entryId: (await failed()).entryId });
    const { entryId, unit } = await failed();
    known['entryId'] = entryId;
    for (const id of ['dead-letter.byWorkUnit', 'dead-letter.history']) elsewhere[id] = { workUnitId: unit.workUnitId };
  });

  it('callers outside, tokens and webhooks', async () => {
    const ways = [
      (what: string, input: object) => of(`external-goal.${what}`, input),
      (what: string, input: object) => answers.outside(`goal_${what}`, input),
    ];
    for (const ask of ways) {
      const { goalId } = await ask('run', { goal: 'g', repositoryId });
      await ask('cancel', { goalId });
      await ask('requeue', { goalId });
      for (const action of ['retry', 'retry_with_context', 'continue', 'replan']) {
        const { unit } = await failed('MaxIterationsExceeded');
        const more = action === 'retry_with_context' ? { steeringContext: 'c' } : {};
        await ask('recover', { goalId: unit.workUnitId, action, ...more });
      }
    }
    const { memoryId } = await of('memory.add', { text: 'a', repositoryId });
    await of('memory.confirm', { memoryId, text: 'b' });
    await of('memory.remove', { memoryId });
    const { ledger, records } = opened;
    const given = { repositoryId, text: 'c' };
    const proposed = await ledger.change('agent:a', (change) => proposeMemory(change, records, given));
    await of('memory.refuse', { memoryId: proposed.memoryId });
    await of('tool-server.add', { name: 'gone', command: toolServerCommand() });
    await of('tool-server.remove', { name: 'gone' });
    await of('tool-server.add', { name: 'docs', command: toolServerCommand(), allowed: ['echo'] });
    await of('credential.keep', { credentialRef: 'vendor', apiKey: 'k' });
    const token = { label: 'l', scope: 'read' };
    await of('token.make', token);
    await of('token.revoke', { tokenId: (await of('token.make', token)).tokenId });
    const hook = { url: 'http://127.0.0.1:1/' };
    const { webhookId } = await of('webhook.make', hook);
    await of('webhook.change', { webhookId, ...hook });
    await of('webhook.remove', { webhookId: (await of('webhook.make', hook)).webhookId });
    known['webhookId'] = webhookId;
  });
});

describe('what only reads answers what it declares:', () => {
  const reads = operationTable.filter(({ hints }) => hints.readOnly);

  beforeAll(async () => {
    const { feed } = opened.ledger;
    const events = await answers.of<{ eventId: string }[]>('event.ofSession', { sessionId: known.sessionId });
    known['eventId'] = events[0]?.eventId;
    Object.assign(known, { kind: 'studio/work-unit/v1', entityId: known['workUnitId'] });
    known['nodeIdHex'] = (await answers.of<{ frontierHeads: string[] }>('causal.frontier')).frontierHeads[0];
    expect(feed.last).toBeGreaterThan(100);
  });

  it.each(reads.map((operation) => [operation.id, operation] as const))('%s', async (id, operation) => {
    // Some reads need what is there for a moment only, and have answered then.
    if (answers.given.has(id)) return;
    const fields = Object.keys(operation.in.shape).filter((name) => name in known);
    const named = Object.fromEntries(fields.map((name) => [name, known[name]]));
    const shown = await answers.of<unknown>(id, { ...named, ...elsewhere[id] });
    // A list of nothing says nothing of what is listed.
    expect(shown).not.toEqual([]);
  });
});

describe('every operation', () => {
  it('has answered', async () => {
    await answers.of('causal.syncDiff', { peerNodeIdsHex: [known['nodeIdHex']] });
    await answers.of('workunit.stopAll');
    await answers.of('demonstration.play');
    await answers.of('demonstration.end');
    await answers.of('forge.disconnect', { repositoryId });
    const missing = operationTable.map(({ id }) => id).filter((id) => !answers.given.has(id));
    expect(missing, 'write calls of these that are answered into the tests above').toEqual([]);
    const unasked = boundTools(operationTable, 'external').filter(({ name }) => !answers.given.has(name));
    expect(
      unasked.map(({ name }) => name),
      'have these answer a caller outside',
    ).toEqual([]);
  });

  it('has recorded what every view shows again, to the byte, when all of them are made anew from the rooms', async () => {
    await opened.ledger.settled();
    const again = await openTestLedger(opened.host, {}, (close) => void closers.push(close));
    expect(recordDigest(again.records)).toBe(recordDigest(opened.records));
    expect(again.ledger.feed.after(0)).toEqual(opened.ledger.feed.after(0));
    expect(again.log).toEqual([]);
  });
});
