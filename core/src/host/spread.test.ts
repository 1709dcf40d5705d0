import { afterEach, describe, expect, it, vi } from 'vitest';
import { comeBackElsewhere, comeBackLater } from './spread.js';

describe('who is sent away for a while', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    [1, 'come back in 999 ms', 'come back in 249 ms'],
    [125, 'come back in 999 ms', 'come back in 249 ms'],
    [200, 'come back in 999 ms', 'come back in 399 ms'],
    [10_000, 'come back in 19980 ms', 'come back in 19980 ms'],
  ])('[ER4] is one of %i: a few go elsewhere sooner, and many over as long as ever', (peers, later, elsewhere) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999);
    expect(comeBackLater(peers, 'gone')).toContain(later);
    expect(comeBackElsewhere(peers, 'gone')).toContain(elsewhere);
  });
});
