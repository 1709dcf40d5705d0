/** Quiescent points of a room: moments at which nothing is being made durable, so that memory is what the log holds. */
import type { Graph } from '../../graph/graph.js';

export class Quiescence {
  readonly #graph: Graph;
  readonly #waiting: (() => void)[] = [];

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** Runs a task at the next one. */
  next<T>(task: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(task());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }

  /** Runs what waits, if this is such a moment. To be called whenever it may be one. */
  look(): void {
    if (this.#graph.size === this.#graph.settled) for (const task of this.#waiting.splice(0)) task();
  }
}
