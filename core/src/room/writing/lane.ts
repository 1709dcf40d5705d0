/**
 * Lane of a room: a group commit, and the one way in for whatever changes the room. [ST3]
 *
 * Jobs that wait together share one batch: each decides synchronously against the room plus the batch so
 * far, then one synced append makes the batch durable, then memory follows and the jobs are answered. If the
 * process dies before the append, only unanswered work is lost; after it, the log rebuilds the rest.
 * When the append fails, the room in memory has not changed and every job of the batch is told.
 */
import { Pauses } from '../../concurrency/pauses.js';
import { Spans, type Tracing, failureOf } from '../../ports/tracing.js';
import type { Batch } from './batch.js';
import type { LogTail } from './log-tail.js';

/** Decides within a batch; called again with a fresh batch when another process wrote in between. */
export type Decide<T> = (batch: Batch) => T;

interface Job {
  readonly weight: number;
  readonly first: boolean;
  /** Spans of whoever waits for it. */
  readonly spans: Spans | undefined;
  decide: Decide<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const MAX_JOBS = 1024;
const MAX_MOVES = 16;
/** What a commit is of the work between two breaks: with a store in memory nothing else would let others on. */
const COMMIT_WORK = 16;

export class Lane {
  readonly #tail: LogTail;
  readonly #tracing: Tracing | undefined;
  readonly #waiting: Job[] = [];
  /** Decided, and not yet durable. */
  #deciding = 0;
  #draining: Promise<void> | undefined;
  #isOver = false;
  readonly #pauses = new Pauses();

  constructor(tail: LogTail, tracing?: Tracing) {
    this.#tail = tail;
    this.#tracing = tracing;
  }

  /**
   * `weight` is about what the job will add to its batch, in bytes. With `first` it decides against what is durable, so
   * it begins a batch. `spans` are of whoever waits for the job.
   */
  run<T>(weight: number, decide: Decide<T>, first = false, spans?: Spans): Promise<T> {
    if (this.#isOver) return this.#tail.refusal().then((refusal) => Promise.reject(refusal));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ weight, first, spans, decide, resolve: resolve as (result: unknown) => void, reject });
      // A batch is nobody's own work: what follows from it is in no span of whoever came first.
      this.#draining ??= this.#tracing ? this.#tracing.within(undefined, () => this.#drain()) : this.#drain();
    });
  }

  /** Jobs that have no answer yet. */
  get waiting(): number {
    return this.#waiting.length + this.#deciding;
  }

  get isIdle(): boolean {
    return this.#draining === undefined;
  }

  /** Resolves when everything that waits has been answered. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  /** Resolves when everything that waits has been answered; what comes from now on is refused. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.idle();
  }

  /** Follows what another host has written meanwhile, between two batches. */
  async look(): Promise<void> {
    // Whoever finds the lane free takes it in the same turn: what is followed beside a batch would make that durable in memory alone.
    while (this.#draining) await this.#draining;
    const looking = this.#tail.follow(0, { isOwn: true }).finally(() => {
      this.#draining = this.#waiting.length > 0 ? this.#drain() : undefined;
    });
    this.#draining = looking.catch(() => undefined); // whoever asked is told
    await looking;
  }

  async #drain(): Promise<void> {
    let moves = 0;
    while (this.#waiting.length > 0) {
      // Lets the jobs that arrive in the same turn join the batch.
      await Promise.resolve();
      const batch = this.#tail.newBatch();
      const decided = this.#decide(batch);
      this.#deciding = decided.length;
      try {
        if (await this.#tail.append(batch, this.#tracing && Spans.of(decided.map(({ job }) => job.spans)))) {
          for (const { answer } of decided) answer();
          moves = 0;
        } else if (++moves < MAX_MOVES) this.#waiting.unshift(...decided.map(({ job }) => job));
        else throw new Error(`the log moved ${MAX_MOVES} times during one append`);
      } catch (error) {
        for (const { job } of decided) job.reject(error);
        moves = 0;
      }
      this.#deciding = 0;
      if (this.#pauses.due(COMMIT_WORK)) await this.#pauses.take();
    }
    this.#draining = undefined; // in the same turn as the check above: a job pushed later starts a new drain
  }

  /** Lets waiting jobs decide until the batch is full; their answers are given when it is durable. */
  #decide(batch: Batch): { readonly job: Job; readonly answer: () => void }[] {
    const decided: { job: Job; answer: () => void }[] = [];
    while (decided.length < MAX_JOBS) {
      const [job] = this.#waiting;
      if (!job || !batch.hasRoomFor(job.weight) || (job.first && !batch.isEmpty)) break;
      this.#waiting.shift();
      const deciding = job.spans?.begin('weft.decide');
      try {
        const result = job.decide(batch);
        deciding?.end();
        decided.push({ job, answer: () => job.resolve(result) });
      } catch (error) {
        deciding?.end({}, failureOf(error));
        decided.push({ job, answer: () => job.reject(error) });
      }
    }
    return decided;
  }
}
