/**
 * Simulations one after the other until somebody stops them, led by what they reach: a seed whose run enters a block of the engine
 * that none before has entered is kept in the corpus. What is kept is played first, and leaves when shorter ones reach as much.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Random } from '../convergence/random.js';
import { Coverage } from '../fuzz/coverage.js';
import { type Kept, readCorpus, writeCorpus } from './corpus.js';

/** Short ones are tried more often: what they reach is cheap to reach again. */
const LENGTHS = [100, 100, 200, 200, 400, 400, 1000, 2500];
/** Most seeds of a corpus. */
const MOST = 200;

export interface SearchParts {
  readonly corpus: string;
  /** Beginning of the paths whose blocks count. */
  readonly sources: string;
  readonly minutes: number;
  /** Number from which the seeds are drawn. */
  readonly from: number;
  readonly play: (kept: Kept) => Promise<{ readonly steps: number; readonly breach: Error | undefined }>;
  readonly write: (line: string) => void;
}

export interface Searched {
  readonly seeds: number;
  readonly steps: number;
  readonly blocks: number;
  /** The run that has broken a law. */
  readonly broken?: Kept;
}

export async function search({ corpus, sources, minutes, from, play, write }: SearchParts): Promise<Searched> {
  const program = fileURLToPath(import.meta.url); // all is one file
  const isWanted = partsOf(readFileSync(program, 'utf8'), sources);
  const coverage = new Coverage(program);
  const [reached, kept, random] = [new Set<string>(), [] as Kept[], new Random(from)];
  const until = performance.now() + minutes * 60_000;
  const [before, done] = [readCorpus(corpus), { seeds: 0, steps: 0 }];
  try {
    while (performance.now() < until) {
      const known = before.shift();
      const next = known ?? { seed: random.below(2 ** 31), steps: random.pick(LENGTHS) };
      const { steps, breach } = await play(next);
      done.seeds++;
      done.steps += steps;
      if (breach) return { ...done, blocks: reached.size, broken: next };
      const blocks = coverage.takeWhere(isWanted);
      const size = reached.size;
      for (const block of blocks) reached.add(block);
      if (reached.size === size || kept.length >= MOST) continue;
      kept.push(next);
      if (!known) write(`seed ${next.seed}, ${next.steps} steps: ${reached.size - size} new of ${reached.size} blocks`);
      writeCorpus(corpus, [...kept, ...before]);
    }
    return { ...done, blocks: reached.size };
  } finally {
    writeCorpus(corpus, [...kept, ...before]);
    coverage.close();
  }
}

/** Whether a place of the bundle is of such a source: the bundler says before each what it is. */
function partsOf(bundle: string, sources: string): (offset: number) => boolean {
  const parts = [...bundle.matchAll(/^\/\/ (\S+\.\w+)$/gm)].map(({ index, 1: path }) => ({ index, path: path! }));
  return (offset) => parts.findLast(({ index }) => index <= offset)?.path.startsWith(sources) ?? false;
}
