import { describe, expect, it } from 'vitest';
import { agentsAtWork } from '../testing/work/agents-at-work.js';
import { fakeProgram } from '../testing/models/fake-programs.js';
import type { Played } from '../testing/models/fake-vendor.js';
import { ManualClock } from '../testing/manual-clock.js';
import { codexCli } from '../models/providers/programs/command-line.js';
import { makeProvider } from '../models/providers/make-provider.js';
import { withRetries } from '../models/providers/replies/with-retries.js';

const research = { type: 'Research', title: 'Found', body: 'it' };
const found: Played = { calls: [{ name: 'svc_v1_artifact_record', input: research }] };

/** An agent that works through a program, which is killed in the middle of each of its first turns. */
async function killed(times: number, played: readonly Played[]) {
  const fake = await fakeProgram('codex', played);
  const clock = new ManualClock();
  const provider = await makeProvider(
    { kind: 'codex-cli', command: fake.command },
    { ...fake, clock, random: () => 0, keyOf: () => Promise.resolve(undefined), readFile: () => Promise.resolve('') },
  );
  const atWork = await agentsAtWork({ models: () => ({ model: 'm', provider }) });
  const wanted = { goal: 'Find it', expectedOutputKind: 'KnowledgeArtifact' };
  const { workUnitId } = (await atWork.call('workunit.create', wanted)) as { workUnitId: string };
  await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
  const { records } = atWork;
  const statusOf = () => records.workUnits.get(workUnitId)?.status ?? '';
  const ended = new Set<number>();
  while (!['Completed', 'DeadLettered'].includes(statusOf())) {
    const begun = (await fake.told()).flatMap(({ pids }) => pids.slice(0, 1));
    for (const pid of begun.filter((one) => !ended.has(one)).slice(0, times - ended.size)) {
      process.kill(pid, 'SIGKILL');
      ended.add(pid);
    }
    // What is waited for before the next time.
    clock.pass(60_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await fake.quiet();
  return { records, workUnitId, status: statusOf(), kills: ended.size };
}

describe('an agent whose program is killed in the middle of a turn', () => {
  it('fault 10: takes the turn again, and goes on', async () => {
    const { records, workUnitId, status, kills } = await killed(1, ['hang', found]);
    expect([status, kills]).toEqual(['Completed', 1]);
    expect(records.conversationEntries.where('workUnit', workUnitId)).toMatchObject([{ phase: 'done' }]);
  });

  it('fault 10: gives up when it is killed each time, and people say what to do', async () => {
    const { records, workUnitId, status, kills } = await killed(10, ['hang']);
    expect([status, kills]).toEqual(['DeadLettered', 6]);
    expect(records.deadLetters.all()).toMatchObject([
      { workUnitId, kind: 'Exception', reason: 'the model did not answer: node ended without an answer' },
    ]);
    // It is with nobody any more.
    expect(records.scheduledItems.where('place', 'leased')).toEqual([]);
    expect(records.agents.where('workUnit', workUnitId).map(({ status: is }) => is)).not.toContain('active');
  });
});

describe('an agent whose program falls silent', () => {
  it('fault 15: gives up after it was asked again, and leaves nothing running', async () => {
    const { quiet, ...fake } = await fakeProgram('codex', ['hang']);
    const clock = new ManualClock();
    const limits = { silenceMs: 500, wholeMs: 600_000, mostBytes: 1 << 20 };
    const provider = withRetries(codexCli({ ...fake, limits, key: () => undefined }), { clock, random: () => 0 });
    const atWork = await agentsAtWork({ models: () => ({ model: 'm', provider }) });
    const { workUnitId } = (await atWork.call('workunit.create', { goal: 'Find it' })) as { workUnitId: string };
    await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    const { deadLetters, scheduledItems, workUnits } = atWork.records;
    while (workUnits.get(workUnitId)?.status !== 'DeadLettered') {
      clock.pass(60_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(deadLetters.all()).toMatchObject([{ workUnitId, kind: 'Exception' }]);
    expect(deadLetters.all()[0]?.reason).toMatch(/^the model did not answer: .* did not answer within/);
    expect(scheduledItems.where('place', 'leased')).toEqual([]);
    await quiet();
  });
});
