/** Whatever is done in whatever order, no work unit is ever in nobody's queue, or in two. */
import { Rejection, createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aRepository } from '../../testing/work/a-repository.js';
import { type OpenRecord, openRecord } from '../../testing/record/open-record.js';
import { FAILURE_KINDS } from '../../record/aggregates/dead-letter/dead-letter.js';
import { askForFile } from './file-leases.js';
import { expire } from '../people/clarify.js';
import { toDeadLetter } from './dead-letters.js';
import { moveUnit } from './move.js';
import { misplaced, placesOf } from './places.js';
import { expireLease, leaseNext, park, pausedBy } from './queue.js';

/** What a step does to the record; `pick` chooses one of a list in a way that a failing run repeats. */
type Step = (record: OpenRecord, pick: <T>(of: readonly T[]) => T) => Promise<unknown>;

const anyUnit = ({ records }: OpenRecord, pick: <T>(of: readonly T[]) => T): string =>
  pick(records.workUnits.all()).workUnitId;

/** An operation on one thing of some kind, if there is one. */
function on(id: string, field: string, of: (record: OpenRecord) => readonly string[], more: object = {}): Step {
  return async (record, pick) => {
    const ids = of(record);
    if (ids.length > 0) await record.call(id, { [field]: pick(ids), ...more });
  };
}

/** Those that the step is about if there are any, else all, so that it is refused now and then. */
const rather = <T>(wanted: readonly T[], all: readonly T[]): readonly T[] => (wanted.length > 0 ? wanted : all);

const units = ({ records }: OpenRecord) => records.workUnits.all().map(({ workUnitId }) => workUnitId);
const goals = ({ records }: OpenRecord) => records.goals.all().map(({ goalId }) => goalId);
const sessions = ({ records }: OpenRecord) => records.sessions.all().map(({ sessionId }) => sessionId);
const agents = ({ records }: OpenRecord) => records.agents.all().map(({ agentId }) => agentId);
const failures = ({ records }: OpenRecord) => {
  const all = records.deadLetters.all();
  return rather(
    all.filter(({ resolution }) => resolution === undefined),
    all,
  ).map(({ entryId }) => entryId);
};
const pausedGoals = (record: OpenRecord) =>
  rather(
    goals(record).filter((id) => record.records.goals.get(id)?.status === 'Paused'),
    goals(record),
  );
const pausedSessions = (record: OpenRecord) =>
  rather(
    sessions(record).filter((id) => record.records.sessions.get(id)?.status === 'Paused'),
    sessions(record),
  );
const parked = ({ records }: OpenRecord) =>
  records.scheduledItems.where('place', 'parked').map(({ workUnitId }) => workUnitId);
const active = (record: OpenRecord) => {
  const running = [...leased(record), ...record.records.scheduledItems.where('place', 'queued')];
  return rather(
    running.map(({ workUnitId }) => workUnitId),
    units(record),
  );
};
const questions = ({ records }: OpenRecord) => records.clarifications.all().map(({ requestId }) => requestId);
const leased = ({ records }: OpenRecord) => records.scheduledItems.where('place', 'leased');

