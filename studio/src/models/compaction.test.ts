import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Budget, compacted, compactionOf, tokensIn } from './compaction.js';
import type { ModelMessage } from './provider.js';

/** Half of a character. */
const lone = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

function compact(messages: readonly ModelMessage[], budget: Budget): readonly ModelMessage[] {
  const found = compactionOf(messages, budget);
  return found ? compacted(messages, found) : messages;
}

type Turn = { text: string; results: string[] };

function conversation(task: string, turns: readonly Turn[]): ModelMessage[] {
  const messages: ModelMessage[] = [{ role: 'user', text: task }];
  for (const [place, { text, results }] of turns.entries()) {
    const calls = results.map((_, index) => ({ callId: `c${place}-${index}`, name: 'look', input: { at: place } }));
    messages.push({ role: 'assistant', text, calls });
    for (const [index, result] of results.entries())
      messages.push({ role: 'tool', callId: `c${place}-${index}`, text: result, isError: false });
    if (results.length === 0) messages.push({ role: 'user', text: `Go on, ${place}.` });
  }
  return messages;
}

const long = (count: number, size: number) =>
  conversation(
    'Build the door.',
    Array.from({ length: count }, (_, place) => ({ text: `Step ${place}.`, results: [`${place} `.repeat(size)] })),
  );

/** Calls whose results are missing, and results whose calls are. */
function parted(messages: readonly ModelMessage[]): string[] {
  const open = new Set<string>();
  const wrong: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.callId)) wrong.push(`no call ${message.callId}`);
    } else {
      wrong.push(...open);
      open.clear();
      if (message.role === 'assistant') for (const { callId } of message.calls) open.add(callId);
    }
  }
  return [...wrong, ...open];
}

