/**
 * Remote procedure calls between two threads over one port, in both directions, with streams that are pulled.
 *
 * What is said in one turn of the event loop crosses in one message, in the order in which it was said: waking the other
 * thread costs more than most of what is said. Bytes are copied, never shared. What waits here is bounded by whoever calls.
 */
import type { MessagePort, Worker } from 'node:worker_threads';
import { atTurnEnd } from '../transports/turn-end.js';
import { type SentError, fromSent, toSent } from './errors.js';

export type Port = Pick<MessagePort | Worker, 'postMessage'> & {
  on(event: 'message', hear: (message: readonly Said[]) => void): unknown;
};

/** What is said, in few bytes: there is one for each frame of a peer. */
type Said =
  | readonly ['tell', what: string, ...args: readonly unknown[]]
  | readonly ['call', id: number, what: string, args: readonly unknown[]]
  | readonly ['done', id: number, value: unknown]
  | readonly ['failed', id: number, error: SentError];

/** Stream of the other thread, by its number there. */
export interface Loan {
  readonly loan: number;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Answers of this thread, by what is asked. What is told is one too, without an answer. */
export type Answers = Readonly<Record<string, (...args: never[]) => unknown>>;

/** A stream is asked for so much at a time, as far as there is so much. */
const BYTES_AT_ONCE = 256 * 1024;
const ITEMS_AT_ONCE = 256;

interface Pulled {
  readonly items: readonly unknown[];
  readonly isDone: boolean;
}

interface Lent {
  readonly items: AsyncIterator<unknown>;
  readonly atOnce: number;
  /** Why it has broken off, behind items that went before. */
  failure?: { readonly error: unknown };
}

export class Wire {
  readonly #port: Port;
  #answers: Answers = { pull: (id: number) => this.#pull(id), drop: (id: number) => this.#drop(id) };
  readonly #waiting = new Map<number, Waiting>();
  readonly #lent = new Map<number, Lent>();
  #saying: Said[] = [];
  #next = 0;
  #ended: Error | undefined;
  #turn = 0;
  readonly #mayTellMore: boolean;
  /** Called when all that was said has left. */
  onSaid: () => void = () => undefined;

  /** With `mayTellMore`, what is told and not known here is passed over: the other side may be of a later version. */
  constructor(port: Port, { mayTellMore = false } = {}) {
    this.#port = port;
    this.#mayTellMore = mayTellMore;
    port.on('message', (said) => said.forEach((one) => this.#hear(one)));
  }

  /** Says what this thread answers from now on. */
  serve(answers: Answers): void {
    this.#answers = { ...this.#answers, ...answers };
  }

  /** All that is answered here. */
  get words(): readonly string[] {
    return Object.keys(this.#answers);
  }

  /** Position of what is said next, among what leaves with this turn. */
  get position(): number {
    return this.#saying.length;
  }

  /** Number of the turn that is said into; positions count within one. */
  get turn(): number {
    return this.#turn;
  }

  tell(what: string, ...args: readonly unknown[]): void {
    this.#say(['tell', what, ...args]);
  }

  /** Whoever calls knows what is answered; a process of another version is asked first. */
  call<T>(what: string, ...args: readonly unknown[]): Promise<T> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (value) => resolve(value as T), reject });
      this.#say(['call', id, what, args]);
    });
  }

  /** Lends a stream to the other thread; one whose items may change after the next was asked for, one by one. */
  lend(items: AsyncIterable<unknown>, { oneByOne = false } = {}): Loan {
    const loan = this.#next++;
    this.#lent.set(loan, { items: items[Symbol.asyncIterator](), atOnce: oneByOne ? 1 : ITEMS_AT_ONCE });
    return { loan };
  }

  /** Reads a stream of the other thread. One that is not read to its end is given back. */
  async *borrow<T>({ loan }: Loan): AsyncGenerator<T> {
    let isDone = false;
    try {
      while (!isDone) {
        const pulled = await this.call<Pulled>('pull', loan);
        isDone = pulled.isDone;
        for (const item of pulled.items) yield item as T;
      }
    } catch (error) {
      isDone = true;
      throw error;
    } finally {
      if (!isDone) this.tell('drop', loan);
    }
  }

  /** Fails what waits for the other thread, which is gone. */
  end(why: Error): void {
    this.#ended = why;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(why);
    for (const id of [...this.#lent.keys()]) void this.#drop(id);
  }

  #say(said: Said): void {
    if (this.#ended) return;
    if (this.#saying.push(said) === 1) atTurnEnd(() => this.flush());
  }

  /** Sends what was said so far. */
  flush(): void {
    const saying = this.#saying;
    if (saying.length === 0) return;
    this.#saying = [];
    this.#turn++;
    this.onSaid();
    this.#port.postMessage(saying);
  }

  #hear(said: Said): void {
    const [kind] = said;
    if (kind === 'tell') {
      const [, what, ...args] = said;
      if (this.#mayTellMore && !(what in this.#answers)) return;
      this.#answer(what, args);
    } else if (kind === 'call') {
      const [, id, what, args] = said;
      // A promise at once, so that what throws is an answer too.
      new Promise((resolve) => resolve(this.#answer(what, args))).then(
        (value) => this.#say(['done', id, value]),
        (error: unknown) => this.#say(['failed', id, toSent(error)]),
      );
    } else {
      const [, id, outcome] = said;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (kind === 'done') waiting?.resolve(outcome);
      else waiting?.reject(fromSent(outcome as SentError));
    }
  }

  #answer(what: string, args: readonly unknown[]): unknown {
    const answer = this.#answers[what];
    if (!answer) throw new Error(`nothing here answers ${what}`);
    return answer(...(args as never[]));
  }

  async #pull(id: number): Promise<Pulled> {
    const lent = this.#lent.get(id);
    if (!lent) throw new Error('the stream has ended');
    if (lent.failure) {
      this.#lent.delete(id);
      throw lent.failure.error;
    }
    const items: unknown[] = [];
    let bytes = 0;
    try {
      while (items.length < lent.atOnce && bytes < BYTES_AT_ONCE) {
        const { done, value } = await lent.items.next();
        if (done) {
          this.#lent.delete(id);
          return { items, isDone: true };
        }
        items.push(owned(value));
        bytes += sizeOf(value);
      }
    } catch (error) {
      lent.failure = { error };
      if (items.length === 0) return this.#pull(id);
    }
    return { items, isDone: false };
  }

  async #drop(id: number): Promise<void> {
    const lent = this.#lent.get(id);
    this.#lent.delete(id);
    await lent?.items.return?.();
  }
}

/** Bytes without what lies beside them in memory: a view would cross with all that it is a view on. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** An item of a stream, as it crosses. */
function owned(item: unknown): unknown {
  if (item instanceof Uint8Array) return ownBytes(item);
  return hasPack(item) ? { ...item, pack: ownBytes(item.pack) } : item;
}

function sizeOf(item: unknown): number {
  if (item instanceof Uint8Array) return item.byteLength;
  return hasPack(item) ? item.pack.byteLength : 0;
}

function hasPack(item: unknown): item is { readonly pack: Uint8Array } {
  return typeof item === 'object' && item !== null && 'pack' in item && item.pack instanceof Uint8Array;
}
