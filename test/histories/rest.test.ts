import { expect, it } from 'vitest';
import { type RestParts, restOf } from './rest.js';

/** A room whose readers are behind for so many looks, on a machine whose clock leaps meanwhile. */
function room(
  behind: number,
  isOver = (): boolean => false,
): { rest: () => ReturnType<typeof restOf>; looks(): number } {
  let [looks, at] = [0, 0];
  const seen = (list: readonly string[]) => [{ who: 'c1', seen: { registers: {}, list: [...list] } }];
  const parts: RestParts = {
    look: () => {
      const isSame = ++looks > behind;
      return Promise.resolve({ isSame, last: seen(isSame ? ['a', 'b'] : ['a']), lastNodes: isSame ? 2 : undefined });
    },
    isOver,
    now: () => (at += 600_000),
    pause: () => Promise.resolve(),
  };
  return { rest: () => restOf(parts), looks: () => looks };
}

it('readers that are behind are waited for, though the clock has gone far on while the machine stood still', async () => {
  const { rest } = room(15);
  expect(await rest()).toEqual({ last: [{ who: 'c1', seen: { registers: {}, list: ['a', 'b'] } }], lastNodes: 2 });
});

it('readers that never have everything are told as late, and what they have is compared with nothing', async () => {
  const { rest, looks } = room(Infinity);
  expect(await rest()).toEqual({ late: 'no rest after 20 looks' });
  expect(looks()).toBe(20);
});

it('a test that was ended from outside checks nothing, and says so', async () => {
  await expect(room(15, () => true).rest()).rejects.toThrow('nothing was checked');
});
