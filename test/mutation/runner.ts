/**
 * Runs a test file once as it is, and notes which tests reach which mutants; then once for each mutant that nothing has noticed yet,
 * with the tests that reach it, until one fails. Modules stay loaded from one to the next, so what fails with a mutant has to hold
 * without it in the same modules, or it is tried in fresh ones. What is reached while modules load is tried in fresh ones too; where
 * that is all, by the tests beside its source and above it alone.
 *
 * A line of `results.jsonl` says what is tried before it is: if the process ends, that is what the mutant has done.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import fc from 'fast-check';
import { type RunnerTask, type RunnerTestFile, type RunnerTestSuite, TestRunner, vi } from 'vitest';
import { startTests } from 'vitest/internal/browser';
import { Switch } from './switch.js';

const RESULTS = process.env['MUTATION_RESULTS']!;
const TRIED = process.env['MUTATION_TRIED']!;
/** Patience for a test that waits for what a mutant has kept from happening, beyond what the longest of its file took without. */
const PATIENCE_MS = 3000;

// Random cases repeat from run to run, and none smaller is looked for when one has failed.
fc.configureGlobal({ seed: 1, endOnFailure: true });

type Config = ConstructorParameters<typeof TestRunner>[0];

/** Ids of tests; undefined: all. */
type Tests = ReadonlySet<string> | undefined;

interface Failed {
  readonly name: string;
  /** Undefined when no test by itself has failed. */
  readonly id?: string;
}

const write = (line: object): void => appendFileSync(RESULTS, `${JSON.stringify(line)}\n`);

interface Tried {
  readonly id: number;
  /** Its source. */
  readonly file: string;
}

/** Mutants that nothing has noticed yet. */
function alive(): Tried[] {
  const noticed = new Set<unknown>();
  for (const line of readFileSync(RESULTS, 'utf8').split('\n'))
    if (line !== '') noticed.add((JSON.parse(line) as { noticed?: number }).noticed);
  return (JSON.parse(readFileSync(TRIED, 'utf8')) as Tried[]).filter(({ id }) => !noticed.has(id));
}

export default class MutationRunner extends TestRunner {
  readonly #mutants = new Switch();
  readonly #byTest = new Map<string, Set<number>>();
  readonly #loading = new Set<number>();
  readonly #between = new Set<number>();
  #file: RunnerTestFile | undefined;
  #isBroken = false;
  #longestMs = 0;

  override onCollectStart(file: RunnerTestFile): void {
    this.#file = file;
    this.#mutants.note(this.#loading);
    super.onCollectStart(file);
  }

  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    this.#mutants.note(this.#between);
    await super.onBeforeRunSuite(suite);
  }

  override onBeforeTryTask(test: RunnerTask): void {
    const reached = this.#byTest.get(test.id) ?? new Set<number>();
    this.#byTest.set(test.id, reached);
    this.#mutants.note(reached);
    super.onBeforeTryTask(test);
  }

  override onAfterRunTask(test: RunnerTask): void {
    this.#mutants.note(this.#between);
    this.#isBroken ||= test.result?.state === 'fail';
    this.#longestMs = Math.max(this.#longestMs, test.result?.duration ?? 0);
    super.onAfterRunTask(test);
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    if (!('filepath' in suite)) return;
    this.#mutants.note(undefined);
    await this.#tryAll(this.#file!);
  }

  async #tryAll({ filepath }: RunnerTestFile): Promise<void> {
    const file = relative(process.cwd(), filepath);
    if (this.#isBroken) return write({ broken: file });
    const most = this.#mutants.calls * 10 + 1_000_000;
    const reached = new Set([...this.#byTest.values(), this.#between].flatMap((set) => [...set]));
    const folder = `${dirname(file)}/`;
    const isTried = ({ id, file: source }: Tried): boolean =>
      reached.has(id) || (this.#loading.has(id) && source.startsWith(folder));
    for (const { id } of alive().filter(isTried)) {
      write({ on: id, file });
      const by = await this.#noticedBy(id, filepath, most);
      write(by === undefined ? { stayed: id } : { noticed: id, by: `${file}: ${by}` });
    }
    write({ done: file });
  }

  /** Name of a test that notices the mutant. */
  async #noticedBy(id: number, path: string, most: number): Promise<string | undefined> {
    const tests = this.#between.has(id) || this.#loading.has(id) ? undefined : this.#testsOf(id);
    const first = await this.#run(id, path, most, tests);
    if (first ? await this.#holds(path, most, tests, first) : !this.#loading.has(id)) return first?.name;
    vi.resetModules();
    const fresh = await this.#run(id, path, most, tests);
    vi.resetModules();
    return fresh && (await this.#holds(path, most, tests, fresh)) ? fresh.name : undefined;
  }

  /** Whether what has failed holds with no mutant. */
  async #holds(path: string, most: number, tests: Tests, { id }: Failed): Promise<boolean> {
    return (await this.#run(0, path, most, id === undefined ? tests : new Set([id]))) === undefined;
  }

  #testsOf(id: number): Set<string> {
    return new Set([...this.#byTest].filter(([, reached]) => reached.has(id)).map(([test]) => test));
  }

  /** The first of these tests, or of all, that fails. */
  async #run(id: number, path: string, most: number, tests: Tests): Promise<Failed | undefined> {
    const patience = PATIENCE_MS + 3 * this.#longestMs;
    const run = new OneRun({ ...this.config, testTimeout: patience, hookTimeout: patience }, tests);
    for (const part of ['moduleRunner', '_otel']) Object.defineProperty(run, part, { value: Reflect.get(this, part) });
    this.#mutants.turn(id, most);
    try {
      const [file] = await startTests([path], run);
      return run.failed ?? (file?.result?.state === 'fail' ? { name: 'its set-up' } : undefined);
    } catch (error) {
      return { name: String(error) };
    } finally {
      this.#mutants.turn(0, Number.POSITIVE_INFINITY);
      vi.useRealTimers();
      vi.restoreAllMocks();
      vi.unstubAllGlobals();
      vi.unstubAllEnvs();
    }
  }
}

/** One run of a file in modules that are loaded: it tells nobody, takes some tests only, and none behind the first that fails. */
class OneRun extends TestRunner {
  failed: Failed | undefined;
  readonly #tests: Tests;

  constructor(config: Config, tests: Tests) {
    super(config);
    this.#tests = tests;
  }

  override importFile(path: string, source: 'collect' | 'setup'): unknown {
    const { evaluatedModules } = Reflect.get(this, 'workerState') as WorkerState;
    const file = evaluatedModules.getModuleById(path);
    if (file) Object.assign(file, { promise: undefined, exports: undefined, evaluated: false });
    return super.importFile(path, source);
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    if (this.failed || this.#tests?.has(test.id) === false) test.mode = 'skip';
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: RunnerTask): void {
    if (test.result?.state === 'fail') this.failed ??= { name: test.name, id: test.id };
    super.onAfterRunTask(test);
  }
}

interface WorkerState {
  readonly evaluatedModules: { getModuleById(path: string): object | undefined };
}
