// Numbers that look random and are the same in every run, so that every engine and every round gets the same input.

export type Random = () => number;

/** Numbers from 0 up to 1 (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number from 0 to `below - 1`. */
export function wholeBelow(random: Random, below: number): number {
  return Math.floor(random() * below);
}

/** Permutation of items; every order is as likely (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const list = [...items];
  for (let last = list.length - 1; last > 0; last -= 1) {
    const other = wholeBelow(random, last + 1);
    [list[last], list[other]] = [list[other] as T, list[last] as T];
  }
  return list;
}

/** Log-normal number: half lie below the median, and few are many times larger, like pauses of somebody who types. */
export function lognormal(random: Random, middle: number, sigma: number): number {
  // Box and Muller; 1 - random() is never 0, whose logarithm there is not.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return middle * Math.exp(sigma * normal);
}
