/** A trial that is told of in figures, and was one: everything that is harmed in it was harmed, and something was answered all the same. */
import { expect } from 'vitest';
import { type Ended, Trial, type TrialOptions } from './trial.js';

export async function tried(options: Omit<TrialOptions, 'seed'>, ms: number): Promise<Ended> {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const ended = await (await Trial.of({ seed, ...options })).lasts(ms);
  const { history, violations, waiting, ...figures } = ended;
  const said = Object.entries(figures).map(([name, count]) => `${name} ${count}`);
  console.log(`seed ${seed}: ${said.join(', ')}; ${history.log.nodes.length} nodes, ${violations.length} violations`);
  for (const { promise, why } of violations) console.log(`${promise}: ${why}`);
  for (const client of waiting) console.log(client);
  expect(figures.acknowledged).toBeGreaterThan(0);
  expect(figures.kills).toBeGreaterThan(0);
  expect(figures.partitions).toBeGreaterThan(0);
  expect(history.last.length).toBeGreaterThan(1);
  return ended;
}
