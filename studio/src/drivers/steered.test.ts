/** What people do to agents that are at work. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AgentsAtWork, agentsAtWork } from '../testing/work/agents-at-work.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type Asked, type Turn, scriptedModels } from '../testing/models/scripted-models.js';
import { tempFolder } from '../testing/temp-folder.js';
import { ProviderError } from '../models/provider.js';

const found: Turn = { calls: [['artifact_record', { type: 'Research', title: 'Found', body: 'it' }]] };

async function begin({ call }: AgentsAtWork, more: object = {}): Promise<string> {
  const given = { goal: 'Find it', expectedOutputKind: 'KnowledgeArtifact', ...more };
  const { workUnitId } = (await call('workunit.create', given)) as { workUnitId: string };
  await call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
  return workUnitId;
}

/** A model that waits, in each conversation, before the turn of this number, until it is let go. */
function held(turn: number, say: (asked: Asked) => Turn) {
  const waiting = new Map<string, () => void>();
  const asked: Asked[] = [];
  const watchers = new Set<() => void>();
  const models = scriptedModels(async (one, signal) => {
    asked.push(one);
    for (const look of watchers) look();
    if (one.turn === turn && !free.has(one.workUnitId))
      await new Promise<void>((resolve) => {
        waiting.set(one.workUnitId, resolve);
        signal.addEventListener('abort', () => resolve());
      });
    return say(one);
  });
  const free = new Set<string>();
  const letGo = (id: string): void => {
    free.add(id);
    waiting.get(id)?.();
  };
  /** Resolves when so many questions were asked in all. */
  const questions = (count: number) =>
    new Promise<void>((resolve) => {
      const look = (): void => (asked.length >= count ? resolve() : undefined);
      watchers.add(look);
      look();
    });
  return { models, asked, questions, letGo };
}

const statusOf = ({ records }: AgentsAtWork, id: string) => records.workUnits.get(id)?.status;
const turnsOf = ({ records }: AgentsAtWork, id: string) => records.conversationEntries.where('workUnit', id);

