/** `npm run sim -- [--studio] --seed N --steps M [--seeds K] [--tell]`: plays simulations, and shrinks the first that breaks a law. */
import { parseArgs } from 'node:util';
import { movesOf, play as playRooms, shrink } from './simulate.js';
import { playStudio } from './studio/simulate.js';

const { values } = parseArgs({
  options: {
    studio: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    steps: { type: 'string', default: '1000' },
    tell: { type: 'boolean', default: false },
    seen: { type: 'boolean', default: false },
    hunt: { type: 'boolean', default: false },
    whole: { type: 'boolean', default: false },
  },
});
const [first, count, steps] = [values.seed, values.seeds, values.steps].map(Number) as [number, number, number];
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const play = values.studio ? playStudio : playRooms;
const seen = new Map<string, number>();
const started = performance.now();
let played = 0;
for (let seed = first; seed < first + count; seed++) {
  const outcome = await play(seed, movesOf(seed, steps), values.tell ? { tell: write } : {});
  played += outcome.steps;
  for (const [name, times] of outcome.seen) seen.set(name, (seen.get(name) ?? 0) + times);
  if (!outcome.breach) continue;
  if (values.hunt) {
    const seconds = (performance.now() - started) / 1000;
    write(JSON.stringify({ seed, played, seconds, law: outcome.breach.law, message: outcome.breach.message }));
    process.exit(0);
  }
  write(`seed ${seed}, ${steps} steps: ${outcome.breach.message}`);
  process.exitCode = 1;
  if (values.whole) continue;
  const moves = await shrink(seed, movesOf(seed, steps), play);
  write(`${moves.length} moves are enough:`);
  const { breach } = await play(seed, moves, { tell: write });
  write(breach?.message ?? 'nothing any more');
  break;
}
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
const rate = Math.round((played * 1e6) / (user + system)).toLocaleString('en');
write(`${played} steps of ${count} seeds in ${seconds.toFixed(1)} s, ${rate} in a second of a processor`);
if (values.seen) for (const [name, times] of [...seen].sort()) write(`${String(times).padStart(7)} ${name}`);
