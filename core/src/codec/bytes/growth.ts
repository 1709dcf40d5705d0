/**
 * Growth of a buffer that has become too small: what is large takes a part more, because what is not used of it is held
 * too.
 */
const LARGE_BYTES = 4 << 20;
const PART_OF_LARGE = 1 / 4;

export function grownBytes(held: number, needed: number): number {
  const grown = held < LARGE_BYTES ? held * 2 : held + Math.ceil(held * PART_OF_LARGE);
  return Math.max(needed, grown);
}
