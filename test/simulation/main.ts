/** `npm run sim`: plays simulations and shrinks the first that breaks a law, or searches until one does. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { search } from './forever.js';
import { movesOf, play as playRooms, shrink } from './simulate.js';
import { playStudio } from './studio/simulate.js';

const USAGE = `npm run sim -- [--studio] --seed N --steps M [--seeds K]   plays that seed, or K from it on, and shrinks the first that breaks a law
npm run sim -- [--studio] --forever [--minutes N]          plays until one does, or the time is over, and keeps what reaches new code

  --studio      the studio; else rooms
  --whole       goes on behind a seed that breaks a law, and shrinks none
  --hunt        says of the first that breaks a law what and when, as JSON
  --tell        says what happens
  --seen        how often each thing has happened
  --hosts 2     two hosts over one store, in place of what the seed says; so too --lets-go and --certified`;

const { values } = parsed(() =>
  parseArgs({
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
      help: { type: 'boolean', default: false },
    },
  }),
);
if (values.help) {
  console.log(USAGE);
  process.exit();
}
const [first, count, steps] = [numberOf('seed'), numberOf('seeds'), numberOf('steps')];
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

function numberOf(name: 'seed' | 'seeds' | 'steps'): number {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(`--${name} is a whole number above 0, not ${values[name]}`);
  process.exit(1);
}

/** What was asked for; who asks for what there is not is told what there is. */
function parsed<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(1);
  }
}
