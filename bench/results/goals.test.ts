import { expect, it } from 'vitest';
import { judge } from './goals.js';
import { toRow } from './row.js';

function row(lib: string, figures: Readonly<Record<string, number>>) {
  const about = { bench: 'b', lib, version: '', trace: '', form: '' };
  return toRow(about, [{ name: lib, runs: 1, failure: undefined, figures, spread: {} }], []);
}

const rows = [row('ours', { cost: 2, rate: 30 }), row('ours', { cost: 9 }), row('theirs', { cost: 8, rate: 10 })];

it('a goal is judged by the first row of a library, alone or beside another', () => {
  expect(
    judge(rows, [
      { figure: 'cost', of: 'ours', most: 0.25, times: 'theirs' },
      { figure: 'cost', of: 'ours', most: 1.5 },
      { figure: 'rate', of: 'ours', least: 4, times: 'theirs' },
    ]),
  ).toEqual([
    'reached  ours, cost: 0.25× theirs (goal ≤ 0.25× theirs)',
    'MISSED   ours, cost: 2 (goal ≤ 1.5)',
    'MISSED   ours, rate: 3× theirs (goal ≥ 4× theirs)',
  ]);
});

it('a goal of a scenario or a form is judged by its row, beside another figure of theirs', () => {
  const forms = rows.map((one, index) => ({ ...one, trace: 'wide', form: index === 1 ? 'saved' : '' }));
  expect(
    judge(
      [row('ours', { cost: 1 }), ...forms],
      [
        { figure: 'cost', of: 'ours', most: 2, trace: 'wide' },
        { figure: 'cost', of: 'ours', most: 1, times: 'theirs', timesFigure: 'rate', form: 'saved' },
        { figure: 'cost', of: 'ours', most: 2, trace: 'long' },
      ],
    ),
  ).toEqual([
    'reached  ours, wide, cost: 2 (goal ≤ 2)',
    'reached  ours, saved, cost: 0.9× theirs, rate (goal ≤ 1× theirs, rate)',
  ]);
});

it('a goal without its figures is not judged', () => {
  const goals = [
    { figure: 'other', of: 'ours', most: 1 },
    { figure: 'cost', of: 'ours', most: 1, times: 'nobody' },
  ];
  expect(judge(rows, goals)).toEqual([]);
});
