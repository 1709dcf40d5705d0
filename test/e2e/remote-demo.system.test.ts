/** The demonstration with a forge, as a program: from an issue over a request, a review and its answer to what was merged. */
import { expect, it } from 'vitest';
import { WeftProcess } from '../support/programs/weft-process.js';

it('weft demo --remote plays issue, goal, request, review, answer and merge against a forge of this machine', async () => {
  const demo = new WeftProcess(['demo', '--remote', '--json']);
  expect((await demo.exited).code, demo.err.join('\n')).toBe(0);
  expect(demo.out.map((line) => JSON.parse(line) as unknown)).toEqual([{ passed: true }]);
  const said = demo.err.join('\n');
  for (const step of [
    'opens issue #1',
    'opens request #2',
    'requests a change',
    'answers: Done in',
    'merges request #2',
    'tests pass',
  ])
    expect(said).toContain(step);
});
