import { describe, expect, it } from 'vitest';
import { LEASE_MS } from '../rules/queue/queue.js';
import { agentsAtWork } from '../testing/work/agents-at-work.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type Turn, scriptedModels } from '../testing/models/scripted-models.js';
import { ProviderError } from '../models/provider.js';

const found: Turn = { calls: [['artifact_record', { type: 'Research', title: 'Found', body: 'it' }]] };
const unit = { goal: 'Find it', owner: 'ann', expectedOutputKind: 'KnowledgeArtifact' };

async function begin(atWork: Awaited<ReturnType<typeof agentsAtWork>>, more: object = {}): Promise<string> {
  const { workUnitId } = (await atWork.call('workunit.create', { ...unit, ...more })) as { workUnitId: string };
  await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
  return workUnitId;
}

describe('an agent at work', () => {
  it('is told its task, uses tools, and ends when what was wanted is there', async () => {
    const asked: string[] = [];
    const atWork = await agentsAtWork({
      models: scriptedModels(({ said, turn }) => {
        asked.push(said);
        return turn === 0 ? found : { text: 'done' };
      }),
    });
    const id = await begin(atWork, { successCriteria: 'it is there' });
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'Completed');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('Goal: Find it\n\nIt is done when: it is there');
    const [cycle, ...more] = atWork.records.conversationEntries.where('workUnit', id);
    expect(more).toEqual([]);
    expect(cycle).toMatchObject({
      phase: 'done',
      cycleNumber: 1,
      stopReason: 'calls',
      inputTokens: 100,
      outputTokens: 10,
    });
    expect(cycle?.toolResults).toMatchObject([{ toolUseId: 'call-1-0', truncated: false }]);
    expect(atWork.records.agents.where('workUnit', id).map(({ status }) => status)).toEqual(['stopped']);
  });

  it('has its role told in the words that all of its profile are told, so that a vendor reads them from its cache', async () => {
    const systems: string[] = [];
    const models = scriptedModels(({ request }) => (systems.push(request.system), found));
    const atWork = await agentsAtWork({ models });
    const ids = [await begin(atWork), await begin(atWork, { goal: 'Find another', owner: 'bob' })];
    await atWork.until(({ workUnits }) => ids.every((id) => workUnits.get(id)?.status === 'Completed'));
    expect([systems.length, new Set(systems).size]).toEqual([2, 1]);
  });

  it('is told how much of an answer it is not shown', async () => {
    const heard: string[] = [];
    const atWork = await agentsAtWork({
      models: scriptedModels(({ turn, workUnitId, request }) => {
        heard.push(request.messages.at(-1)?.text ?? '');
        return turn === 0 ? { calls: [['workunit_get', { workUnitId }]] } : found;
      }),
    });
    const id = await begin(atWork, { goal: 'x'.repeat(90_000) });
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'Completed');
    const [, shown = '', left] =
      /^([^]*)\n\[(\d+) more characters of the answer were cut; ask for less at once\]$/.exec(heard[1]!) ?? [];
    expect([shown.length, Number(left) > 20_000]).toEqual([64 * 1024, true]);
  });

  it('is reminded of what it left out, and fails when that does not help', async () => {
    const asked: string[] = [];
    const atWork = await agentsAtWork({ models: scriptedModels(({ said }) => (asked.push(said), { text: 'done' })) });
    const id = await begin(atWork);
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'DeadLettered');
    expect(atWork.records.deadLetters.all()).toMatchObject([
      { kind: 'ProgressNotVerified', reason: 'the agent stopped, but nothing is recorded', profileId: 'worker' },
    ]);
    expect(asked.slice(1)).toEqual(Array(2).fill('You stopped, but nothing is recorded. Do what is left, or ask.'));
  });

  it('fault 15: does the same again and again, and is stopped', async () => {
    const atWork = await agentsAtWork({ models: scriptedModels(() => ({ calls: [['workunit_list', {}]] })) });
    const id = await begin(atWork);
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'DeadLettered');
    expect(atWork.records.deadLetters.all()).toMatchObject([
      { kind: 'Stalled', reason: 'the same was done 5 times: svc_v1_workunit_list' },
    ]);
    expect(atWork.records.conversationEntries.where('workUnit', id)).toHaveLength(5);
  });

  it('fault 15: goes on for ever, and is stopped by its budget of turns; continued, it goes on where it was', async () => {
    const turns: number[] = [];
    let isEnough = false;
    const atWork = await agentsAtWork({
      models: scriptedModels(({ turn }) => {
        turns.push(turn);
        return isEnough ? found : { calls: [['artifact_query', { keywords: `${turn}` }]] };
      }),
    });
    const id = await begin(atWork);
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'DeadLettered');
    const [entry] = atWork.records.deadLetters.all();
    expect(entry).toMatchObject({ kind: 'MaxIterationsExceeded', reason: '200 turns were not enough' });
    isEnough = true;
    await atWork.call('dead-letter.goOn', { entryId: entry!.entryId });
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'Completed');
    expect(turns).toEqual([...Array(201).keys()]);
  });

  it('asks a person, waits, and goes on with the answer', async () => {
    const said: string[] = [];
    const atWork = await agentsAtWork({
      models: scriptedModels((asked) => {
        said.push(asked.said);
        return asked.turn === 0 ? { calls: [['clarification_request', { question: 'red or blue?' }]] } : found;
      }),
    });
    const id = await begin(atWork);
    await atWork.until(({ scheduledItems }) => scheduledItems.get(id)?.parkedFor === 'Clarification');
    await atWork.call('clarification.respond', { workUnitId: id, response: 'blue' });
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'Completed');
    expect(said[1]).toBe('Asked: red or blue?\nAnswered: blue');
  });

  it('stops at its next step when it is paused, and goes on with what a person says', async () => {
    let answer = (): void => undefined;
    const said: string[] = [];
    const atWork = await agentsAtWork({
      models: scriptedModels(async (asked) => {
        said.push(asked.said);
        if (asked.turn === 0) await new Promise<void>((resolve) => (answer = resolve));
        return asked.turn === 0 ? { calls: [['artifact_query', {}]] } : found;
      }),
    });
    const id = await begin(atWork);
    await atWork.until(({ conversationEntries }) => conversationEntries.all().length > 0);
    await atWork.call('goal.pause', { goalId: id });
    answer();
    await atWork.until(({ conversationEntries }) => conversationEntries.all()[0]?.phase === 'answered');
    expect(atWork.records.scheduledItems.get(id)).toMatchObject({ place: 'parked', parkedFor: 'Paused' });
    await atWork.call('goal.resume', { goalId: id, steering: 'look in the attic' });
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'Completed');
    expect(said).toHaveLength(2);
    expect(said[1]).toContain('look in the attic');
    expect(atWork.records.conversationEntries.all()[0]?.toolResults).toHaveLength(1);
  });

  it.each(['session', 'agent'] as const)(
    'stops at its next step when its %s is paused, and goes on there',
    async (what) => {
      let answer = (): void => undefined;
      let asked = 0;
      const atWork = await agentsAtWork({
        models: scriptedModels(async ({ turn }) => {
          asked += 1;
          if (turn === 0) await new Promise<void>((resolve) => (answer = resolve));
          return turn === 0 ? { calls: [['artifact_record', { type: 'Constraint', title: 'a', body: 'b' }]] } : found;
        }),
      });
      const id = await begin(atWork);
      const { records } = atWork;
      const { sessionId } = (await atWork.call('session.start', { rootWorkUnitId: id, profileIds: ['worker'] })) as {
        sessionId: string;
      };
      await atWork.until(({ conversationEntries }) => conversationEntries.all().length > 0);
      const paused = what === 'session' ? { sessionId } : { agentId: records.scheduledItems.get(id)?.leasedBy };
      await atWork.call(`${what}.pause`, paused);
      answer();
      await atWork.until(({ conversationEntries }) => conversationEntries.all()[0]?.phase === 'answered');
      expect(records.scheduledItems.get(id)).toMatchObject({ place: 'parked', parkedFor: 'Paused' });
      expect(records.artifacts.where('owner', id)).toEqual([]);
      await atWork.call(`${what}.resume`, paused);
      await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'Completed');
      // What was answered before is done, and not asked again.
      expect([asked, records.artifacts.where('owner', id).length]).toEqual([2, 2]);
    },
  );

  it('keeps its lease however long a model thinks, and loses it to nobody', async () => {
    const clock = new ManualClock();
    let answer = (): void => undefined;
    const atWork = await agentsAtWork({
      steady: clock.steady,
      models: scriptedModels(async () => {
        await new Promise<void>((resolve) => (answer = resolve));
        return found;
      }),
    });
    const id = await begin(atWork);
    await atWork.until(({ conversationEntries }) => conversationEntries.all().length > 0);
    for (let waited = 0; waited < 4 * LEASE_MS; waited += 1000) clock.pass(1000);
    await atWork.ledger.settled();
    expect(atWork.records.scheduledItems.get(id)).toMatchObject({ place: 'leased', generation: 1 });
    answer();
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'Completed');
    expect(atWork.records.conversationEntries.all()).toHaveLength(1);
  });

  it('is told what people have promoted: guidance of its stage, and rules for all work', async () => {
    const heard: string[] = [];
    const atWork = await agentsAtWork({
      models: scriptedModels(({ request, said }) => {
        heard.push(`${request.system}\n${said}`);
        return found;
      }),
    });
    const imported = [
      ['PromptImprovement', 'Execute', 'say why'],
      ['PromptImprovement', 'Plan', 'plan less'],
      ['KnowledgeGuideline', undefined, 'no cache'],
      ['KnowledgeGuideline', undefined, 'dismissed'],
    ].map(([kind, targetStage, title]) => ({ kind, targetStage, title, summary: `${title}, always` }));
    await atWork.call('finding.imported', { findings: imported });
    for (const { findingId, title } of atWork.records.findings.all())
      await atWork.call('finding.review', {
        findingId,
        decision: title === 'dismissed' ? 'Dismissed' : 'Promoted',
      });
    const id = await begin(atWork);
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'Completed');
    expect(heard).toHaveLength(1);
    for (const [text, isTold] of [
      ['say why, always', true],
      ['plan less', false],
      ['no cache, always', true],
      ['dismissed', false],
    ] as const)
      expect([text, heard[0]?.includes(text)]).toEqual([text, isTold]);
  });

  it('is stopped in the middle of a question when its unit is cancelled', async () => {
    let stopped = (): void => undefined;
    const hasStopped = new Promise<void>((resolve) => (stopped = resolve));
    const atWork = await agentsAtWork({
      models: scriptedModels(
        (_asked, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              stopped();
              reject(new ProviderError('stopped', 'stopped'));
            });
          }),
      ),
    });
    const id = await begin(atWork);
    await atWork.until(({ conversationEntries }) => conversationEntries.all().length > 0);
    await atWork.call('workunit.stopAll', {});
    await hasStopped;
    await atWork.until(({ conversationEntries }) => conversationEntries.all()[0]?.phase === 'failed');
    expect(atWork.records.workUnits.get(id)?.status).toBe('Cancelled');
  });

  it('fault 37: a model that refuses the key leaves the unit waiting for another, and what cannot be asked fails', async () => {
    let fault: 'unauthorized' | 'overloaded' | 'malformed' = 'unauthorized';
    const atWork = await agentsAtWork({
      models: scriptedModels(() => {
        throw new ProviderError(fault, 'no');
      }),
    });
    const id = await begin(atWork);
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'DeadLettered');
    expect(atWork.records.deadLetters.all()).toMatchObject([{ kind: 'MissingCredentials' }]);
    fault = 'overloaded';
    await atWork.call('dead-letter.retry', { entryId: atWork.records.deadLetters.all()[0]!.entryId });
    await atWork.until(({ deadLetters }) => deadLetters.all().length === 2);
    expect(atWork.records.deadLetters.all()[1]).toMatchObject({
      kind: 'Exception',
      reason: 'the model did not answer: no',
      attemptCount: 2,
    });
    fault = 'malformed';
    await atWork.call('dead-letter.retry', { entryId: atWork.records.deadLetters.all()[1]!.entryId });
    await atWork.until(({ deadLetters }) => deadLetters.all().length === 3);
    expect(atWork.records.deadLetters.all()[2]?.reason).toBe('what the model answered cannot be used: no');
  });

  it('stops with the host, and goes on by itself after the next start', async () => {
    const script = scriptedModels(async ({ turn }, signal) => {
      if (turn > 0) return found;
      if (hold) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { calls: [['artifact_query', {}]] };
    });
    let hold = true;
    const first = await agentsAtWork({ models: script });
    const id = await begin(first);
    await first.until(({ conversationEntries }) => conversationEntries.all().length > 0);
    await first.stop();
    expect(first.records.scheduledItems.get(id)?.place).toBe('queued');
    hold = false;
    const second = await agentsAtWork({ models: script, host: first.host });
    await second.until(({ workUnits }) => workUnits.get(id)?.status === 'Completed');
  });
});

