import { expect, it } from 'vitest';
import { clocks, typedTimes } from './pack-clocks.js';
import { RUN, typeHistory } from './pack-history.js';
import { median } from '../measuring/statistics.js';

const count = 2 * RUN + 10;
const edits = Array.from({ length: count }, (_, position) => ({
  position,
  deleted: 0,
  inserted: 'x',
  at: 5_000 + position,
}));

it('types at a realistic pace that is the same in every run', () => {
  const times = typedTimes(20_000);
  expect(typedTimes(20_000)).toEqual(times);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
  expect(median(gaps)).toBeGreaterThan(140);
  expect(median(gaps)).toBeLessThan(160);
});

it('puts the time of its first edit on each run, and one seal on all of it', async () => {
  const { pack } = await typeHistory(edits, clocks['clock of the recording']?.(edits));
  const found = pack.nodes.flatMap(({ wallMs }, index) => (wallMs === undefined ? [] : [[index, wallMs]]));
  expect(found).toEqual([
    [0, 5_000],
    [RUN, 5_000 + RUN],
    [2 * RUN, 5_000 + 2 * RUN],
  ]);
  expect(pack.seals.map(({ index }) => index)).toEqual([count - 1]);
});

it('leaves all times out where there is no clock', async () => {
  const { pack } = await typeHistory(edits, clocks['no clock']?.(edits));
  expect(pack.nodes).toHaveLength(count);
  expect(pack.nodes.every(({ wallMs }) => wallMs === undefined)).toBe(true);
});
