import { describe, expect, it } from 'vitest';
import { repetitionIn } from './stall.js';

type Call = readonly [name: string, input: object, result: string, isError?: boolean];

const cycle = (...calls: readonly Call[]) => ({
  toolCalls: calls.map(([name, input], i) => ({ toolUseId: `c${i}`, name, inputJson: JSON.stringify(input) })),
  toolResults: calls.map(([, , result, isError = false], i) => ({
    toolUseId: `c${i}`,
    result,
    truncated: false,
    isError,
  })),
});
const times = (calls: readonly Call[]): number | undefined => repetitionIn(calls.map((call) => cycle(call)))?.times;

describe('a repetition', () => {
  it('is the same call with the same failure, whatever id, time or number the failure has this time', () => {
    const failures = ['7f3a9c2e1b', 'a0b1c2d3e4', '0123456789'].map((id, i): Call => [
      'svc_v1_workspace_test',
      {},
      `request req_${id} failed after ${i * 37} ms at 2026-01-0${i + 1}T10:00:00Z`,
      true,
    ]);
    expect(times(failures)).toBe(3);
  });

  it('is a build that takes another time each time, and none whose outcome differs', () => {
    const builds = [1.2, 3.4, 0.7].map((s): Call => ['workspace_build', {}, `2 errors in ${s} s`]);
    expect(times(builds)).toBe(3);
    const other = [1, 2, 3].map((n): Call => ['workspace_build', {}, `${n} errors in 1 s`]);
    expect(times(other)).toBe(1);
  });

  it('begins anew when something was changed that was not changed so before', () => {
    const test: Call = ['workspace_test', {}, '1 failed', true];
    const edits = [1, 2, 3, 4].map((n): Call => ['workspace_replace', { n }, 'done']);
    expect(times(edits.flatMap((edit) => [edit, test]))).toBe(1);
    const own = [1, 2, 3, 4].map((n): Call => ['edit', { n }, 'done']);
    expect(times(own.flatMap((edit) => [edit, ['test', {}, '1 failed']]))).toBe(1);
    const back: Call[] = [0, 1, 0, 1, 0, 1].flatMap((n): Call[] => [['workspace_replace', { n }, 'done'], test]);
    expect(times(back)).toBeGreaterThan(2);
  });

  it('is seen in cycles of several calls, and counts once for a turn', () => {
    const a: Call = ['look', { at: 'a' }, 'x'];
    const b: Call = ['look', { at: 'b' }, 'y'];
    expect(times([a, b, a, b, a])).toBe(3);
    expect(repetitionIn([cycle(a, a, a)])?.times).toBe(1);
  });

  it('is none where a compaction has taken the outcome, which is looked up again, and one as soon as that stands there', () => {
    const look: Call = ['grep', { pattern: 'x' }, 'a.ts: x'];
    const other = (n: number): Call => ['view', { path: `${n}` }, `text ${n}`];
    const behind = (kept: number, longestResult?: number) => ({
      compaction: { text: 'task', kept, ...(longestResult === undefined ? {} : { longestResult }) },
    });
    const taken = [0, 1, 2, 3, 4, 5].flatMap((n) => [
      { ...cycle(other(n)), ...(n === 0 ? {} : behind(1)) },
      cycle(look),
    ]);
    // The turn that a compaction keeps is the look itself, each second time.
    const gone = taken.map((one, at) => (at % 2 === 0 && at > 0 ? { ...one, ...behind(0) } : one));
    expect(repetitionIn(gone)?.times).toBe(1);
    expect(repetitionIn(taken)?.times).toBe(6);
    // A result that is there in part is looked up again, too.
    const cut = taken.map((one, at) => (at % 2 === 0 && at > 0 ? { ...one, ...behind(1, 40) } : one));
    expect(repetitionIn(cut)?.times).toBe(1);
    // It is no leave to go round in circles: what was looked up counts again from then on.
    const circling = [0, 1, 2].flatMap((n) => [
      { ...cycle(look), ...(n === 0 ? {} : behind(0)) },
      cycle(look),
      cycle(look),
    ]);
    expect(repetitionIn(circling)?.times).toBe(7);
  });

  it('is none of waiting', () => {
    const waits = Array<Call>(8).fill(['run_output', { run: '7', wait: 60 }, 'run 7 runs.']);
    expect(times(waits)).toBeUndefined();
  });
});
