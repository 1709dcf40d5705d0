import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { benchFolder } from '../measuring/folder.js';
import { drawGrowth } from '../results/growth-picture.js';
import { exponents, growthBench } from './growth.js';
import { readRuns } from '../results/history.js';
import { drawPictures } from '../results/results.js';

const rows = (power: number) =>
  [1, 10, 100, 1000].map((size) => ({ figures: { size, ms: 5 * size ** power, mb: size === 1 ? 0 : 2 } }));

it('the exponent of a series is the slope of its greatest sizes', () => {
  expect(exponents(rows(1.5))).toEqual({
    time_exponent: expect.closeTo(1.5, 9),
    memory_exponent: expect.closeTo(0, 9),
  });
  expect(exponents(rows(1).slice(0, 1))).toEqual({}); // one point has none
});

it('a series is drawn as a line with a place for each size', () => {
  const about = {
    bench: 'growth',
    lib: 'weft',
    version: '1',
    trace: 'nodes',
    checked: true,
    runs: 1,
    note: '',
    spread: {},
  };
  const drawn = drawGrowth(rows(1).map((row, i) => ({ ...about, ...row, form: String(i) })));
  const [times, memory] = [...drawn.matchAll(/points="([^"]+)"/g)].map(([, points = '']) => points.split(' '));
  expect([times?.length, memory?.length]).toEqual([4, 3]); // nothing has no logarithm
});

it('each series is drawn as the newest run has it that measured it', () => {
  const run = (...measured: readonly (readonly [trace: string, most: number])[]) => ({
    bench: 'growth',
    rows: measured.flatMap(([trace, most]) =>
      [1, most].map((size) => ({ bench: 'growth', trace, figures: { size, ms: size, mb: size } })),
    ),
  });
  const draw = (rows: readonly { trace: string; figures: object }[]) => JSON.stringify(rows);
  const bench = { ...growthBench, picture: { file: 'of.svg', draw } } as unknown as typeof growthBench;
  const runs = [run(['agents', 500]), run(['nodes', 1000], ['agents', 100])] as unknown as Parameters<
    typeof drawPictures
  >[0];
  const [picture] = drawPictures(runs, [bench]);
  const drawn = JSON.parse(picture!.drawn) as { trace: string; figures: { size: number } }[];
  expect(drawn.map(({ trace, figures }) => [trace, figures.size])).toEqual([
    ['agents', 1],
    ['agents', 500],
    ['nodes', 1],
    ['nodes', 1000],
  ]);
});

it('bench/growth.svg is what the newest runs draw: `npm run bench -- results` writes it', async () => {
  const [picture] = drawPictures(await readRuns(), [growthBench]);
  expect(await readFile(join(benchFolder, 'growth.svg'), 'utf8')).toBe(picture?.drawn);
});