describe('compaction', () => {
  it('gives the very same messages back while they fit', () => {
    const messages = long(3, 10);
    expect(compact(messages, { tokens: tokensIn(messages) })).toBe(messages);
  });

  it('keeps what was asked first and the last turns, and notes what was done between', () => {
    const messages = long(20, 300);
    const shorter = compact(messages, { tokens: 4000 });
    const [first, notes] = shorter;
    // Task as it was told: what a vendor has kept of it is read again.
    expect(first).toEqual(messages[0]);
    expect(notes?.role).toBe('user');
    expect(notes?.text).toMatch(/^\[What was done since then, in short]\n/);
    expect(notes?.text).toContain('- said: Step 12.');
    expect(notes?.text).toContain('- called look {"at":12}');
    expect(notes?.text).toContain('gave: 12 12 12');
    expect(shorter.slice(2)).toEqual(messages.slice(-(shorter.length - 2)));
    expect(tokensIn(shorter)).toBeLessThanOrEqual(2000);
  });

  it('adds to its own notes the next time', () => {
    const once = compact(long(8, 1500), { tokens: 5000, keptTurns: 2 });
    const more = [...once, ...long(16, 1500).slice(17)];
    const twice = compact(more, { tokens: 5000, keptTurns: 2 });
    expect(twice[0]).toEqual(more[0]);
    const notes = twice[1]?.text ?? '';
    expect(twice.filter(({ text }) => text.includes('[What was done since then, in short]'))).toHaveLength(1);
    expect(notes.indexOf('Step 5.')).toBeGreaterThan(0);
    expect(notes.indexOf('Step 12.')).toBeGreaterThan(notes.indexOf('Step 5.'));
  });

  it('takes up notes that once stood at the end of the first message', () => {
    const before = 'Build the door.\n\n[What was done since then, in short]\n- said: Long ago.';
    const once = compacted(long(3, 10), { text: before, kept: 1 });
    expect(once[0]).toEqual({ role: 'user', text: before });
    expect(once[1]?.role).toBe('assistant');
    const [first, notes] = compact([...once, ...long(8, 1500).slice(1)], { tokens: 5000, keptTurns: 2 });
    expect(first?.text).toBe('Build the door.');
    expect(notes?.text).toMatch(/^\[What was done since then, in short]\n- said: Long ago\.\n/);
  });

  it('believes a vendor that counts otherwise', () => {
    const messages = long(10, 100);
    const told = tokensIn(messages) * 3;
    expect(compact(messages, { tokens: tokensIn(messages) + 1 })).toBe(messages);
    const shorter = compact(messages, { tokens: tokensIn(messages) + 1, counted: told });
    expect(tokensIn(shorter) * 3).toBeLessThanOrEqual((tokensIn(messages) + 1) / 2);
  });

  it('cuts a result that is too long by itself', () => {
    const messages = long(1, 50_000);
    const shorter = compact(messages, { tokens: 1000 });
    expect(shorter).toHaveLength(3);
    expect(shorter[2]?.text).toMatch(/^0 0 [^]*\n\[…]\n[^]*0 $/);
    expect(tokensIn(shorter)).toBeLessThanOrEqual(1000);
  });

  it('shows what the latest calls gave in part, also where the task alone is longer than the limit', () => {
    const messages = conversation('Build the door. '.repeat(1000), [
      { text: 'Looked.', results: ['first\n'.repeat(4000)] },
      { text: 'And there.', results: [`begins here\n${'x\n'.repeat(4000)}ends here`, 'short'] },
    ]);
    const tokens = 1000;
    const [, , , long, short] = compact(messages, { tokens });
    expect(long?.text).toMatch(/^begins here\n[^]*\n\[…]\n[^]*ends here$/);
    expect(short?.text).toBe('short');
    expect(tokensIn([long!, short!])).toBeLessThanOrEqual(tokens / 8);
  });

  it('tells the task anew where it is given, and leaves out what a vendor had bound to what stood before', () => {
    const native = { vendor: 'v', model: 'm', items: [{ item: { type: 'thinking' } }], isBound: true };
    const messages = long(20, 300).map((one) => (one.role === 'assistant' ? { ...one, native } : one));
    const shorter = compact(messages, { tokens: 4000, task: 'Build the door, and paint it.' });
    expect(shorter[0]?.text).toBe('Build the door, and paint it.');
    expect(shorter[1]?.text).toMatch(/^\[What was done/);
    expect(shorter.some((one) => one.role === 'assistant')).toBe(true);
    expect(shorter.filter((one) => one.role === 'assistant' && one.native)).toEqual([]);
  });

  it('never cuts a character in half', () => {
    for (const start of ['', 'x']) {
      const threads = start + '🧵'.repeat(20_000);
      const messages = conversation('Sew.', [
        { text: threads, results: [threads] },
        { text: 'Sewn.', results: [threads] },
      ]);
      for (const tokens of [1000, 1001, 1002]) {
        const shorter = compact(messages, { tokens });
        expect(shorter).toHaveLength(4);
        expect(shorter.filter(({ text }) => lone.test(text))).toEqual([]);
      }
    }
  });

  it('never parts a call from its results, keeps the task, fits or keeps one turn, and is the same each time', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 400 });
    const turn = fc.record({ text, results: fc.array(text, { maxLength: 3 }) });
    fc.assert(
      fc.property(
        ...([
          text,
          fc.array(turn, { maxLength: 25 }),
          fc.integer({ min: 1, max: 4000 }),
          fc.integer({ min: 1, max: 8 }),
        ] as const),
        (task, turns, tokens, keptTurns) => {
          const messages = conversation(task, turns);
          const shorter = compact(messages, { tokens, keptTurns });
          expect(parted(shorter)).toEqual([]);
          expect(shorter[0]?.role).toBe('user');
          expect(shorter[0]?.text.startsWith(task)).toBe(true);
          expect(shorter.at(-1)?.role).toBe(messages.at(-1)?.role);
          expect(compact(structuredClone(messages), { tokens, keptTurns })).toEqual(shorter);
          const turnsLeft = shorter.filter(({ role }) => role === 'assistant').length;
          if (tokensIn(shorter) > tokens) expect(turnsLeft).toBeLessThanOrEqual(1);
          if (turns.length > 0) expect(turnsLeft).toBeGreaterThan(0);
          expect(shorter.every((message) => !lone.test(message.text))).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });
});
