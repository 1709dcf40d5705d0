/** Lookout: work under way that would collide is found before it tries to land, and one of two waits for the other's turn to end. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collision } from '../record/aggregates/collision/collision.js';
import { type NewUnit, createUnit } from '../rules/goals/create-unit.js';
import { agentsAtWork } from '../testing/work/agents-at-work.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { ManualClock } from '../testing/manual-clock.js';
import { scriptedModels } from '../testing/models/scripted-models.js';
import { tempFolder } from '../testing/temp-folder.js';

const SOON = 2000;

/** Two pieces of work that change these files: the first one works until it is let go on, the second one asks a question meanwhile. */
async function twoAtWork(files: Readonly<Record<string, string>>, more: Pick<NewUnit, 'forkType'> = {}) {
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, { 'a.txt': '1\n', 'b.txt': '1\n' });
  const steady = new ManualClock();
  const gate: { open?: () => void; write?: () => void } = {};
  const opened = new Promise<void>((resolve) => (gate.open = resolve));
  const written = new Promise<void>((resolve) => (gate.write = resolve));
  const told: string[] = [];
  const models = scriptedModels(async ({ role, goal, branchId, turn, said }, signal) => {
    if (role !== 'worker') return { text: 'nothing to review' };
    if (goal === 'second') told.push(said);
    const propose = { sourceBranch: branchId, targetBranch: 'main', summary: goal };
    if (turn > 0) return { calls: [['merge_propose', propose]] };
    const path = files[goal]!;
    await atWork.call('branch.resyncFiles', { branchId, files: [{ path, content: `${goal}\n` }], deletedPaths: [] });
    if (goal === 'second') return { calls: [['clarification_request', { question: 'Which?', blocking: true }]] };
    gate.write?.();
    signal.addEventListener('abort', () => gate.open?.());
    await opened;
    return { calls: [['merge_propose', propose]] };
  });
  const atWork = await agentsAtWork({ folder: await tempFolder(), models, steady });
  const { call, records, until, ledger } = atWork;
  await call('repository.register', { path: user });
  const begin = async (goal: string): Promise<string> => {
    const wanted = { goal, owner: 'ann', ...more };
    const { workUnitId } = await atWork.change((change) => createUnit(change, records, wanted));
    await call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    return workUnitId;
  };
  const [first, second] = [await begin('first'), await begin('second')];
  const statusOf = (id: string) => records.workUnits.get(id)?.status;
  await written;
  await until(
    ({ clarifications }) => statusOf(first) === 'Executing' && clarifications.where('open', second).length > 0,
  );
  const kinds = (): string[] => {
    const all = Array.from({ length: ledger.feed.last }, (_, i) => ledger.feed.get(i + 1)?.stored);
    return all.flatMap((stored) =>
      stored?.aggregate === collision.name ? [collision.event.parse(stored.event).type] : [],
    );
  };
  const answer = (): Promise<unknown> => call('clarification.respond', { workUnitId: second, response: 'That one.' });
  return { ...atWork, first, second, statusOf, kinds, answer, steady, told, goOn: () => gate.open?.() };
}

describe('two pieces of work under way', () => {
  it('that would collide are told so, one takes its turn after the other, and it is over when one of them is', async () => {
    const it = await twoAtWork({ first: 'a.txt', second: 'a.txt' });
    const { first, second, records, until, call } = it;
    it.steady.pass(SOON);
    await until(({ collisions }) => collisions.all().length > 0);
    const [found, ...others] = records.collisions.all();
    expect(others).toEqual([]);
    expect(found).toMatchObject({ isOpen: true, paths: ['a.txt'] });
    expect(new Set(found!.workUnitIds)).toEqual(new Set([first, second]));

    // It was found while it waited for an answer; it has that now, and its turn comes when the other has ended.
    await it.answer();
    await until(() => it.statusOf(second) === 'Queued');
    // Behind which the scheduler has looked for work once more.
    await call('option.change', { maxConcurrentWorkers: 4 });
    expect([it.statusOf(first), it.statusOf(second)]).toEqual(['Executing', 'Queued']);
    it.goOn();
    await until(() => it.statusOf(first) === 'Proposed' && it.statusOf(second) === 'Proposed');
    expect(it.told.at(-1)).toContain('Other work is changing the same places as yours, in a.txt: first');

    // Said once, however often one looks.
    it.steady.pass(SOON);
    await call('workunit.cancel', { workUnitId: first });
    it.steady.pass(SOON);
    await until(({ collisions }) => collisions.all().every(({ isOpen }) => !isOpen));
    expect(it.kinds()).toEqual(['CollisionFound', 'CollisionEnded']);
  });

  it('that change different files go on beside each other', async () => {
    const it = await twoAtWork({ first: 'a.txt', second: 'b.txt' });
    it.steady.pass(SOON);
    await it.answer();
    await it.until(() => it.statusOf(it.second) === 'Proposed');
    expect(it.statusOf(it.first)).toBe('Executing');
    expect(it.records.collisions.all()).toEqual([]);
    it.goOn();
    await it.until(() => it.statusOf(it.first) === 'Proposed');
  });

  it('that are compared with each other collide on purpose, and neither waits', async () => {
    const it = await twoAtWork({ first: 'a.txt', second: 'a.txt' }, { forkType: 'Code' });
    it.steady.pass(SOON);
    await it.answer();
    await it.until(() => it.statusOf(it.second) === 'Proposed');
    expect(it.records.collisions.all()).toEqual([]);
  });
});
