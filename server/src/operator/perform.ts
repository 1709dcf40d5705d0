/** Runner of one host's operations, with a mutex for those that need to be alone. */
import type { AnyOperation, Asking, OperatorContext } from './define.js';

export type Performer = Omit<OperatorContext, keyof Asking | 'quarantined'>;

/** What the doors of an operator need: whoever runs the operations, in this thread or in others. */
export interface Performs {
  perform(operation: AnyOperation, input: unknown, asking: Asking): Promise<unknown>;
}

/** An operation, as far as what it answers is known. */
interface Answering<Out> extends Omit<AnyOperation, 'answer'> {
  answer(context: OperatorContext, input: unknown): Promise<Out>;
}

export class Performing implements Performs {
  readonly #context: Performer;
  readonly #turns = new Turns();

  constructor(context: Performer) {
    this.#context = context;
  }

  perform<Out>(operation: Answering<Out>, input: unknown, asking: Asking): Promise<Out> {
    const quarantined = () => Promise.resolve(this.#context.host.quarantined);
    return this.#turns.take(operation, async () =>
      operation.answer({ ...this.#context, ...asking, quarantined }, input),
    );
  }
}

/** Mutex of the operations that exclude each other; the others do not wait. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>({ alone }: Pick<AnyOperation, 'alone'>, start: () => Promise<T>): Promise<T> {
    if (!alone) return start();
    const done = this.#last.then(start);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
