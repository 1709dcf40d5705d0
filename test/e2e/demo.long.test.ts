import { beforeAll, describe, expect, it } from 'vitest';
import { type End, demoKilledAt } from '../support/programs/mortal-demo.js';

/** Number of durable boundaries at which the host is killed, spread over the whole demonstration. */
const KILLS = 60;

describe('a demonstration whose host is killed', () => {
  let whole: { readonly end: End; readonly count: number };
  beforeAll(async () => {
    whole = await demoKilledAt(0);
    expect(whole.end).toMatchObject({ passed: true, misplaced: [] });
  }, 120_000);

  it.each([...Array(KILLS).keys()])('at boundary %i of 60, goes on to the same end', async (i) => {
    const boundary = 1 + Math.floor((i * (whole.count - 1)) / KILLS);
    expect((await demoKilledAt(boundary)).end).toEqual(whole.end);
  });
});