describe('a limit of a vendor', () => {
  it('holds back every unit with the same model until it is over: one tries first, then all go on', async () => {
    const wall = new ManualClock();
    let limits = 2;
    let asked = 0;
    const atWork = await agentsAtWork({
      wall,
      models: scriptedModels(() => {
        asked += 1;
        if (limits-- > 0) throw new ProviderError('rate-limited', 'five hours', { retryAfterMs: 18_000_000 });
        return found;
      }),
    });
    const first = await begin(atWork);
    await atWork.until(({ scheduledItems }) => scheduledItems.get(first)?.parkedFor === 'Limit');
    const others = [await begin(atWork), await begin(atWork)];
    const areParked = (): boolean => others.every((id) => atWork.records.scheduledItems.get(id)?.parkedFor === 'Limit');
    await atWork.until(areParked);
    expect(asked).toBe(1);
    // It tries too soon, is told so, and nobody else asks meanwhile.
    wall.pass(18_000_000);
    await atWork.until(() => asked === 2);
    wall.pass(60_000);
    await atWork.until(areParked);
    await atWork.settled();
    expect(asked).toBe(2);
    wall.pass(18_100_000);
    const all = [first, ...others];
    await atWork.until(({ workUnits }) => all.every((id) => workUnits.get(id)?.status === 'Completed'));
    expect(atWork.records.deadLetters.all()).toEqual([]);
  });

  it('of spending ends for all when a person says so for one', async () => {
    let isSpent = true;
    const atWork = await agentsAtWork({
      models: scriptedModels(() => {
        if (isSpent) throw new ProviderError('spent-out', 'no money');
        return found;
      }),
    });
    const all = [await begin(atWork), await begin(atWork)];
    await atWork.until(({ scheduledItems }) => all.every((id) => scheduledItems.get(id)?.parkedFor === 'Limit'));
    isSpent = false;
    await atWork.call('scheduler.resume', { workUnitId: all[1] });
    await atWork.until(({ workUnits }) => all.every((id) => workUnits.get(id)?.status === 'Completed'));
  });

  it('leaves units with another model alone', async () => {
    const limited = scriptedModels(() => {
      throw new ProviderError('rate-limited', 'not now', { retryAfterMs: 18_000_000 });
    });
    const free = scriptedModels(() => found, { model: 'scripted-2' });
    const models: typeof limited = (choice, asker) => (choice.model === 'other' ? free : limited)(choice, asker);
    const atWork = await agentsAtWork({ models });
    const waits = await begin(atWork);
    await atWork.until(({ scheduledItems }) => scheduledItems.get(waits)?.parkedFor === 'Limit');
    const { workUnitId } = (await atWork.call('workunit.create', unit)) as { workUnitId: string };
    await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker', provider: 'scripted', model: 'other' });
    await atWork.until(({ workUnits }) => workUnits.get(workUnitId)?.status === 'Completed');
    expect(atWork.records.scheduledItems.get(waits)?.parkedFor).toBe('Limit');
  });
});
