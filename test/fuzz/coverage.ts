/** Coverage of this thread's own code, as V8 counts it: which blocks ran, and about how often. */
import { type Profiler, Session } from 'node:inspector';

export class Coverage {
  readonly #session = new Session();
  readonly #file: string;

  /** Counts what is in the file from here on. */
  constructor(file: string) {
    this.#file = file;
    this.#session.connect();
    this.#ask('Profiler.enable');
    this.#ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Blocks that ran since it was asked before, each with the power of two up to which it ran. */
  take(): Set<string> {
    const found = new Set<string>();
    for (const { startOffset, endOffset, count } of this.#ran())
      found.add(`${startOffset}-${endOffset}:${Math.floor(Math.log2(count))}`);
    return found;
  }

  /** Blocks that ran since it was asked before, of those that begin where it is wanted. */
  takeWhere(isWanted: (offset: number) => boolean): Set<string> {
    const found = new Set<string>();
    for (const { startOffset, endOffset } of this.#ran())
      if (isWanted(startOffset)) found.add(`${startOffset}-${endOffset}`);
    return found;
  }

  *#ran(): Generator<Profiler.CoverageRange> {
    const { result = [] } = this.#ask(
      'Profiler.takePreciseCoverage',
    ) as Partial<Profiler.TakePreciseCoverageReturnType>;
    for (const { url, functions } of result)
      if (url.endsWith(this.#file))
        for (const { ranges } of functions) for (const range of ranges) if (range.count > 0) yield range;
  }

  close(): void {
    this.#session.disconnect();
  }

  /** Sessions with the own thread answer before they return. */
  #ask(method: string, params: object = {}): object {
    let answer: object = {};
    this.#session.post(method, params, (error, result: object = {}) => {
      if (error) throw error;
      answer = result;
    });
    return answer;
  }
}
