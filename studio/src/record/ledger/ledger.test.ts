import { StoreError, createHost } from '@weft/core';
import type { Entry, Host, Room, Store } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { altered } from '@weft/core/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { localCommand } from '../aggregates/command/command.js';
import { constraintSwitch } from '../aggregates/constraint-switch/constraint-switch.js';
import { OPTIONS_ID, options } from '../aggregates/options/options.js';
import { session } from '../aggregates/session/session.js';
import { Tallies, tally } from '../../testing/tally.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { TEST_TIME, openTestLedger } from '../../testing/record/test-ledger.js';
import { createRecords } from '../views/records.js';
import type { Change } from './change.js';
import type { EventRoom } from './ledger.js';

/** A ledger that keeps tallies. */
async function open(given?: Host, parts: Parameters<typeof openTestLedger>[1] = {}) {
  const tallies = new Tallies();
  const records = createRecords();
  const collections = [...Object.values(records), tallies];
  return { tallies, ...(await openTestLedger(given, { collections, ...parts })), records };
}

const opening = (id: string) => (change: Change) => change.run(tally, id, 'open', { id });
const adding = (id: string, much: number) => (change: Change) => change.run(tally, id, 'add', { much });
const written = (key: string, value: unknown) => () => ({ writes: [{ key, value }], result: undefined });

/** The nodes of a room that hold events, by the keys that they write. */
async function nodesOf(room: Room): Promise<string[][]> {
  const found: Entry[] = [];
  for await (const entry of room.history()) {
    if (entry.writes.some(({ key }) => key.startsWith('studio/'))) found.push(entry);
  }
  return found.map(({ writes }) => writes.map(({ key }) => key));
}

