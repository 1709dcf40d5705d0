/** Runner of one host's operations, with a mutex for those that need to be alone. */
import type { AnyOperation, OperatorContext } from './define.js';

export type Performer = Pick<OperatorContext, 'host' | 'store' | 'archives' | 'telemetry' | 'admin' | 'webhooks'>;

export class Performing {
  readonly #context: Performer;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: Performer) {
    this.#context = context;
  }

  perform<Out>(
    { alone }: AnyOperation,
    asking: Pick<OperatorContext, 'progress' | 'signal'>,
    run: (context: OperatorContext) => Promise<Out>,
  ): Promise<Out> {
    const start = async (): Promise<Out> => run({ ...this.#context, ...asking });
    if (!alone) return start();
    const done = this.#last.then(start);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
