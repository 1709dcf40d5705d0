/** Simulations of a room server: each follows from its seed and its number of steps, and ends with what was found. */
import { Random } from '../convergence/random.js';
import type { DiskLie } from './disk.js';
import type { Mode } from './hosts.js';
import type { Breach } from './model.js';
import { seedGlobals } from './seeded-globals.js';
import { World } from './world.js';

/** What happens, and so many moments that follow. */
export interface Move {
  readonly seed: number;
  readonly moments: number;
}

export interface Outcome {
  readonly breach: Breach | undefined;
  /** Hash of all frames, faults and times. */
  readonly trace: string;
  readonly steps: number;
  /** How often each frame and event was seen as an answer. */
  readonly seen: ReadonlyMap<string, number>;
}

export interface SimulateOptions {
  readonly lie?: DiskLie;
  readonly tell?: (line: string) => void;
  /** What its seed would say otherwise of its hosts. */
  readonly mode?: Partial<Mode>;
}

const MOMENTS = 10;

/** Moves of a seed: together at least so many steps. */
export function movesOf(seed: number, steps: number): Move[] {
  const random = new Random(seed ^ 0x5eed);
  const moves: Move[] = [];
  for (let left = steps; left > 0;) {
    const move = { seed: random.below(2 ** 31), moments: random.below(MOMENTS) };
    moves.push(move);
    left -= 1 + move.moments;
  }
  return moves;
}

export async function play(seed: number, moves: readonly Move[], options: SimulateOptions = {}): Promise<Outcome> {
  const world = new World({ seed, ...options });
  const restore = seedGlobals(new Random(seed ^ 0xc0ffee), world.timeline);
  let steps = 0;
  try {
    await world.begin();
    for (const move of moves) {
      if (world.model.breach) break;
      await world.move(move.seed);
      await world.run(move.moments);
      steps += 1 + move.moments;
    }
    if (!world.model.breach) await world.heal();
    return { breach: world.model.breach, trace: world.trace, steps, seen: world.model.seen };
  } finally {
    await world.end();
    restore();
  }
}

export function simulate(seed: number, steps: number, options: SimulateOptions = {}): Promise<Outcome> {
  return play(seed, movesOf(seed, steps), options);
}

/** What a run of moves comes to, in whatever world. */
type Play = (
  seed: number,
  moves: readonly Move[],
) => Promise<{ readonly breach: { readonly law: string } | undefined; readonly steps: number }>;

/** Fewer moves that end in a breach of the same law: whatever can be left out is. */
export async function shrink(
  seed: number,
  moves: readonly Move[],
  plays: Play = play,
  runs = 200,
): Promise<readonly Move[]> {
  const { breach, steps } = await plays(seed, moves);
  if (!breach) return moves;
  const fails = async (some: readonly Move[]): Promise<boolean> =>
    runs-- > 0 && (await plays(seed, some)).breach?.law === breach.law;
  let kept = upTo(moves, steps);
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < kept.length && runs > 0;) {
      const fewer = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await fails(fewer)) kept = fewer;
      else at += size;
    }
  return kept;
}

function upTo(moves: readonly Move[], steps: number): readonly Move[] {
  let sum = 0;
  return moves.filter(({ moments }) => (sum += 1 + moments) <= steps);
}