describe('a change', () => {
  it('stores one key per event, with when and by whom, and answers what its work answers', async () => {
    const { workgroup, ledger } = await open();
    const answer = await ledger.change('operate', (change) => {
      change.run(tally, 't', 'open', { id: 't' });
      return change.run(tally, 't', 'add', { much: 2 }).sum;
    });
    expect(answer).toBe(2);
    expect(workgroup.get('studio/tally/t/1')).toEqual({
      type: 'TallyAdded',
      v: 1,
      much: 2,
      meta: { at: TEST_TIME, by: 'operate', cause: 'studio/tally/t/0' },
    });
  });

  it('over several streams is one node', async () => {
    const { workgroup, ledger } = await open();
    await ledger.change('operate', (change) => {
      for (const id of ['a', 'b']) opening(id)(change);
      adding('a', 1)(change);
    });
    expect(await nodesOf(workgroup)).toEqual([['studio/tally/a/0', 'studio/tally/b/0', 'studio/tally/a/1']]);
  });

  it('stores nothing when a decision throws, whatever was decided before it', async () => {
    const { workgroup, ledger, tallies } = await open();
    const half = ledger.change('operate', (change) => {
      opening('a')(change);
      adding('b', 1)(change);
    });
    await expect(half).rejects.toMatchObject({ reason: 'reject.goal_not_found' });
    expect([await nodesOf(workgroup), tallies.all()]).toEqual([[], []]);
    await ledger.change('operate', opening('b'));
    expect(tallies.get('b')).toBeDefined();
  });

  it('stores nothing when nothing changes', async () => {
    const { workgroup, ledger } = await open();
    await ledger.change('operate', opening('a'));
    expect(await ledger.change('operate', adding('a', 0))).toMatchObject({ sum: 0 });
    expect(await nodesOf(workgroup)).toHaveLength(1);
  });

  it('resolves only when a read sees it', async () => {
    const { ledger, tallies } = await open();
    await ledger.change('operate', opening('a'));
    expect(tallies.get('a')).toMatchObject({ sum: 0, at: TEST_TIME, by: 'operate' });
  });

  it('sees what it has done itself, also where it has not decided', async () => {
    const { ledger, tallies } = await open();
    await ledger.change('operate', (change) => {
      opening('a')(change);
      adding('a', 4)(change);
      expect(change.state(tally, 'a')).toMatchObject({ sum: 4 });
      expect(tallies.get('a')).toBeUndefined();
    });
  });

  it('is decided after those before it, and sees what came of them', async () => {
    const { ledger, tallies } = await open();
    await ledger.change('operate', opening('a'));
    const all = await Promise.allSettled(Array.from({ length: 30 }, () => ledger.change('operate', adding('a', 1))));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(tallies.get('a')).toMatchObject({ sum: 10 });
  });

  it('to the workgroup and to local facts at once is a bug', async () => {
    const { ledger, workgroup, local } = await open();
    const both = ledger.change('operate', (change) => {
      opening('a')(change);
      change.run(localCommand, 'c', 'answer', { operation: 'x', input: '', answer: 1 });
    });
    await expect(both).rejects.toThrow('one change cannot write to the workgroup and to local facts');
    expect([await nodesOf(workgroup), await nodesOf(local)]).toEqual([[], []]);
  });

  it('to local facts stays out of the workgroup and of the feed', async () => {
    const { ledger, workgroup, local, records } = await openTestLedger();
    await ledger.change('operate', (change) =>
      change.run(localCommand, 'c', 'answer', { operation: 'x', input: '', answer: 1 }),
    );
    expect(await nodesOf(local)).toEqual([['studio/local-command/c/0']]);
    expect([await nodesOf(workgroup), ledger.feed.last]).toEqual([[], 0]);
    expect(records.localCommands.get('c')).toMatchObject({ answer: 1 });
    // Nor is one of which the feed of the workgroup would tell.
    await ledger.change('operate', (change) =>
      change.run(constraintSwitch, 'K-1', 'toggle', { artifactId: 'K-1', disabled: true }),
    );
    expect(await nodesOf(local)).toHaveLength(2);
    expect(ledger.feed.last).toBe(0);
  });

  it('to local facts is shown again after a restart, as it was', async () => {
    const { ledger, host, records } = await openTestLedger();
    for (const id of ['c', 'd'])
      await ledger.change('operate', (change) =>
        change.run(localCommand, id, 'answer', { operation: 'x', input: '', answer: 1 }),
      );
    await ledger.settled();
    ledger.close();
    expect(records.localCommands.all()).toHaveLength(2);
    const again = await openTestLedger(host);
    expect(again.records.localCommands.all()).toEqual(records.localCommands.all());
  });

  it('of a thing that no collection folds is a bug', async () => {
    const { ledger } = await openTestLedger();
    await expect(ledger.change('operate', opening('a'))).rejects.toThrow('no collection folds tally');
  });

  it('says which work unit and session its events are about, and what they follow from', async () => {
    const { ledger } = await open(undefined, { sessionOf: (id) => (id === 'wu-1' ? 'ses-1' : undefined) });
    await ledger.change('operate', (change) => {
      change.run(tally, 'a', 'open', { id: 'a', workUnitId: 'wu-1' });
      change.run(tally, 'b', 'open', { id: 'b', workUnitId: 'wu-2' });
      change.run(tally, 'c', 'open', { id: 'c' });
    });
    const told = { at: TEST_TIME, by: 'operate' };
    const cause = 'studio/tally/a/0';
    expect(ledger.feed.after(0).map(({ stored }) => stored.meta)).toEqual([
      { ...told, workUnitId: 'wu-1', sessionId: 'ses-1' },
      { ...told, workUnitId: 'wu-2', cause },
      { ...told, cause },
    ]);
    expect(ledger.feed.ofSession('ses-1').map(({ number }) => number)).toEqual([1]);
    expect(ledger.feed.ofWorkUnit('wu-2').map(({ number }) => number)).toEqual([2]);
    await ledger.change('operate', (change) => change.end(tally, 'b', 'end', {}));
    expect(ledger.feed.ofWorkUnit('wu-2').map(({ number }) => number)).toEqual([2, 4]);
  });
});