const STEPS: Readonly<Record<string, Step>> = {
  create: (record) => record.call('workunit.create', { goal: 'g' }),
  divide: (record, pick) => record.call('workunit.create', { goal: 'p', parentWorkUnitId: anyUnit(record, pick) }),
  depend: (record, pick) => record.call('workunit.create', { goal: 'd', dependsOn: [anyUnit(record, pick)] }),
  runGoal: (record) => record.call('external-goal.run', { goal: 'g' }),
  enqueue: on('scheduler.enqueue', 'workUnitId', units, { profileId: 'worker' }),
  enqueueWithKey: on('scheduler.enqueue', 'workUnitId', units, { profileId: 'planner', credentialRef: 'mine' }),
  lease: (record) =>
    record.change((change) =>
      leaseNext(change, record.records, { agentId: 'a-1', most: 3, hasKey: (name) => name !== 'mine' }),
    ),
  leaseByAgent: (record, pick) =>
    record.change((change) => {
      const agentId = agents(record).length > 0 ? pick(agents(record)) : 'a-2';
      return leaseNext(change, record.records, { agentId, most: 3, hasKey: () => true });
    }),
  propose: async (record, pick) => {
    if (leased(record).length === 0) return;
    const { workUnitId } = pick(leased(record));
    await record.change((change) =>
      moveUnit(change, record.records, workUnitId, pick(['Proposed', 'Completed', 'Active'])),
    );
  },
  merge: async (record, pick) => {
    const proposed = record.records.workUnits.all().filter(({ status }) => status === 'Proposed');
    if (proposed.length > 0)
      await record.change((change) => moveUnit(change, record.records, pick(proposed).workUnitId, 'Merged'));
  },
  fail: async (record, pick) => {
    if (leased(record).length === 0) return;
    const { workUnitId, leasedBy } = pick(leased(record));
    const failure = { workUnitId, kind: pick(FAILURE_KINDS), reason: 'no luck', agentId: leasedBy };
    await record.change((change) => toDeadLetter(change, record.records, failure));
  },
  expireLease: async (record, pick) => {
    if (leased(record).length === 0) return;
    const { workUnitId, generation } = pick(leased(record));
    await record.change((change) => expireLease(change, record.records, workUnitId, generation));
  },
  update: on('workunit.update', 'workUnitId', units, { status: 'Active' }),
  complete: on('workunit.update', 'workUnitId', units, { status: 'Completed' }),
  review: on('workunit.update', 'workUnitId', units, { status: 'Reviewing' }),
  parkForKey: async (record, pick) => {
    const queued = record.records.scheduledItems.where('place', 'queued');
    if (queued.length > 0) await record.change((change) => park(change, pick(queued).workUnitId, 'Credentials'));
  },
  askForFile: (record, pick) =>
    record.change((change) => askForFile(change, record.records, pick(active(record)), pick(['a.ts', 'b.ts']))),
  releaseFiles: on('file-lease.release', 'workUnitId', units),
  resume: on('scheduler.resume', 'workUnitId', parked),
  resumeWithKey: on('scheduler.resume', 'workUnitId', units, { credentialRef: 'mine', apiKey: 'k' }),
  resumeAll: (record) => record.call('scheduler.resumeAll', {}),
  startSession: on('session.start', 'rootWorkUnitId', units, { profileIds: ['worker'] }),
  pauseSession: on('session.pause', 'sessionId', sessions),
  resumeSession: on('session.resume', 'sessionId', pausedSessions),
  abandonSession: on('session.abandon', 'sessionId', sessions),
  branchSession: on('session.branch', 'sessionId', sessions),
  pauseGoal: on('goal.pause', 'goalId', goals),
  resumeGoal: on('goal.resume', 'goalId', pausedGoals, { steering: 'faster' }),
  resumeGoalAs: on('goal.resume', 'goalId', pausedGoals, { profileId: 'worker' }),
  subGoal: on('goal.create', 'workUnitId', units, { goal: 'part' }),
  cancelGoal: on('external-goal.cancel', 'goalId', goals),
  requeueGoal: on('external-goal.requeue', 'goalId', goals),
  recover: on('external-goal.recover', 'goalId', goals, { action: 'replan' }),
  spawn: on('agent.spawn', 'workUnitId', units, { agentType: 'worker' }),
  spawnReviewer: on('agent.spawn', 'workUnitId', units, { agentType: 'reviewer' }),
  pauseAgent: on('agent.pause', 'agentId', agents),
  resumeAgent: on('agent.resume', 'agentId', agents),
  stopAgent: on('agent.stop', 'agentId', agents),
  ask: on('clarification.request', 'workUnitId', active, { question: 'which?' }),
  remark: on('clarification.request', 'workUnitId', units, { question: 'by the way', blocking: false }),
  answer: on('clarification.respond', 'workUnitId', parked, { response: 'this' }),
  answerAndWait: on('clarification.respond', 'workUnitId', parked, { response: 'this', resume: false }),
  tooLate: async (record, pick) => {
    const ids = questions(record);
    if (ids.length > 0) await record.change((change) => expire(change, record.records, pick(ids)));
  },
  giveUp: on('clarification.request', 'workUnitId', units, {
    question: 'or not?',
    timeoutSeconds: 9,
    timeoutBehavior: 'auto_abandon',
  }),
  retry: on('dead-letter.retry', 'entryId', failures),
  retryWithContext: on('dead-letter.retryWithContext', 'entryId', failures, { steeringContext: 'so' }),
  goOn: on('dead-letter.goOn', 'entryId', failures),
  replan: on('dead-letter.replan', 'entryId', failures),
  cancel: on('workunit.cancel', 'workUnitId', units),
  requeue: on('requeue.requeue', 'workUnitId', units, { notes: 'again' }),
  reinvoke: on('requeue.reinvokeOrchestrator', 'workUnitId', units),
  redirect: (record, pick) =>
    record.call('steering.redirect', {
      workUnitId: anyUnit(record, pick),
      agentId: pick(agents(record)),
      injectedConstraint: 'x',
    }),
  fork: on('steering.forkFromNode', 'workUnitId', units, { profileId: 'worker' }),
  stopAll: (record) => record.call('workunit.stopAll', {}),
};

