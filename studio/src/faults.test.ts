/**
 * What the studio must survive that has to do with its record. Each fault has a number, and at least one test that says it:
 * `fault 7: …` in the studio, `studio fault 1: …` where a whole program is killed.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as settled } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Host, type Store, StoreError, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { ManualClock as HostClock, altered } from '@weft/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agent } from './record/aggregates/agent/agent.js';
import { lease, leaseNext } from './rules/queue/queue.js';
import { aRepository } from './testing/work/a-repository.js';
import { type Unit, expectRefusal, makeUnit, post, queue, read, statusOf } from './testing/doors/calls.js';
import { ManualClock } from './testing/manual-clock.js';
import { openRecord } from './testing/record/open-record.js';
import { tempFolder } from './testing/temp-folder.js';
import { startTestStudio } from './testing/test-studio.js';

const FAULTS: Readonly<Record<number, string>> = {
  1: 'the end of the process between what is stored and what is shown',
  2: 'the end of the process while it stores, and a log that is torn',
  3: 'a bit that flips in what was stored',
  4: 'a disk that is full or fails',
  5: 'two hosts on one folder',
  6: 'clocks that jump',
  7: 'a stop while agents are at work',
  8: 'a start on a long log',
  9: 'a log of another version',
  10: 'the end of a program that an agent works through',
  11: 'programs that leave others behind',
  12: 'programs that outlive their host',
  13: 'programs that write without end',
  14: 'programs that do not want to end',
  15: 'agents that do the same again and again',
  16: 'a folder that goes while it is worked in',
  17: 'very many workspaces at once',
  18: 'a git that is killed',
  19: 'the end of the process while something lands',
  20: 'landings and promotions that race',
  21: 'a branch of the user that is elsewhere than it was',
  22: 'decisions that come twice, or too late',
  23: 'conflicts of what brings conflicts together',
  24: 'files of every kind, saved or not',
  25: 'branches and objects that go',
  26: 'taking away what is just being made',
  27: 'work that is in no queue, or in two',
  28: 'work that never has its turn',
  29: 'work that comes between looking and waiting',
  30: 'work that ends the host each time',
  31: 'ways out of failure that race',
  32: 'more work at once than there may be',
  33: 'questions answered twice, late, or by two',
  34: 'a tool call that is dropped and made again',
  35: 'followers of events that come and go',
  36: 'a follower that does not read',
  37: 'models that refuse, fall silent, break off or make no sense, and keys that end',
  38: 'budgets that end while work goes on beside other work',
  39: 'what strangers and mistaken clients send',
  40: 'an agent that calls what is for people',
  41: 'hosts that begin the same work while they do not hear of each other',
};

const root = fileURLToPath(new URL('../../', import.meta.url));

function numbersIn(folder: string, pattern: RegExp): number[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .flatMap((path) => [...readFileSync(join(root, folder, path), 'utf8').matchAll(pattern)])
    .map(([, number]) => Number(number));
}

/** A studio on a folder, which another one may be started on when it has ended. */
async function startOn(folder: string, branches?: string) {
  const host = createHost({ store: levelStore(folder) });
  const studio = await startTestStudio(host, branches === undefined ? {} : { folder: branches });
  const end = async (): Promise<void> => {
    await studio.close();
    await host.close();
  };
  onTestFinished(end);
  return { studio, host, end };
}

async function idsOf(studio: Parameters<typeof read>[0]): Promise<string[]> {
  return (await read<Unit[]>(studio, '/workunits')).map(({ workUnitId }) => workUnitId);
}

