/** Runs operations of one host: those that need to be alone wait for each other. */
import type { Operation, OperatorContext } from './define.js';

export class Performing {
  readonly #context: Pick<OperatorContext, 'host' | 'store'>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: Pick<OperatorContext, 'host' | 'store'>) {
    this.#context = context;
  }

  perform<In, Out>(
    operation: Operation<In, Out>,
    input: In,
    asking: Pick<OperatorContext, 'progress' | 'signal'>,
  ): Promise<Out> {
    const run = (): Promise<Out> => operation.run({ ...this.#context, ...asking }, input);
    if (!operation.alone) return run();
    const done = this.#last.then(run);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
