/**
 * Program that fuzzes decoders in another thread, while this one watches: a decoder that never answers is ended, and what it was
 * given told.
 *
 *   --seed N, --runs N, --target <words>, --guided, --keep (writes the corpus), --patience MS, --broken (a decoder with faults)
 */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { countAsked } from './asked-memory.js';
import { type Outcome, Fuzzer } from './fuzz.js';
import { MOST_BYTES } from './mutate.js';
import { broken } from './targets/broken.js';
import { targets } from './targets/table.js';

const HEAD_BYTES = 8;
const LOOK_MS = 200;
/** No decoder is silent for longer, whatever the machine does beside it. */
const SILENCE_MS = 30_000;
const HEAP_MB = 768;

interface Options {
  readonly seed: number;
  readonly runs: number;
  readonly guided: boolean;
  readonly mostMs: number;
}

interface Given extends Options {
  /** Targets, one after the other. */
  readonly names: readonly string[];
  readonly corpus: string;
  readonly seen: SharedArrayBuffer;
}

interface Told {
  readonly name: string;
  readonly outcome: Outcome;
}

if (isMainThread) await everyTarget();
else await eachOf(workerData as Given);

async function eachOf({ names, corpus, seen, ...options }: Given): Promise<void> {
  const head = new Int32Array(seen, 0, 2);
  const bytes = new Uint8Array(seen, HEAD_BYTES);
  const begins = (input: Uint8Array): void => {
    bytes.set(input.subarray(0, bytes.length));
    head[1] = input.length;
    Atomics.add(head, 0, 1);
  };
  countAsked();
  for (const name of names) {
    const target = [broken, ...targets].find((one) => one.name === name)!;
    const plan = { ...options, corpus: await readCorpus(corpus, name) };
    const outcome = await new Fuzzer(target, plan, begins).run(basename(import.meta.filename));
    parentPort!.postMessage({ name, outcome } satisfies Told);
  }
}

async function everyTarget(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      runs: { type: 'string', default: '20000' },
      target: { type: 'string', default: '' },
      patience: { type: 'string', default: '5000' },
      corpus: { type: 'string' },
      guided: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      broken: { type: 'boolean', default: false },
    },
  });
  const { seed, runs, patience, guided, keep, corpus } = values;
  if (corpus === undefined) throw new Error('--corpus names the folder of the corpus');
  const options: Options = { seed: Number(seed), runs: Number(runs), guided: guided || keep, mostMs: Number(patience) };
  const wanted = values.broken ? [broken] : targets.filter((target) => target.name.includes(values.target));
  console.log(`seed ${seed}, ${runs} mutations of each`);
  let left = wanted.map(({ name }) => name);
  let faults = 0;
  let since = performance.now();
  const take = async ({ name, outcome }: Told): Promise<void> => {
    left = left.filter((other) => other !== name);
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    since = performance.now();
    const { taken, tried, blocks } = outcome;
    console.log(`${name}: ${tried} tried, ${taken} taken, ${options.guided ? `${blocks} blocks, ` : ''}${seconds} s`);
    for (const { input, error } of outcome.faults)
      console.log(`FAULT ${name} ${error}\n  input ${Buffer.from(input).toString('base64')}`);
    faults += outcome.faults.length;
    if (keep && outcome.faults.length === 0) await writeCorpus(corpus, name, outcome.kept);
  };
  // A thread that never answers or dies is ended, and another one takes the rest.
  while (left.length > 0) await watched({ ...options, names: left, corpus, seen: newSeen() }, take);
  process.exitCode = faults === 0 ? 0 : 1;
}

function newSeen(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEAD_BYTES + MOST_BYTES);
}

async function watched(given: Given, take: (told: Told) => Promise<void>): Promise<void> {
  const head = new Int32Array(given.seen, 0, 2);
  const left = [...given.names];
  const worker = new Worker(new URL(import.meta.url), {
    workerData: given,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let fault: string | undefined;
  let told = Promise.resolve();
  let [last, since] = [-1, Date.now()];
  const look = setInterval(() => {
    const now = Atomics.load(head, 0);
    if (now !== last) [last, since] = [now, Date.now()];
    else if (now > 0 && Date.now() - since > SILENCE_MS) {
      fault = `has not answered for ${SILENCE_MS / 1000} s`;
      void worker.terminate();
    }
  }, LOOK_MS);
  worker.on('message', (one: Told) => {
    left.shift();
    told = told.then(() => take(one));
  });
  worker.on('error', (error) => (fault ??= `ends its thread: ${error.stack ?? error.message}`));
  await new Promise((resolve) => worker.once('exit', resolve));
  clearInterval(look);
  await told;
  const [name] = left;
  if (name === undefined) return;
  const input = new Uint8Array(given.seen.slice(HEAD_BYTES, HEAD_BYTES + Atomics.load(head, 1)));
  const faults = [{ input, error: fault ?? 'ends its thread' }];
  await take({ name, outcome: { faults, taken: 0, tried: Atomics.load(head, 0), blocks: 0, kept: [] } });
}

/** Lines of base64; what begins with # is for readers. */
async function readCorpus(folder: string, name: string): Promise<Uint8Array[]> {
  const text = await readFile(join(folder, `${name}.txt`), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => new Uint8Array(Buffer.from(line, 'base64')));
}

/** Found cases, under their comments, stay above what only reaches far. */
async function writeCorpus(folder: string, name: string, kept: readonly Uint8Array[]): Promise<void> {
  const file = join(folder, `${name}.txt`);
  const text = await readFile(file, 'utf8').catch(() => '');
  const [found = ''] = text.split('# reaches far\n');
  const lines = kept.map((input) => Buffer.from(input).toString('base64')).sort();
  await writeFile(file, `${found}# reaches far\n${lines.join('\n')}\n`);
}