describe('faults', () => {
  it('have a test for each number', () => {
    const named = new Set([
      ...numbersIn('studio/src', /'fault (\d+): /g),
      ...numbersIn('test', /'studio fault (\d+): /g),
    ]);
    expect(Object.keys(FAULTS).filter((number) => !named.has(Number(number)))).toEqual([]);
  });

  it('fault 3: a bit that flips in what was stored is never taken for what was', async () => {
    const folder = await tempFolder();
    const first = await startOn(folder);
    for (let n = 0; n < 30; n++) await makeUnit(first.studio, { goal: `number ${n} ${'x'.repeat(200)}` });
    const ids = await idsOf(first.studio);
    await first.end();
    // What was written last becomes a table when the folder is opened again; it is a table that rots.
    await (await startOn(folder)).end();
    const all = await readdir(folder, { recursive: true, withFileTypes: true });
    const tables = all.filter((file) => file.isFile() && file.name.endsWith('.ldb'));
    expect(tables.length).toBeGreaterThan(0);
    let refusals = 0;
    for (const { parentPath, name } of tables) {
      const path = join(parentPath, name);
      const whole = await readFile(path);
      for (const part of [0.1, 0.3, 0.6]) {
        const bent = Buffer.from(whole);
        bent[Math.floor(whole.length * part)]! ^= 1;
        await writeFile(path, bent);
        const host = createHost({ store: levelStore(folder) });
        // It is refused, or it was where nothing is any more; it is never served as less or as something else.
        const shown = await startTestStudio(host).then(idsOf, (error: Error) => error.message);
        if (typeof shown === 'string') refusals++;
        else expect(shown).toEqual(ids);
        await host.close();
        await writeFile(path, whole);
      }
    }
    expect(refusals).toBeGreaterThan(0);
    expect(await idsOf((await startOn(folder)).studio)).toEqual(ids);
  });

  it('fault 3: a bit that flips in what was written last is told, and not taken for an earlier end', async () => {
    const folder = await tempFolder();
    const first = await startOn(folder, folder);
    for (let n = 0; n < 20; n++) await makeUnit(first.studio, { goal: `number ${n} ${'x'.repeat(200)}` });
    await first.end();
    const [log = ''] = (await readdir(join(folder, 'log'))).filter((name) => name.endsWith('.log'));
    const { length } = await readFile(join(folder, 'log', log));
    for (const part of [0.3, 0.6, 0.9, 0.99]) {
      const damaged = join(await tempFolder(), 'data');
      await cp(folder, damaged, { recursive: true });
      const path = join(damaged, 'log', log);
      const bent = await readFile(path);
      bent[Math.floor(length * part)]! ^= 1;
      await writeFile(path, bent);
      const host = createHost({ store: levelStore(damaged) });
      await expect(startTestStudio(host, { folder: damaged }), `at ${part}`).rejects.toThrow('damaged');
      await host.close();
    }
    expect(await idsOf((await startOn(folder, folder)).studio)).toHaveLength(20);
  });

  it('fault 4: a disk that fails refuses what is asked, changes nothing, and is used again when it works', async () => {
    const store = memoryStore();
    let fault: StoreError['fault'] | undefined;
    const append: Store['log']['append'] = (...given) =>
      fault ? Promise.reject(new StoreError(fault, 'cannot write to /secret')) : store.log.append(...given);
    const host = createHost({ store: { ...store, log: altered(store.log, { append }) } });
    onTestFinished(() => host.close());
    const studio = await startTestStudio(host);
    const before = await makeUnit(studio);
    for (const [broken, status, code] of [
      ['full', 507, 'reject.disk_full'],
      ['failed', 503, 'reject.store_failed'],
      ['unreadable', 503, 'reject.store_failed'],
    ] as const) {
      fault = broken;
      studio.log.length = 0;
      const refused = await studio.call('POST', '/studio/workunits', { body: { goal: 'lost' } });
      expect(refused.status).toBe(status);
      const { requestId, recovery } = refused.json as { requestId: string; recovery: string[] };
      expect(refused.json).toMatchObject({ code, retryable: true });
      expect(recovery.length).toBeGreaterThan(1);
      // Who runs the host reads the cause; who calls does not learn its folders.
      expect(refused.text).not.toContain('/secret');
      expect(studio.log).toMatchObject([{ level: 'error', about: { requestId }, error: { fault: broken } }]);
      expect(await idsOf(studio)).toEqual([before.workUnitId]);
    }
    fault = undefined;
    const after = await makeUnit(studio);
    expect(await idsOf(studio)).toEqual([before.workUnitId, after.workUnitId]);
  });

  it('fault 4: a disk that is nearly full refuses what would fill it, and is read', async () => {
    let left = 3000;
    const clock = new HostClock();
    const store = { ...memoryStore(), free: () => Promise.resolve(left) };
    const host = createHost({ store, clock, limits: { diskFreeBytes: 2000 } });
    onTestFinished(() => host.close());
    const studio = await startTestStudio(host);
    const before = await makeUnit(studio);
    left = 1000;
    // The host looks at its disk every two seconds.
    clock.advance(2000);
    await settled();
    const refused = await studio.call('POST', '/studio/workunits', { body: { goal: 'lost' } });
    expect(refused).toMatchObject({ status: 507, json: { code: 'reject.disk_full', retryable: true } });
    expect(await idsOf(studio)).toEqual([before.workUnitId]);
  });

  it('fault 5: a second host on the same folder is refused, and harms nothing', async () => {
    const folder = await tempFolder();
    const { studio } = await startOn(folder);
    const { workUnitId } = await makeUnit(studio);
    const second: Host = createHost({ store: levelStore(folder) });
    await expect(startTestStudio(second)).rejects.toThrow();
    await second.close();
    await makeUnit(studio);
    expect((await idsOf(studio)).at(0)).toBe(workUnitId);
  });

  it('fault 6: a clock that goes back and forth changes no order, nor who has the next turn', async () => {
    const wall = new ManualClock();
    const { call, change, records } = await openRecord(undefined, { wall });
    await aRepository({ change });
    const ids: string[] = [];
    for (const hours of [0, -1, 2, -24, 23]) {
      wall.jump(hours * 3_600_000);
      const { workUnitId } = (await call('external-goal.run', { goal: 'x' })) as Unit;
      ids.push(workUnitId);
    }
    expect(records.workUnits.all().map(({ workUnitId }) => workUnitId)).toEqual(ids);
    const happened = (await call('replay.timeline', {})) as { kind: string; entityId: string; occurredAt: string }[];
    const created = happened.filter(({ kind }) => kind === 'WorkUnitCreated');
    expect(created.map(({ entityId }) => entityId)).toEqual(ids);
    expect(created.map(({ occurredAt }) => occurredAt)).not.toEqual(created.map((one) => one.occurredAt).toSorted());
    const taker = { agentId: 'a', most: 9, hasKey: () => true };
    for (const id of ids) expect((await change((open) => leaseNext(open, records, taker)))?.workUnitId).toBe(id);
  });

  it('fault 32: everything is stopped while more and more is begun, and nothing begins below what has stopped', async () => {
    const studio = await startTestStudio();
    const { records, close } = await openRecord(studio.host);
    const roots: Unit[] = [];
    for (let n = 0; n < 10; n++) roots.push(await makeUnit(studio));
    const storm = roots.flatMap(({ workUnitId }) => [
      ['/workunits', { goal: 'part', parentWorkUnitId: workUnitId }] as const,
      ['/agents/spawn', { agentType: 'worker', workUnitId }] as const,
      ['/workunits', { goal: 'late', parentWorkUnitId: workUnitId }] as const,
    ]);
    const asked = [...storm.slice(0, 15), ['/stop-all', {}] as const, ...storm.slice(15)];
    const answers = await Promise.all(asked.map(([path, body]) => studio.call('POST', `/studio${path}`, { body })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(new Set(records.workUnits.all().map(({ status }) => status))).toEqual(new Set(['Cancelled']));
    expect(records.agents.all().filter(({ status }) => status !== 'stopped')).toEqual([]);
    expect(records.scheduledItems.all().filter(({ place }) => place !== 'removed')).toEqual([]);
    close();
  });

  it('fault 33: a question that was asked before a restart is answered after it, once', async () => {
    const folder = await tempFolder();
    const first = await startOn(folder);
    const unit = await makeUnit(first.studio);
    await queue(first.studio, unit);
    const ask = { workUnitId: unit.workUnitId, question: 'which?' };
    const { requestId } = await post<{ requestId: string }>(first.studio, '/clarifications/request', ask);
    await first.end();
    const { studio } = await startOn(folder);
    const path = `/clarifications/${unit.workUnitId}/respond`;
    const answer = { requestId, response: 'this' };
    expect(await post(studio, path, answer)).toMatchObject({ requestId, resumed: true });
    expect(await statusOf(studio, unit)).toBe('Queued');
    await expectRefusal(studio, ['POST', path, answer], 409, 'clarification_closed');
  });

  it('fault 7: what twenty agents are at when the host stops can be taken up again', async () => {
    const folder = await tempFolder();
    const first = await startOn(folder);
    const units: Unit[] = [];
    for (let n = 0; n < 20; n++) units.push(await makeUnit(first.studio));
    for (const unit of units) await queue(first.studio, unit);
    const { change, close } = await openRecord(first.host);
    for (const [n, { workUnitId }] of units.entries()) await change((open) => lease(open, workUnitId, `a-${n}`));
    close();
    await first.end();
    const { studio } = await startOn(folder);
    expect(await read(studio, '/scheduler/awaiting-resume')).toHaveLength(20);
    for (const unit of units) expect(await statusOf(studio, unit)).toBe('Waiting');
    expect(await post(studio, '/scheduler/resume-all')).toEqual({ resumedCount: 20 });
    for (const unit of units) expect(await statusOf(studio, unit)).toBe('Queued');
  });

  it('fault 8: a start on a long log shows what was, without being told of it again', async () => {
    const folder = await tempFolder();
    const first = await startOn(folder);
    const { change, ledger, close } = await openRecord(first.host);
    const { workUnitId } = await makeUnit(first.studio);
    for (let round = 0; round < 20; round++)
      await change((open) => {
        for (let n = 0; n < 250; n++)
          open.run(agent, `a-${round}-${n}`, 'spawn', {
            agentId: `a-${round}-${n}`,
            agentType: 'worker',
            workUnitId,
            profileId: 'worker',
          });
      });
    const last = ledger.feed.last;
    const agents = await read(first.studio, '/agents?all=true');
    close();
    await first.end();
    const { studio, host } = await startOn(folder);
    expect(await read(studio, '/agents?all=true')).toEqual(agents);
    const again = await openRecord(host);
    expect(again.ledger.feed.last).toBe(last);
    again.close();
  });
});
