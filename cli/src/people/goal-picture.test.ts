/** A goal as a picture: units where they belong, what waits for what, and texts that are nothing but texts. */
import { expect, it } from 'vitest';
import { type DrawnUnit, goalPicture } from './goal-picture.js';

const unit = (workUnitId: string, more: Partial<DrawnUnit> = {}): DrawnUnit => ({
  workUnitId,
  goal: `do ${workUnitId}`,
  status: 'Executing',
  dependsOn: [],
  ...more,
});

const count = (svg: string, what: string): number => svg.split(what).length - 1;

it('draws the root and all below it, each once, and the lines between them', () => {
  const units = [
    unit('root'),
    unit('a', { parentWorkUnitId: 'root', status: 'Completed' }),
    unit('b', { parentWorkUnitId: 'root', dependsOn: ['a', 'elsewhere'] }),
    unit('other'),
  ];
  const svg = goalPicture('root', units);
  expect(count(svg, '<g>')).toBe(3);
  expect(svg).not.toContain('do other');
  expect(count(svg, '<path')).toBe(3);
  expect(count(svg, 'stroke-dasharray')).toBe(1);
  expect(svg).toContain('>Completed</text>');
  expect(/viewBox="0 0 (\d+) (\d+)"/.exec(svg)?.slice(1)).toEqual(['560', '160']);
});

it('shows hostile texts as they are, and units that name each other as parents once', () => {
  const goal = '</text><script>alert(1)</script>&\u0000\ud800 \nsecond line';
  const svg = goalPicture('a', [
    unit('a', { goal, parentWorkUnitId: 'b' }),
    unit('b', { parentWorkUnitId: 'a', goal: 'x'.repeat(100) }),
  ]);
  expect(svg).not.toContain('<script');
  expect(svg).toContain('&lt;/text&gt;&lt;script&gt;');
  expect(svg).not.toMatch(/[\u0000\ud800]/);
  expect(svg).not.toContain('second line');
  expect(count(svg, '<g>')).toBe(2);
  expect(goalPicture('none', [])).toContain('<svg');
});
