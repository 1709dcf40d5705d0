/**
 * `npm run sim -- [--studio] --seed N --steps M [--seeds K] [--hosts 2] [--lets-go] [--certified] [--tell]`: plays simulations, and shrinks the first that breaks a law.
 * `npm run sim -- [--studio] --forever [--minutes N]`: until one does, or the time is over, and keeps what reaches new code.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { search } from './forever.js';
import { movesOf, play as playRooms, shrink } from './simulate.js';
import { playStudio } from './studio/simulate.js';

const { values } = parseArgs({
  options: {
    studio: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    steps: { type: 'string', default: '1000' },
    hosts: { type: 'string' },
    'lets-go': { type: 'boolean' },
    certified: { type: 'boolean' },
    tell: { type: 'boolean', default: false },
    seen: { type: 'boolean', default: false },
    hunt: { type: 'boolean', default: false },
    whole: { type: 'boolean', default: false },
    forever: { type: 'boolean', default: false },
    minutes: { type: 'string', default: 'Infinity' },
  },
});
const [first, count, steps] = [values.seed, values.seeds, values.steps].map(Number) as [number, number, number];
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const play = values.studio ? playStudio : playRooms;
/** What its seed would say otherwise. */
const given = {
  ...(values.hosts ? { hosts: values.hosts === '2' ? (2 as const) : (1 as const) } : {}),
  ...(values['lets-go'] === undefined ? {} : { letsGo: values['lets-go'] }),
  ...(values.certified === undefined ? {} : { isCertified: values.certified }),
};

await (values.forever ? forever() : inTurn());

async function inTurn(): Promise<void> {
  const seen = new Map<string, number>();
  const started = performance.now();
  let played = 0;
  for (let seed = first; seed < first + count; seed++) {
    const outcome = await play(
      seed,
      movesOf(seed, steps),
      values.tell ? { tell: write, mode: given } : { mode: given },
    );
    played += outcome.steps;
    for (const [name, times] of outcome.seen) seen.set(name, (seen.get(name) ?? 0) + times);
    if (!outcome.breach) continue;
    if (values.hunt) {
      const seconds = (performance.now() - started) / 1000;
      return write(JSON.stringify({ seed, played, seconds, law: outcome.breach.law, message: outcome.breach.message }));
    }
    write(`seed ${seed}, ${steps} steps: ${outcome.breach.message}`);
    process.exitCode = 1;
    if (values.whole) continue;
    await tellShrunk(seed, steps);
    break;
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage();
  const rate = Math.round((played * 1e6) / (user + system)).toLocaleString('en');
  write(`${played} steps of ${count} seeds in ${seconds.toFixed(1)} s, ${rate} in a second of a processor`);
  if (values.seen) for (const [name, times] of [...seen].sort()) write(`${String(times).padStart(7)} ${name}`);
}

async function tellShrunk(seed: number, of: number): Promise<void> {
  const moves = await shrink(seed, movesOf(seed, of), (one, some) => play(one, some, { mode: given }));
  write(`${moves.length} moves are enough:`);
  const { breach } = await play(seed, moves, { tell: write, mode: given });
  write(breach?.message ?? 'nothing any more');
}

async function forever(): Promise<void> {
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`--minutes is a number above 0, not ${values.minutes}`);
  const {
    broken,
    seeds,
    steps: made,
    blocks,
  } = await search({
    corpus: join('test', 'simulation', 'corpus', values.studio ? 'studio.txt' : 'rooms.txt'),
    sources: values.studio ? 'studio/src/' : 'core/src/',
    minutes,
    from: first === 1 ? Date.now() : first,
    play: (kept) => play(kept.seed, movesOf(kept.seed, kept.steps)),
    write,
  });
  write(`${made} steps of ${seeds} seeds reach ${blocks} blocks`);
  if (!broken) return;
  write(`npm run sim -- ${values.studio ? '--studio ' : ''}--seed ${broken.seed} --steps ${broken.steps}`);
  process.exitCode = 1;
  await tellShrunk(broken.seed, broken.steps);
}
