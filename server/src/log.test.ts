import { describe, expect, it } from 'vitest';
import { type Notice, Rejection } from '@weft/core';
import { ManualClock } from '@weft/core/testing';
import { type LogOptions, createLog } from './log.js';

function logged(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const clock = new ManualClock();
  const now = (): number => clock.now();
  const later = (ms: number, callback: () => void): void => void clock.after(ms, callback);
  const write = (line: string): void => void lines.push(line);
  return { lines, clock, log: createLog({ level: 'info', format: 'json', write, now, later, ...options }) };
}

const closed = (connection: number): Notice => ({
  level: 'warn',
  message: 'a connection was closed',
  about: { connection },
});

describe('createLog', () => {
  it('writes one JSON object a line, with whatever the notice is about', () => {
    const { lines, log } = logged();
    log({ level: 'error', message: 'it failed', about: { room: 'a\nb', code: 7 }, error: new Error('dark') });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('\n');
    const line: unknown = JSON.parse(lines[0] ?? '');
    expect(line).toMatchObject({ level: 'error', message: 'it failed', room: 'a\nb', code: 7, error: 'dark' });
    expect(line).toMatchObject({ time: expect.stringMatching(/^\d{4}-.*Z$/), stack: expect.stringContaining('dark') });
  });

  it('writes for people without letting a name break the line or colour the terminal', () => {
    const { lines, log } = logged({ format: 'text' });
    log({ level: 'warn', message: 'a room was shut', about: { room: 'x\n\u001b[31m', by: 'host', at: undefined } });
    expect(lines[0]).toMatch(/^\S+Z warn {2}a room was shut room="x\\n\\u001b\[31m" by=host$/);
    const coloured = logged({ format: 'text', colours: true });
    coloured.log({ level: 'warn', message: 'hot' });
    expect(coloured.lines[0]).toContain('\u001b[33mwarn \u001b[0m hot');
  });

  it('says where a fault comes from and what it was caused by, and of what is refused only why', () => {
    for (const format of ['json', 'text'] as const) {
      const { lines, log } = logged({ format });
      log({ level: 'error', message: 'it failed', error: new Error('dark', { cause: new Error('no lamp') }) });
      expect(lines[0]).toMatch(/dark.*log\.test\.ts.*cause.*no lamp/s);
      log({ level: 'error', message: 'it was refused', error: new Rejection('invalid-value', 'too large') });
      expect(lines[1]).toContain('too large');
      expect(lines[1]).not.toContain('log.test.ts');
    }
  });

  it('leaves out what is below its level', () => {
    const { lines, log } = logged({ level: 'warn' });
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log({ level, message: level });
    expect(lines.map((line) => (JSON.parse(line) as Notice).level)).toEqual(['warn', 'error']);
  });

  it('shows a few of what repeats and then how many more there were, also when nothing else comes', () => {
    const { lines, clock, log } = logged({ format: 'text' });
    for (let i = 0; i < 2000; i++) log(closed(i));
    log({ level: 'warn', message: 'something else' });
    expect(lines).toHaveLength(6);
    clock.advance(60_000);
    expect(lines.slice(6)).toEqual([
      expect.stringMatching(/a connection was closed connection=0 \(1995 more like this\)$/),
    ]);
    log(closed(0));
    expect(lines).toHaveLength(8);
  });

  it('tells different failures apart, and keeps count of so many kinds only', () => {
    const { lines, log } = logged();
    for (let i = 0; i < 1000; i++) {
      log({ level: 'error', message: 'it failed', error: new Error(`in way ${i}`) });
      log({ level: 'error', message: 'it failed', error: new Error('as always') });
    }
    // Once in a while the count of what always fails is dropped, with a line that says it.
    expect(lines.length).toBeLessThan(1000 + 6 * 6);
    expect(lines.filter((line) => line.includes('more')).length).toBeGreaterThan(0);
  });
});