describe('an agent at work', () => {
  it('is told something: it reads that at its next step, once, and goes on', async () => {
    const { models, asked, questions, letGo } = held(0, ({ turn, workUnitId }) =>
      turn < 2 ? { calls: [['workunit_get', { workUnitId }]] } : found,
    );
    const atWork = await agentsAtWork({ models });
    const id = await begin(atWork);
    await questions(1);
    const said = { workUnitId: id, type: 'Constraint', title: 'A person says', body: 'it is in the attic' };
    await atWork.call('artifact.record', said);
    letGo(id);
    await atWork.until(() => statusOf(atWork, id) === 'Completed');
    const told = asked.map(({ request }) => JSON.stringify(request.messages).split('it is in the attic').length - 1);
    expect(told.slice(0, 3)).toEqual([0, 1, 1]);
  });

  it('is redirected: it takes no step more, and another begins beside it and knows why', async () => {
    const { models, asked, questions, letGo } = held(0, () => found);
    const atWork = await agentsAtWork({ models });
    const id = await begin(atWork);
    await questions(1);
    const { leasedBy: agentId } = atWork.records.scheduledItems.get(id)!;
    const steered = { workUnitId: id, agentId, injectedConstraint: 'only in the attic' };
    const { newWorkUnitId } = (await atWork.call('steering.redirect', steered)) as { newWorkUnitId: string };
    await questions(2);
    expect(asked[1]).toMatchObject({ workUnitId: newWorkUnitId, turn: 0 });
    expect(asked[1]?.said).toContain('only in the attic');
    letGo(newWorkUnitId);
    await atWork.until(() => statusOf(atWork, newWorkUnitId) === 'Completed');
    letGo(id);
    await atWork.until(() => turnsOf(atWork, id)[0]?.phase === 'answered');
    expect(atWork.records.scheduledItems.get(id)).toMatchObject({ place: 'parked', parkedFor: 'Paused' });
    expect(atWork.records.artifacts.where('owner', id)).toEqual([]);
    // What it was about to do is done when it is let go on, and nothing is asked anew.
    await atWork.call('agent.resume', { agentId });
    await atWork.until(() => statusOf(atWork, id) === 'Completed');
    expect(asked).toHaveLength(2);
  });

  it('goes on undisturbed when another is forked from where it stands, with the files that it has written', async () => {
    const base = await tempFolder();
    await gitRepository(join(base, 'user'), { 'a.txt': '1\n' });
    const { models, asked, questions, letGo } = held(1, ({ goal, turn }) => {
      if (turn === 0) return { calls: [goal === 'Find it' ? write('1\n2\n') : read] };
      return found;
    });
    const write = (content: string) => ['workspace_write', { path: 'new.txt', content }] as const;
    const read = ['workspace_read', { path: 'new.txt' }] as const;
    const atWork = await agentsAtWork({ models, folder: join(base, 'studio') });
    await atWork.call('repository.register', { path: join(base, 'user') });
    const id = await begin(atWork);
    await questions(2);
    const fork = { workUnitId: id, newGoal: 'Find another', profileId: 'worker', constraintText: 'quickly' };
    const { newWorkUnitId } = (await atWork.call('steering.forkFromNode', fork)) as { newWorkUnitId: string };
    await questions(4);
    expect(asked[2]).toMatchObject({ goal: 'Find another', turn: 0 });
    expect(asked[2]?.said).toContain('quickly');
    expect(turnsOf(atWork, newWorkUnitId)[0]?.toolResults[0]?.result).toContain('1\\n2\\n');
    for (const one of [id, newWorkUnitId]) letGo(one);
    await atWork.until(() => [id, newWorkUnitId].every((one) => statusOf(atWork, one) === 'Completed'));
    expect(turnsOf(atWork, id)).toHaveLength(2);
  });

  it('that fails is tried again three times; then a correction alone gives it a fresh start', async () => {
    let isCorrected = false;
    const said: string[] = [];
    const models = scriptedModels((asked) => {
      said.push(asked.said);
      if (!isCorrected) throw new ProviderError('refused', 'no');
      return found;
    });
    const atWork = await agentsAtWork({ models });
    const id = await begin(atWork);
    const failures = () => atWork.records.deadLetters.where('workUnit', id);
    const retry = async (action: string, more: object = {}) => {
      const count = failures().length;
      await atWork.call(`dead-letter.${action}`, { entryId: failures().at(-1)!.entryId, ...more });
      await atWork.until(() => failures().length > count || statusOf(atWork, id) === 'Completed');
    };
    await atWork.until(() => failures().length === 1);
    await retry('retry');
    await retry('retry');
    expect(failures().map(({ attemptCount }) => attemptCount)).toEqual([1, 2, 3]);
    await expect(retry('retry')).rejects.toMatchObject({ reason: 'reject.attempts_exhausted' });
    expect(statusOf(atWork, id)).toBe('DeadLettered');
    await retry('retryWithContext', { steeringContext: 'ask politely' });
    expect(failures().at(-1)).toMatchObject({ attemptCount: 1, maxAttemptsReached: false });
    isCorrected = true;
    await retry('retry');
    expect(statusOf(atWork, id)).toBe('Completed');
    expect(said.slice(0, 3).filter((text) => text.includes('ask politely'))).toEqual([]);
    expect(said.at(-1)).toContain('ask politely');
    expect(said).toHaveLength(5);
  });

  it('that has asked waits through a restart, until it is answered or its time is over', async () => {
    const wall = new ManualClock();
    const said: string[] = [];
    const models = scriptedModels((asked) => {
      said.push(asked.said);
      const ask = { question: `${asked.goal}: how?`, timeoutSeconds: 600, defaultResponse: 'as usual' };
      return asked.turn === 0 ? { calls: [['clarification_request', ask]] } : found;
    });
    const first = await agentsAtWork({ models, wall });
    const [answered, left] = [await begin(first, { goal: 'one' }), await begin(first, { goal: 'two' })];
    const isParked = ({ scheduledItems }: AgentsAtWork['records'], id: string) =>
      scheduledItems.get(id)?.parkedFor === 'Clarification';
    await first.until((records) => isParked(records, answered) && isParked(records, left));
    wall.pass(400_000);
    await first.stop();
    const second = await agentsAtWork({ models, wall, host: first.host });
    expect([answered, left].map((id) => isParked(second.records, id))).toEqual([true, true]);
    expect(said).toHaveLength(2);
    await second.call('clarification.respond', { workUnitId: answered, response: 'by hand' });
    await second.until(() => statusOf(second, answered) === 'Completed');
    expect(said.at(-1)).toBe('Asked: one: how?\nAnswered: by hand');
    wall.pass(199_000);
    await second.settled();
    expect(statusOf(second, left)).toBe('Waiting');
    wall.pass(1_000);
    await second.until(() => statusOf(second, left) === 'Completed');
    expect(said.at(-1)).toBe('Asked: two: how?\nAnswered: as usual');
    expect(said).toHaveLength(4);
  });
});
