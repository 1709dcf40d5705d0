/**
 * Fuzzing of one decoder: inputs that are changed by their parts, of which those that reach code anew are kept and changed
 * further. No crash but the declared refusal, nothing slow, no memory that the input does not account for.
 */
import { Random } from '../convergence/random.js';
import { takeAsked } from './asked-memory.js';
import { Coverage } from './coverage.js';
import { mutated } from './mutate.js';
import { AT_LEAST, PER_BYTE, type Target } from './target.js';

export interface Plan {
  readonly seed: number;
  /** Mutations; the corpus comes on top. */
  readonly runs: number;
  /** Whether V8's coverage says what is kept. */
  readonly guided: boolean;
  /** Patience with one input. */
  readonly mostMs: number;
  /** Inputs kept earlier. */
  readonly corpus: readonly Uint8Array[];
}

export interface Fault {
  readonly input: Uint8Array;
  readonly error: string;
}

export interface Outcome {
  readonly faults: readonly Fault[];
  /** Inputs that were taken, of all that were tried. */
  readonly taken: number;
  readonly tried: number;
  readonly blocks: number;
  /** Inputs that between them reach all that was reached, the short ones first. */
  readonly kept: readonly Uint8Array[];
}

/** Inputs between two looks at the coverage, which cost more than an input. */
const TOGETHER = 64;
const MOST_FAULTS = 5;
const MOST_KEPT = 40;
const LONGEST_KEPT = 1024;
/** Times that something slow is tried again: the machine may have been busy. */
const AGAIN = 2;

export class Fuzzer {
  readonly #target: Target;
  readonly #plan: Plan;
  readonly #begins: (input: Uint8Array) => void;
  readonly #faults = new Map<string, Fault>();
  #taken = 0;
  /** The last one. */
  #refusal: unknown;
  #tried = 0;

  /** `begins` hears of each input before it is decoded, for whoever watches from outside. */
  constructor(target: Target, plan: Plan, begins: (input: Uint8Array) => void) {
    this.#target = target;
    this.#plan = plan;
    this.#begins = begins;
  }

  async run(file: string): Promise<Outcome> {
    const { seed, runs, guided, corpus } = this.#plan;
    const chance = new Random(seed);
    const coverage = guided ? new Coverage(file) : undefined;
    const reached = new Set<string>();
    const seeds = await this.#target.seeds();
    for (const input of seeds) await this.#try(input);
    if (this.#taken === 0) this.#found(seeds[0]!, `takes none of its seeds: ${String(this.#refusal)}`);
    const pool = [...seeds, ...corpus];
    for (const input of corpus) await this.#try(input);
    for (const block of coverage?.take() ?? []) reached.add(block);
    for (let left = runs; left > 0 && this.#faults.size < MOST_FAULTS; left -= TOGETHER) {
      const inputs = Array.from({ length: Math.min(left, TOGETHER) }, () =>
        mutated(chance.pick(pool), pool, this.#target, chance),
      );
      for (const input of inputs) await this.#try(input);
      if (coverage && isNew(coverage.take(), reached)) pool.push(...(await this.#reaching(inputs, coverage, reached)));
    }
    const kept = coverage ? await this.#kept(pool, coverage) : [];
    coverage?.close();
    const [taken, tried] = [this.#taken, this.#tried];
    return { faults: [...this.#faults.values()], taken, tried, blocks: reached.size, kept };
  }

  /** Those of the inputs that reach something anew, one by one. */
  async #reaching(inputs: readonly Uint8Array[], coverage: Coverage, reached: Set<string>): Promise<Uint8Array[]> {
    const found: Uint8Array[] = [];
    for (const input of inputs) {
      await this.#try(input);
      const blocks = coverage.take();
      if (!isNew(blocks, reached)) continue;
      found.push(input);
      for (const block of blocks) reached.add(block);
    }
    return found;
  }

  async #kept(pool: readonly Uint8Array[], coverage: Coverage): Promise<Uint8Array[]> {
    const kept: Uint8Array[] = [];
    const reached = new Set<string>();
    const short = pool.filter(({ length }) => length <= LONGEST_KEPT).sort((a, b) => a.length - b.length);
    for (const input of short) {
      if (kept.length === MOST_KEPT) break;
      await this.#try(input);
      const blocks = coverage.take();
      if (!isNew(blocks, reached)) continue;
      kept.push(input);
      for (const block of blocks) reached.add(block);
    }
    return kept;
  }

  async #try(input: Uint8Array): Promise<void> {
    this.#tried++;
    this.#begins(input);
    takeAsked();
    const { mostMs } = this.#plan;
    let took = await this.#timed(input);
    const asked = takeAsked();
    const most = AT_LEAST + input.length * (this.#target.perByte ?? PER_BYTE);
    if (asked > most) this.#found(input, `asks for ${asked} bytes, for ${input.length} of input`);
    for (let left = AGAIN; took > mostMs && left > 0; left--) took = Math.min(took, await this.#timed(input));
    if (took > mostMs) this.#found(input, `takes more than ${mostMs} ms, for ${input.length} bytes of input`);
  }

  async #timed(input: Uint8Array): Promise<number> {
    const started = performance.now();
    try {
      await this.#target.decode(input.slice());
      this.#taken++;
    } catch (error) {
      this.#refusal = error;
      if (!this.#target.isRefusal(error)) this.#found(input, told(error));
    }
    return performance.now() - started;
  }

  /** The first of each kind: an error has the kind of its text without its numbers. */
  #found(input: Uint8Array, error: string): void {
    const kind = error.replaceAll(/\d+/g, '').slice(0, 300);
    const before = this.#faults.get(kind);
    if (!before || before.input.length > input.length) this.#faults.set(kind, { input, error });
  }
}

function isNew(blocks: ReadonlySet<string>, reached: ReadonlySet<string>): boolean {
  for (const block of blocks) if (!reached.has(block)) return true;
  return false;
}

const LINES_TOLD = 6;

function told(error: unknown): string {
  if (!(error instanceof Error)) return `throws ${String(error)}`;
  return (error.stack ?? error.message).split('\n').slice(0, LINES_TOLD).join('\n');
}