/** Stands for the host ending and starting again. */
const RESTART = 'restart';

function check(record: OpenRecord): void {
  const { records, ledger, log } = record;
  expect(log, 'refusals are declared').toEqual([]);
  expect(misplaced(records)).toEqual([]);
  for (const { workUnitId, status } of records.workUnits.all()) {
    const places = placesOf(records, workUnitId);
    const item = records.scheduledItems.get(workUnitId);
    const expected = { queued: 'Queued', leased: 'Executing', parked: 'Waiting', 'dead-letter': 'DeadLettered' };
    const said = (expected as Record<string, string>)[places[0]!];
    if (said !== undefined) expect(status, workUnitId).toBe(said);
    const isPaused = pausedBy(ledger.look, records, workUnitId) !== undefined;
    expect(item?.place === 'parked', `${workUnitId} is parked for a reason`).toBe(item?.parkedFor !== undefined);
    if (item?.parkedFor === 'Paused') expect(isPaused, `${workUnitId} is parked by a pause`).toBe(true);
    if (item?.place === 'queued' || item?.place === 'leased') expect(isPaused, `${workUnitId} runs`).toBe(false);
    const asked = records.clarifications.where('open', workUnitId);
    if (places[0] === 'over' || places[0] === 'dead-letter') {
      expect(asked, `${workUnitId} asks nothing any more`).toEqual([]);
      expect(records.fileLeases.where('unit', workUnitId), `${workUnitId} holds nothing`).toEqual([]);
    }
    if (item?.parkedFor === 'Clarification')
      expect(
        asked.some(({ blocking }) => blocking),
        workUnitId,
      ).toBe(true);
    if (item?.parkedFor === 'FileLease')
      expect(records.fileLeases.where('unit', workUnitId).some((held) => held.waitQueue.includes(workUnitId))).toBe(
        true,
      );
  }
  expect(records.scheduledItems.where('place', 'leased').length).toBeLessThanOrEqual(3);
}

describe('the record of work', () => {
  it('fault 27: every unit that is not over is in exactly one place, whatever is done in whatever order', async () => {
    const usual = [
      'lease',
      'leaseByAgent',
      'fail',
      'enqueue',
      'spawn',
      'divide',
      'ask',
      'askForFile',
      'runGoal',
      'propose',
    ];
    const names = [...Object.keys(STEPS), RESTART, ...usual, ...usual, ...usual];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(1000)), { minLength: 40, maxLength: 80 }),
        async (steps) => {
          const host = createHost({ store: memoryStore() });
          let record = await openRecord(host);
          try {
            await aRepository(record);
            await record.call('external-goal.run', { goal: 'first' });
            for (const [name, chance] of steps) {
              if (name === RESTART) {
                record.close();
                record = await openRecord(host);
              } else {
                const pick = <T>(of: readonly T[]): T => of[chance % of.length]!;
                await STEPS[name]!(record, pick).catch((error: unknown) => {
                  if (!(error instanceof Rejection)) throw error;
                });
              }
              check(record);
            }
          } finally {
            record.close();
            await host.close();
          }
        },
      ),
      { numRuns: 10 },
    );
  });
});
