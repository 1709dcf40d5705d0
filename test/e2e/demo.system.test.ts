import { beforeAll, describe, expect, it } from 'vitest';
import { type End, demoKilledAt } from '../support/programs/mortal-demo.js';
import { WeftProcess } from '../support/programs/weft-process.js';

/**
 * Points of the demonstration at which the host is killed, as shares of all that it makes durable; the long suite kills it at 60.
 */
const KILLS = [0.3, 0.8];

it("weft demo comes to its end, with the repository's own tests green", async () => {
  const demo = new WeftProcess(['demo', '--json']);
  expect((await demo.exited).code).toBe(0);
  expect(demo.err).toContain("the repository's own tests pass");
  expect(demo.out.map((line) => JSON.parse(line) as unknown)).toEqual([{ passed: true }]);
});

describe('a demonstration whose host is killed', () => {
  let whole: { readonly end: End; readonly count: number };
  beforeAll(async () => {
    whole = await demoKilledAt(0);
  });

  it.each(KILLS)(
    'after %d of it, goes on to the same end, and does nothing twice',
    async (part) => {
      expect(whole.end).toMatchObject({ passed: true, misplaced: [] });
      const { end } = await demoKilledAt(Math.max(1, Math.round(whole.count * part)));
      expect(end).toEqual(whole.end);
    },
    240_000,
  );
});
