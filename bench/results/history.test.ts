import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { saveRun } from './history.js';
import { describeMachine } from '../measuring/machine.js';

it('runs of a day share a file, each a line about it and its rows', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'weft-bench-test-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const machine = { ...describeMachine(), name: 'some-machine-2-cores' };
  const about = { bench: 'text', lib: 'x', version: '1', trace: 't', form: '', checked: true, runs: 1, note: '' };
  const record = {
    bench: 'text',
    date: new Date('2026-01-02T23:59:59Z'),
    commit: 'abc',
    machine,
    asked: ['text', '--save'],
    rows: [{ ...about, figures: { local_ops_s: 5 }, spread: {} }],
  };
  const folder = join(parent, 'history');
  const file = await saveRun(record, folder);
  expect(basename(file)).toBe('2026-01-02-some-machine-2-cores-text.jsonl');
  expect(await saveRun(record, folder)).toBe(file);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { run: 'text', commit: 'abc', asked: ['text', '--save'], machine: { name: 'some-machine-2-cores' } },
    { lib: 'x', local_ops_s: 5 },
    { run: 'text' },
    { lib: 'x' },
  ]);
});
