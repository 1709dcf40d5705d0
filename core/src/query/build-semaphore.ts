/** Bounded semaphore of builds: so many run at once and so many wait, in the order in which they came; others are refused. [PJ7] */
import { type Telemetry, stopwatch } from '../ports/telemetry.js';
import { Rejection } from '../rejection.js';

const BUILDS = { atOnce: 8, waiting: 32 } as const;

export class BuildSemaphore {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #telemetry: Telemetry;

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    const waited = stopwatch(this.#telemetry, 'query_build_queue_wait_seconds');
    if (this.#running < BUILDS.atOnce) this.#running++;
    else await this.#wait();
    waited();
    try {
      return await task();
    } finally {
      // Whoever comes next takes this one's place.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= BUILDS.waiting)
      throw new Rejection('reject.query_backpressure', `${BUILDS.waiting} builds wait already; try again`);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