it('an event that is about no work unit is of no session, whatever session the change has begun', async () => {
  const { ledger } = await openTestLedger();
  await ledger.change('operate', (change) => {
    const sessionId = 'ses-1';
    const given = { rootWorkUnitId: 'wu-1', profileIds: [], modelConfigSnapshotJson: '{}' };
    change.run(session, sessionId, 'start', { sessionId, ...given });
    change.run(options, OPTIONS_ID, 'change', { maxGoalTokens: 1 });
  });
  const metas = ledger.feed.after(0).map(({ stored }) => stored.meta);
  expect(metas.map(({ sessionId }) => sessionId)).toEqual(['ses-1', undefined]);
  expect(ledger.feed.ofSession('ses-1')).toHaveLength(1);
});

describe('changes at once', () => {
  /** A store of which each append is counted, and refused while it is broken. */
  function counting() {
    const store = memoryStore();
    const counted = { appends: 0, isBroken: false };
    const append: Store['log']['append'] = (...given) => {
      counted.appends++;
      return counted.isBroken ? Promise.reject(new StoreError('full', 'no space')) : store.log.append(...given);
    };
    const host = createHost({ store: { ...store, log: altered(store.log, { append }) } });
    onTestFinished(() => host.close());
    return { host, counted };
  }

  it('become durable together, each as a node of its own that is decided on what those before it leave', async () => {
    const { host, counted } = counting();
    const { ledger, tallies, workgroup } = await open(host);
    await ledger.change('ann', opening('a'));
    counted.appends = 0;
    const seen: number[] = [];
    const much = [3, 4, 5, 2, 1, 1];
    const answers = await Promise.allSettled(
      much.map((one) =>
        ledger.change(`adds ${one}`, (change) => {
          seen.push(tallies.get('a')!.sum);
          return adding('a', one)(change).sum;
        }),
      ),
    );
    expect(seen).toEqual([0, 3, 7, 7, 9, 10]);
    expect(answers.map((one) => (one.status === 'fulfilled' ? one.value : 'refused'))).toEqual([
      ...[3, 7, 'refused', 9, 10, 'refused'],
    ]);
    expect(counted.appends).toBe(1);
    expect(await nodesOf(workgroup)).toEqual([0, 1, 2, 3, 4].map((n) => [`studio/tally/a/${n}`]));
    expect(ledger.feed.after(1).map(({ stored }) => stored.meta.by)).toEqual(['adds 3', 'adds 4', 'adds 2', 'adds 1']);
  });

  it('are refused when they are larger than one record can be, and others beside them are not', async () => {
    const { host } = counting();
    const { ledger, tallies } = await open(host);
    const tags = Array.from({ length: 3 }, (_, n) => `${n}`.repeat(400_000));
    const answers = await Promise.allSettled(
      [['x'], tags, ['y']].map((given, n) =>
        ledger.change('ann', (change) => change.run(tally, `${n}`, 'open', { id: `${n}`, tags: given })),
      ),
    );
    expect(answers[1]).toMatchObject({ reason: { reason: 'reject.change_too_large' } });
    expect(tallies.all().map(({ id }) => id)).toEqual(['0', '2']);
  });

  it('show nothing before it is durable, and leave nothing when it cannot be', async () => {
    const { host, counted } = counting();
    const { ledger, tallies } = await open(host);
    for (const id of ['a', 'b', 'c'])
      await ledger.change('ann', (open) => open.run(tally, id, 'open', { id, tags: ['x'] }));
    const shown = () => [tallies.all(), tallies.where('tag', 'x'), tallies.where('tag', 'y'), ledger.feed.last];
    const before = shown();
    counted.isBroken = true;
    const refused = ['b', 'a'].map((id) => ledger.change('ann', (open) => open.run(tally, id, 'tag', { tags: ['y'] })));
    const isRefused = Promise.all(refused.map((one) => expect(one).rejects.toMatchObject({ fault: 'full' })));
    for (let turn = 0; turn < 5; turn++) {
      expect(shown()).toEqual(before);
      await Promise.resolve();
    }
    await isRefused;
    expect(shown()).toEqual(before);
    counted.isBroken = false;
    await ledger.change('ann', (open) => open.run(tally, 'b', 'tag', { tags: ['y'] }));
    expect(tallies.where('tag', 'x').map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('of which one cannot be stored refuse that one', async () => {
    const { ledger, tallies } = await open();
    const half = 'half of it: \ud800';
    const answers = await Promise.allSettled(['a', half, 'b'].map((id) => ledger.change('ann', opening(id))));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(tallies.all().map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('with facts of this host among them are decided in the order in which they came', async () => {
    const { ledger, records, tallies } = await open();
    const answer = (id: string) => (change: Change) =>
      change.run(localCommand, id, 'answer', { operation: 'x', input: '', answer: tallies.all().length });
    const order: string[] = [];
    await Promise.all(
      [opening('a'), answer('1'), opening('b'), answer('2')].map((work, n) =>
        ledger.change<unknown>('ann', work).then(() => order.push(`${n}`)),
      ),
    );
    expect(order).toEqual(['0', '1', '2', '3']);
    expect(['1', '2'].map((id) => records.localCommands.get(id)?.answer)).toEqual([1, 2]);
  });

  it('tell each what it has done, and not what comes behind it', async () => {
    const { ledger, tallies } = await open();
    await ledger.change('ann', opening('a'));
    const versions: number[] = [];
    const note = () => versions.push(tallies.version('a'));
    await Promise.all([1, 2, 3].map((much) => ledger.change('ann', adding('a', much), note)));
    expect(versions).toEqual([2, 3, 4]);
  });

  it('are so many in one turn, and the others in the next', async () => {
    const { host, counted } = counting();
    const { ledger } = await open(host);
    counted.appends = 0;
    await Promise.all(Array.from({ length: 200 }, (_, n) => ledger.change('ann', opening(`t${n}`))));
    expect(counted.appends).toBe(4);
  });
});

describe('other writers of the room', () => {
  it('are seen by the next change', async () => {
    const { workgroup, ledger } = await open();
    await ledger.change('operate', opening('a'));
    await workgroup.transact(written('studio/tally/a/1', { type: 'TallyAdded', v: 1, much: 9 }));
    await expect(ledger.change('operate', adding('a', 2))).rejects.toThrow('full at 9');
  });

  it('are seen by a change that was asked for before they had written', async () => {
    const { workgroup, ledger, tallies } = await open();
    await ledger.change('operate', opening('a'));
    const seen: (number | undefined)[] = [];
    void workgroup.transact(written('studio/tally/a/1', { type: 'TallyAdded', v: 1, much: 5 }));
    const change = ledger.change('operate', (open) => {
      seen.push(tallies.get('a')?.sum);
      return adding('a', 3)(open);
    });
    expect(await change).toMatchObject({ sum: 8 });
    expect(seen).toEqual([5]);
    expect(tallies.get('a')).toMatchObject({ sum: 8 });
  });

  it('of what stands on something that has not come are given way to, and nothing is stored', async () => {
    const { workgroup, ledger, tallies } = await open();
    await ledger.change('operate', opening('a'));
    await workgroup.transact(written('studio/tally/a/2', { type: 'TallyAdded', v: 1, much: 1 }));
    const change = ledger.change('operate', (open) => {
      adding('a', 3)(open);
      return adding('a', 3)(open);
    });
    await expect(change).rejects.toMatchObject({ reason: 'reject.busy' });
    expect(tallies.get('a')).toMatchObject({ sum: 0 });
  });

  it('fault 9: of a newer version close a stream: nothing is decided on it, and the rest goes on', async () => {
    const { workgroup, ledger, tallies, log } = await open();
    await ledger.change('operate', opening('a'));
    await workgroup.transact(written('studio/tally/a/1', { type: 'TallyHalved', v: 1 }));
    await expect(ledger.change('operate', adding('a', 1))).rejects.toMatchObject({
      reason: 'reject.event_not_understood',
      data: { key: 'studio/tally/a/1' },
    });
    expect(tallies.get('a')).toMatchObject({ sum: 0 });
    expect(log).toEqual([
      expect.objectContaining({ level: 'error', about: { aggregate: 'tally', id: 'a', position: 1 } }),
    ]);
    await ledger.change('operate', opening('b'));
    expect(ledger.feed.last).toBe(3);
  });
});

describe('the feed', () => {
  it('numbers events in log order, tells each once, and finds them by number', async () => {
    const { ledger } = await open();
    const told: number[] = [];
    const stop = ledger.feed.onEvent(({ number }) => told.push(number));
    await ledger.change('operate', (change) => {
      opening('a')(change);
      adding('a', 1)(change);
    });
    await ledger.change('operate', adding('a', 1));
    stop();
    await ledger.change('operate', adding('a', 1));
    expect(told).toEqual([1, 2, 3]);
    expect(ledger.feed.after(1, 2).map(({ stored }) => stored.position)).toEqual([1, 2]);
    expect(ledger.feed.get(2)).toMatchObject({ causedBy: 1, stored: { key: 'studio/tally/a/1' } });
    expect([ledger.feed.get(0), ledger.feed.get(5), ledger.feed.last]).toEqual([undefined, undefined, 4]);
  });

  it('and the collections are the same after a restart, and go on', async () => {
    const folder = await tempFolder();
    const before = createHost({ store: levelStore(folder) });
    const first = await open(before);
    for (const id of ['b', 'a', 'merge/w1']) await first.ledger.change('operate', opening(id));
    await first.ledger.change('admin', adding('a', 4));
    const [listed, told] = [first.tallies.all(), first.ledger.feed.after(0)];
    expect(told).toHaveLength(4);
    first.ledger.close();
    await before.close();

    const after = createHost({ store: levelStore(folder) });
    const again = await open(after);
    expect(again.tallies.all()).toEqual(listed);
    expect(again.ledger.feed.after(0)).toEqual(told);
    await again.ledger.change('operate', adding('a', 1));
    expect(again.ledger.feed.get(5)?.stored.key).toBe('studio/tally/a/2');
    again.ledger.close();
    await after.close();
  });
});

describe('the ledger', () => {
  it('folds each event once and in order, also what is committed while it opens', async () => {
    const { workgroup: room, ledger: writer } = await open();
    const write = (id: string) => writer.change('operate', opening(id));
    await write('before');
    let passes = 0;
    /** A room in which something is committed after its history was read, and before the reader knows that it ended. */
    const busy: EventRoom = {
      transactMany: (work) => room.transactMany(work),
      onCommit: (listener) => room.onCommit(listener),
      get: (key) => room.get(key),
      get seq() {
        return room.seq;
      },
      nodes: room.nodes,
      async *history(from) {
        const end = room.seq;
        for await (const entry of room.history(from)) if (entry.seq < end) yield entry;
        if (passes++ < 3) await write(`during-${passes}`);
      },
    };
    const fold = vi.fn(() => 'folded' as const);
    await open(undefined, { workgroup: busy, followers: [{ aggregate: { name: 'tally' }, fold }] });
    await write('after');
    const told = fold.mock.calls.map((call: unknown[]) => (call[0] as { id: string }).id);
    expect(told).toEqual(['before', 'during-1', 'during-2', 'during-3', 'after']);
  });

  it('says when no change is under way', async () => {
    const { ledger, tallies } = await open();
    void ledger.change('operate', opening('a'));
    await ledger.settled();
    expect(tallies.get('a')).toBeDefined();
  });

  it('folds nothing more after it is closed', async () => {
    const { workgroup, ledger, tallies } = await open();
    ledger.close();
    await workgroup.transact(written('studio/tally/x/0', { type: 'TallyOpened', v: 1, id: 'x', tags: [] }));
    expect(tallies.all()).toEqual([]);
  });
});
