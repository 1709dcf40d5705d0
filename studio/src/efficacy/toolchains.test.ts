/** Toolchains that a machine lacks: their cases are not tried, and it is said in a line; no figure is made of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CASES } from './cases.js';
import { readReport, runSuite } from './report.js';

it('a case whose toolchain is missing is not tried, and is said with what to install', async () => {
  const [folder, path] = [await mkdtemp(join(tmpdir(), 'weft-path-')), process.env['PATH']];
  process.env['PATH'] = folder;
  onTestFinished(async () => {
    process.env['PATH'] = path;
    await rm(folder, { recursive: true });
  });
  const told: string[] = [];
  const about = { suite: 'all', model: 'm', version: '1', begunAt: '2026-01-01T00:00:00Z', agents: {}, mostMs: 1 };
  const report = await runSuite({
    ...about,
    cases: ['pages-go', 'grade-shell-begs'],
    onNotTried: (name, why) => void told.push(`${name}: ${why}`),
  });
  expect(told).toEqual([
    'pages-go: go is not here: install Go 1.19 or later (golang-go on Debian)',
    'grade-shell-begs: make is not here: install make',
  ]);
  expect(report).toMatchObject({ outcomes: [], isPart: true });
  expect(readReport(JSON.stringify(report)).notTried?.map(({ name }) => name)).toEqual([
    'pages-go',
    'grade-shell-begs',
  ]);
});

it('there are cases in five languages, of five files to four hundred', () => {
  const sizes = CASES.map(({ files }) => Object.keys(files).length);
  expect([Math.min(...sizes) <= 5, Math.max(...sizes) >= 400]).toEqual([true, true]);
  const count = (needed: string): number => CASES.filter(({ needs }) => needs.some((need) => need === needed)).length;
  expect([count('typescript'), count('go'), count('python3'), count('make')]).toEqual([8, 6, 10, 3]);
  expect(CASES.filter(({ needs }) => needs.length === 0)).toHaveLength(4);
});
