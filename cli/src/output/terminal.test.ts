import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { printable, shown } from './show.js';
import { progressLine } from './progress.js';
import { terminalOf } from './terminal.js';

function terminal(isTTY: boolean, env: NodeJS.ProcessEnv = {}) {
  const said = { out: '', err: '' };
  const stream = (name: keyof typeof said) => ({
    isTTY,
    columns: 40,
    write: (text: string) => ((said[name] += text), true),
  });
  const parts = { stdin: Readable.from([]), stdout: stream('out'), stderr: stream('err'), env };
  return { said, ...terminalOf(parts, new AbortController().signal) };
}

it('what holds for the moment is replaced, and gone before the next line', () => {
  const { said, status, out, err } = terminal(true);
  status('one');
  status('one');
  status('x'.repeat(100));
  out('result');
  status('');
  err('note');
  expect(said.out).toBe('result\n');
  expect(said.err).toBe(`\r\u001b[Kone\r\u001b[K${'x'.repeat(39)}\r\u001b[Knote\n`);
});

it('nothing but lines goes into pipes and files, or to a terminal that can no more', () => {
  for (const { said, status, out, err, paint } of [terminal(false), terminal(true, { TERM: 'dumb' })]) {
    status('one');
    out(paint('red', 'shut'));
    err('note');
    expect(said).toEqual({ out: 'shut\n', err: 'note\n' });
  }
});

it('colours are for who likes them', () => {
  expect(terminal(true).paint('red', 'shut')).toBe('\u001b[31mshut\u001b[39m');
  expect(terminal(true).paint('red', '')).toBe('');
  expect(terminal(true, { NO_COLOR: '1' }).paint('red', 'shut')).toBe('shut');
});

it('a bar where the end is known, what was done where it is not, and the time always', () => {
  const lines = [
    progressLine({ done: 60, total: 120, unit: 'rooms' }, 3),
    progressLine({ done: 3 * 1024 ** 2, total: 1024 ** 2, unit: 'bytes' }, 4),
    progressLine({ done: 0, total: 0, unit: 'blobs' }, 5),
    progressLine({ done: 7, unit: 'blobs' }, 6),
    progressLine(undefined, 7),
  ];
  expect(lines).toEqual([
    '[############------------] 50 %, 60 rooms, 3 s',
    '[########################] 100 %, 3.0 MiB, 4 s',
    '[########################] 100 %, 0 blobs, 5 s',
    '7 blobs, 6 s',
    '7 s',
  ]);
});

it('letters of others that a terminal would obey are shown as what they are', () => {
  const lines = shown([{ title: 'a\u001b[2Jb', about: 'two\nlines' }], { paint: (_, text) => text });
  expect(lines).toEqual(['title   about', 'a\ufffd[2Jb  two lines']);
  expect(printable('\u009b31m\ttab')).toBe('\ufffd31m\ttab');
});
