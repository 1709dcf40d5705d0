import { describe, expect, it, vi } from 'vitest';
import { Collection } from '../../record/ledger/collection.js';
import { Tallies, tally } from '../../testing/tally.js';
import { openTestLedger } from '../../testing/record/test-ledger.js';
import { createRecords } from '../../record/views/records.js';
import { type Call, contextOf } from './context.js';
import { RepeatableRequest } from './repeatable-request.js';
import { testShared } from '../../testing/record/test-shared.js';

const secret: typeof tally = { ...tally, name: 'secret', room: 'local' };
const name = { id: 'r', caller: 'operate', operation: 'tally.open', input: 'digest' };

async function open({ isNamed = false, ...call }: Partial<Call> & { isNamed?: boolean } = {}) {
  const records = createRecords();
  const collections = [...Object.values(records), new Tallies(), new Collection(secret)];
  const opened = await openTestLedger(undefined, { collections });
  const shared = await testShared({ ...opened, records });
  const caller = { name: 'operate', kind: 'person', scope: 'operate', internal: false } as const;
  const repeatable = isNamed ? new RepeatableRequest(shared, name) : undefined;
  return { ...opened, records, context: contextOf(shared, { caller, repeatable, show: (answer) => answer, ...call }) };
}

describe('an answer', () => {
  it('is stored in the node of what it answers, as far as it is shown, and followers are not told of it', async () => {
    const { context, records, workgroup, ledger } = await open({ isNamed: true, show: () => 'shown' });
    const before = workgroup.seq;
    await context.answer((change) => change.run(tally, 'a', 'open', { id: 'a' }));
    expect(workgroup.seq - before).toBeLessThanOrEqual(2); // the first node of a room is its own
    expect(records.commands.get('r')).toEqual({ operation: 'tally.open', input: 'digest', answer: 'shown' });
    expect(ledger.feed.after(0).map(({ stored }) => stored.key)).toEqual(['studio/tally/a/0']);
  });

  it('about local facts stays with them', async () => {
    const { context, records, workgroup } = await open({ isNamed: true });
    await context.answer((change) => change.run(secret, 'a', 'open', { id: 'a' }));
    expect(records.localCommands.get('r')).toBeDefined();
    expect([records.commands.all(), workgroup.get('studio/command/r/0')]).toEqual([[], undefined]);
  });

  it('that changes nothing is the same for both of two who ask at once, whichever was carried out first', async () => {
    const { records, ledger } = await open();
    const asked = Array.from({ length: 2 }, () => new RepeatableRequest({ ledger, records }, name));
    let took = 0;
    const answers = await Promise.all(asked.map((one) => one.once(async () => ({ data: { took: ++took } }))));
    expect(took).toBe(2);
    expect(answers.map(({ data }) => data)).toEqual([{ took: 1 }, { took: 1 }]);
  });

  it('is told of when it stands, and not when it was refused', async () => {
    const onAnswered = vi.fn();
    const { context } = await open({ onAnswered });
    await expect(context.answer((change) => change.run(tally, 'a', 'add', { much: 1 }))).rejects.toThrow('not open');
    expect(onAnswered).not.toHaveBeenCalled();
    await context.answer((change) => change.run(tally, 'a', 'open', { id: 'a' }));
    expect(onAnswered).toHaveBeenCalledOnce();
  });
});

describe('what the caller takes to stand', () => {
  it('is asked for where the first change begins, and not of what the call has changed itself', async () => {
    const checkMatch = vi.fn();
    const { context, workgroup } = await open({ checkMatch });
    await context.change((change) => change.run(tally, 'a', 'open', { id: 'a' }));
    await context.answer((change) => change.run(tally, 'a', 'add', { much: 1 }));
    expect(checkMatch).toHaveBeenCalledOnce();
    expect(workgroup.get('studio/tally/a/1')).toBeDefined();
  });

  it('stops the change when it does not', async () => {
    const checkMatch = () => {
      throw new Error('stale');
    };
    const { context, workgroup } = await open({ checkMatch });
    await expect(context.change((change) => change.run(tally, 'a', 'open', { id: 'a' }))).rejects.toThrow('stale');
    expect(workgroup.get('studio/tally/a/0')).toBeUndefined();
  });
});
