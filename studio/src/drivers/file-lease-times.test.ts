/** Leases of files are bounded by time: who waits for one has it half an hour after its holder wrote the file last. */
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it } from 'vitest';
import { askForFile } from '../rules/queue/file-leases.js';
import { ManualClock } from '../testing/manual-clock.js';
import { openRecord } from '../testing/record/open-record.js';
import { keepTimes } from './keep-times.js';

const MINUTE = 60_000;

interface Unit {
  readonly workUnitId: string;
}

/** Two parts of one goal, of which the second waits for a file of the first. */
async function waiting() {
  const host = createHost({ store: memoryStore() });
  const wall = new ManualClock(Date.parse('2026-01-01T00:00:00Z'));
  const begin = async () => {
    const record = await openRecord(host, { wall });
    const { ledger, records } = record;
    const times = keepTimes({ ledger, records, wall, steady: new ManualClock(0), log: () => undefined });
    return { ...record, times };
  };
  const record = await begin();
  const { records, call, change, ledger } = record;
  const { workUnitId: root } = (await call('workunit.create', { goal: 'all' })) as Unit;
  const [a = '', b = ''] = await Promise.all(
    ['a', 'b'].map(async (goal) => {
      const { workUnitId } = (await call('workunit.create', { goal, parentWorkUnitId: root })) as Unit;
      await call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
      return workUnitId;
    }),
  );
  const ask = (workUnitId: string, path = 'a.txt') => change((open) => askForFile(open, records, workUnitId, path));
  await ask(a);
  await ask(b);
  const holder = () => records.fileLeases.all().find(({ path }) => path === 'a.txt')?.holderWorkUnitId;
  const pass = async (minutes: number): Promise<void> => {
    wall.pass(minutes * MINUTE);
    await ledger.settled();
  };
  const status = async () =>
    (await call('external-goal.status', { goalId: root })) as { readonly waitsForFiles: readonly string[] };
  return { ...record, begin, a, b, ask, holder, pass, status };
}

describe('a file that others wait for', () => {
  it('is seen in the status of their goal, with who waits and until when', async () => {
    const { status, a, b } = await waiting();
    expect((await status()).waitsForFiles).toEqual([
      `a.txt: ${a} has it, until 2026-01-01T00:30:00.000Z unless it writes it again; ${b} waits`,
    ]);
  });

  it('goes to the first of them half an hour after its holder wrote it last', async () => {
    const { records, holder, pass, ask, status, a, b } = await waiting();
    await pass(20);
    await ask(a);
    await pass(29);
    expect([holder(), records.workUnits.get(b)?.status]).toEqual([a, 'Waiting']);
    await pass(2);
    expect([holder(), records.workUnits.get(b)?.status]).toEqual([b, 'Queued']);
    expect((await status()).waitsForFiles).toEqual([]);
    // Who had it waits like anybody else, and has it when the other has ended.
    expect(await ask(a)).toMatchObject({ holderWorkUnitId: b, waitQueue: [a] });
  });

  it('is renewed at most twice in its time, however often it is written', async () => {
    const { ledger, ask, a, pass } = await waiting();
    await pass(16);
    const before = ledger.feed.last;
    for (let i = 0; i < 5; i++) await ask(a);
    expect(ledger.feed.last).toBe(before + 1);
  });

  it('goes on by itself after a restart of the host', async () => {
    const { times, close, begin, a, b, pass } = await waiting();
    times.close();
    close();
    const { records, ledger, times: again } = await begin();
    const holder = () => records.fileLeases.all()[0]?.holderWorkUnitId;
    expect(holder()).toBe(a);
    await pass(31);
    await ledger.settled();
    expect(holder()).toBe(b);
    again.close();
  });
});

it('a file that nobody waits for stays with who holds it, until somebody wants it', async () => {
  const { ask, pass, records, a, b } = await waiting();
  await ask(a, 'other.txt');
  const holder = () => records.fileLeases.all().find(({ path }) => path === 'other.txt')?.holderWorkUnitId;
  await pass(600);
  expect(holder()).toBe(a);
  expect(await ask(b, 'other.txt')).toMatchObject({ holderWorkUnitId: b, waitQueue: [] });
});
