/** Chance that a seed repeats: what comes out for a name is the same whenever it is asked for, and in whatever order. */
import { createHash } from 'node:crypto';

export class Chance {
  readonly #seed: string;

  constructor(seed: number | string) {
    this.#seed = String(seed);
  }

  /** From 0 on, below `below`. */
  number(name: string, below: number): number {
    const digest = createHash('sha256').update(`${this.#seed}/${name}`).digest();
    return digest.readUInt32BE(0) % below;
  }

  pick<T>(name: string, of: readonly T[]): T {
    return of[this.number(name, of.length)]!;
  }

  /** So many times in a hundred. */
  happens(name: string, percent: number): boolean {
    return this.number(name, 100) < percent;
  }
}
