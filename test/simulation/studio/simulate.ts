/** Simulations of a studio: each follows from its seed and its number of steps. */
import { Random } from '../../convergence/random.js';
import { seedGlobals } from '../seeded-globals.js';
import { type Move, movesOf } from '../simulate.js';
import type { StudioBreach } from './laws.js';
import { StudioWorld, type StudioWorldOptions } from './world.js';

export interface StudioOutcome {
  readonly breach: StudioBreach | undefined;
  readonly trace: string;
  readonly steps: number;
  readonly deaths: number;
  readonly seen: ReadonlyMap<string, number>;
  readonly came: ReadonlyMap<string, number>;
}

type Told = Pick<StudioWorldOptions, 'tell'>;

export async function playStudio(seed: number, moves: readonly Move[], told: Told = {}): Promise<StudioOutcome> {
  const world = new StudioWorld({ seed, ...told });
  const restore = seedGlobals(new Random(seed ^ 0xc0ffee), world.timeline);
  let steps = 0;
  try {
    await world.begin();
    for (const move of moves) {
      if (world.breach) break;
      await world.move(move.seed);
      await world.run(move.moments);
      steps += 1 + move.moments;
    }
    if (!world.breach) await world.heal();
  } catch (error) {
    if (!world.breach) throw error;
  } finally {
    await world.close();
    restore();
  }
  const { breach, trace, deaths, seen, came } = world;
  return { breach, trace, steps, deaths, seen, came };
}

export function simulateStudio(seed: number, steps: number, told: Told = {}): Promise<StudioOutcome> {
  return playStudio(seed, movesOf(seed, steps), told);
}
