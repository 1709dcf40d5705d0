/**
 * HTTP model call that always ends: when its asker aborts it, when the server is silent too long or takes too long in all, when
 * it sends too much. Redirects are not followed, so that a key goes nowhere else.
 */
import type { ModelRequest, Provider, TurnOptions } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { httpFault } from './http-fault.js';
import { Reply } from '../replies/reply.js';
import { stopped } from '../wait.js';

export interface HttpLimits {
  /** Silence timeout. */
  readonly silenceMs: number;
  readonly wholeMs: number;
  readonly mostBytes: number;
}

/** A count is worth no wait: without it there is an estimate. */
const countLimits: HttpLimits = { silenceMs: 10_000, wholeMs: 10_000, mostBytes: 1 << 20 };

/** A model that thinks hard and hides it is silent for minutes. */
const usualLimits: HttpLimits = { silenceMs: 300_000, wholeMs: 3_600_000, mostBytes: 64 << 20 };

export interface HttpModel {
  /** Key lookup at each call, so that a key that was removed is used no more. */
  readonly key: () => string | undefined | Promise<string | undefined>;
  readonly baseUrl?: string | undefined;
  readonly limits?: HttpLimits | undefined;
  readonly now?: (() => number) | undefined;
}

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface HttpAsk {
  readonly request: ModelRequest;
  readonly fetch: Fetch;
  readonly key: string | undefined;
  readonly baseUrl: string | undefined;
}

/** Provider over HTTP. `ask` feeds the reply with all that comes, and says when it was whole; `count` answers with the tokens of a request. */
export function overHttp(
  name: string,
  model: HttpModel,
  ask: (ask: HttpAsk, reply: Reply) => Promise<void>,
  count?: (ask: HttpAsk) => Promise<number>,
): Provider {
  return {
    name,
    count: count && ((request, options) => counted({ name, model, count }, request, options)),
    async turn(request, options) {
      const { baseUrl, now = Date.now } = model;
      const key = await model.key();
      const reply = new Reply(request, options.onText);
      const call = new BoundedCall(name, model.limits ?? usualLimits, options);
      try {
        await call.run(ask({ request, fetch: call.fetch, key, baseUrl }, reply));
      } catch (error) {
        const { fault, message, ...details } = call.fault ?? httpFault({ vendor: name, key, now }, error);
        const { retryAfterMs, status, code } = details;
        const spent = reply.hasBegun ? reply.spent() : undefined;
        throw new ProviderError(fault, message, { retryAfterMs, spent, status, code });
      } finally {
        call.close();
      }
      if (!reply.isWhole)
        throw new ProviderError('unreachable', `${name} broke off its answer`, { spent: reply.spent() });
      return reply.finish(name);
    },
  };
}

interface Counts {
  readonly name: string;
  readonly model: HttpModel;
  readonly count: (ask: HttpAsk) => Promise<number>;
}

async function counted(
  { name, model, count }: Counts,
  request: ModelRequest,
  options: Pick<TurnOptions, 'signal'>,
): Promise<number> {
  const { baseUrl, now = Date.now } = model;
  const key = await model.key();
  const call = new BoundedCall(name, countLimits, options);
  try {
    return await call.run(count({ request, fetch: call.fetch, key, baseUrl }));
  } catch (error) {
    throw call.fault ?? httpFault({ vendor: name, key, now }, error);
  } finally {
    call.close();
  }
}

class BoundedCall {
  /** Why this side ended it. */
  fault: ProviderError | undefined;
  readonly #vendor: string;
  readonly #limits: HttpLimits;
  readonly #signal: AbortSignal;
  readonly #ending = new AbortController();
  readonly #whole: NodeJS.Timeout;
  readonly #silence: NodeJS.Timeout;
  #received = 0;

  constructor(vendor: string, limits: HttpLimits, { signal }: Pick<TurnOptions, 'signal'>) {
    this.#vendor = vendor;
    this.#limits = limits;
    this.#signal = signal;
    this.#whole = this.#endAfter(limits.wholeMs);
    this.#silence = this.#endAfter(limits.silenceMs);
    signal.addEventListener('abort', this.#stop);
    if (signal.aborted) this.#stop();
  }

  /** Runs the call. Rejects at once when it is ended, whatever the library is doing then. */
  async run<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#ending;
    const ended = new Promise<never>((_, reject) => {
      const fail = (): void => {
        reject(new Error('ended'));
      };
      if (signal.aborted) fail();
      else signal.addEventListener('abort', fail, { once: true });
    });
    return Promise.race([work, ended]);
  }

  readonly fetch: Fetch = async (input, init) => {
    const { signal } = this.#ending;
    const both = init?.signal ? AbortSignal.any([init.signal, signal]) : signal;
    const response = await fetch(input, { ...init, redirect: 'manual', signal: both });
    this.#silence.refresh();
    const { status, statusText, headers } = response;
    const counted = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (piece, out) => {
          if (this.#count(piece.length)) out.enqueue(piece);
        },
      }),
    );
    return new Response(counted ?? null, { status, statusText, headers });
  };

  close(): void {
    this.#signal.removeEventListener('abort', this.#stop);
    clearTimeout(this.#whole);
    clearTimeout(this.#silence);
    this.#ending.abort();
  }

  readonly #stop = (): void => {
    this.#end(stopped());
  };

  #count(length: number): boolean {
    this.#silence.refresh();
    this.#received += length;
    const { mostBytes } = this.#limits;
    if (this.#received <= mostBytes) return true;
    this.#end(new ProviderError('malformed', `${this.#vendor} answered more than ${mostBytes} bytes`));
    return false;
  }

  #endAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#end(new ProviderError('timeout', `${this.#vendor} did not answer within ${ms / 1000} s`));
    }, ms);
  }

  #end(why: ProviderError): void {
    this.fault ??= why;
    this.#ending.abort();
  }
}
