/** Corpus of a simulation: seeds that reach code which no shorter one reaches, a line for each, the shortest first. */
import { readFileSync, writeFileSync } from 'node:fs';

export interface Kept {
  readonly seed: number;
  readonly steps: number;
}

export function readCorpus(path: string): Kept[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [seed, steps] = line.split(' ').map(Number) as [number, number];
    if (!Number.isSafeInteger(seed) || !(steps > 0)) throw new Error(`${path}: ${line} is no seed with its steps`);
    return { seed, steps };
  });
}

export function writeCorpus(path: string, kept: readonly Kept[]): void {
  const sorted = [...kept].sort((a, b) => a.steps - b.steps || a.seed - b.seed);
  writeFileSync(path, sorted.map(({ seed, steps }) => `${seed} ${steps}\n`).join(''));
}

/** The shortest, as many as have so many steps together. */
export function shortest(kept: readonly Kept[], steps: number): Kept[] {
  let left = steps;
  return [...kept].sort((a, b) => a.steps - b.steps).filter((one) => (left -= one.steps) >= 0);
}
