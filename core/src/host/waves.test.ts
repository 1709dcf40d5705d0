import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wavesOf } from './waves.js';

it('everybody goes once, in waves of one size, and rooms are not mixed up', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: 10_000 }), (rooms, overMs) => {
      const peers = rooms.flatMap((size, room) =>
        Array.from({ length: size }, (_, peer) => ({ roomId: `r${room}`, peer })),
      );
      const shuffled = peers.toSorted((a, b) => a.peer - b.peer);
      const { waves, everyMs } = wavesOf(shuffled, overMs);
      const flat = waves.flat();
      expect(new Set(flat)).toEqual(new Set(peers));
      expect(flat).toHaveLength(peers.length);
      const lengths = waves.map(({ length }) => length);
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
      expect(everyMs * waves.length).toBeCloseTo(overMs);
      const order = flat.map(({ roomId }) => roomId).filter((room, at, all) => room !== all[at - 1]);
      expect(new Set(order).size).toBe(order.length);
    }),
  );
});

it('without a window there is one wave, and with one there are some', () => {
  const peers = Array.from({ length: 100 }, (_, at) => ({ roomId: `r${at % 3}` }));
  expect(wavesOf(peers, 0).waves).toHaveLength(1);
  expect(wavesOf(peers, 5000)).toMatchObject({ everyMs: 250, waves: { length: 20 } });
  expect(wavesOf([], 5000).waves).toEqual([[]]);
});
