import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operation } from '../../operations/kernel/define.js';
import { openRecord } from '../../testing/record/open-record.js';
import { call, follow } from './call.js';

const caller = { name: 'ann', kind: 'person', scope: 'operate', internal: true } as const;
const annotations = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const;
const declared = { summary: 'Does it.', scope: 'operate', annotations, refuses: [] } as const;

/** Schemas that count how often they read something. */
function counted() {
  const reads = { input: 0, output: 0 };
  const text = (which: keyof typeof reads) =>
    z.string().refine(() => {
      reads[which]++;
      return true;
    });
  return { reads, in: z.object({ name: text('input') }), out: z.object({ text: text('output') }) };
}

describe('a request', () => {
  it('is parsed once, and its answer too, whatever key and version it names', async () => {
    const { shared, ledger } = await openRecord();
    const { reads, ...schemas } = counted();
    const greet = operation({ ...declared, ...schemas, tool: 'greet', version: () => 7 }).run((context, { name }) =>
      context.answer(() => ({ text: `hello ${name}` })),
    );
    const ask = (key: string) =>
      call(
        shared,
        { ...greet, id: 'greeting.make' },
        { caller, about: {}, bind: () => ({ name: 'a' }), key, match: '"7"' },
      );
    expect(await ask('one')).toEqual({ data: { text: 'hello a' }, etag: '"7"' });
    expect(reads).toEqual({ input: 1, output: 1 });
    expect(await ask('one')).toEqual({ data: { text: 'hello a' }, isRepeated: true });
    expect(reads).toEqual({ input: 2, output: 1 });
    await ledger.close();
  });

  it('to follow is parsed once', async () => {
    const { shared, ledger } = await openRecord();
    const { reads, ...schemas } = counted();
    const events = operation({ ...declared, ...schemas, tool: 'events' }).follow(() => ({
      after: 0,
      isWanted: () => true,
      wants: '',
      show: () => ({ kind: 'any' }),
    }));
    await follow(shared, { ...events, id: 'event.all' }, { caller, about: {}, bind: () => ({ name: 'a' }) });
    expect(reads.input).toBe(1);
    await ledger.close();
  });

  it('is not bound for a caller without the right to make it', async () => {
    const { shared, ledger } = await openRecord();
    const { reads, ...schemas } = counted();
    const greet = operation({ ...declared, ...schemas, tool: 'greet' }).run(() => ({ text: '' }));
    const bind = () => {
      throw new Error('the body was read');
    };
    const reader = { ...caller, scope: 'read' } as const;
    await expect(
      call(shared, { ...greet, id: 'greeting.make' }, { caller: reader, about: {}, bind }),
    ).rejects.toMatchObject({
      reason: 'reject.scope_missing',
    });
    expect(reads.input).toBe(0);
    await ledger.close();
  });
});
