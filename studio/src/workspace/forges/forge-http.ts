/**
 * HTTP to a forge: one request at a time, in JSON. A limit of the vendor is waited for as long as the vendor says, up to a bound, and
 * is a refusal with its end beyond that; what fails on the way is tried again where asking twice does no harm.
 */
import { z } from 'zod';
import type { Clock } from '../../clock.js';
import { refusal } from '../../reasons.js';

export interface ForgeHttpParts {
  readonly api: string;
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly clock: Clock;
  /** What the vendor calls the size of a page, and the greatest that it gives. */
  readonly pages: { readonly name: 'per_page' | 'limit'; readonly size: number };
  /** Longest wait for a limit within a call. */
  readonly mostWaitMs: number;
  readonly signal?: AbortSignal | undefined;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 8 << 20;
const MOST_PAGES = 10;
const NEXT = /<[^>]*>[^,]*;\s*rel="?next"?/;
/** Waits before what failed on the way is asked again. */
const WAITS_MS = [500, 2_000];

export class ForgeHttp {
  readonly #parts: ForgeHttpParts;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(parts: ForgeHttpParts) {
    this.#parts = parts;
  }

  /** Asks, and reads the answer by a schema. */
  async ask<T>(schema: z.ZodType<T>, method: Method, path: string, body?: object): Promise<T> {
    return (await this.#read(schema, method, path, body)).read;
  }

  /** All items of a list, up to a bound. Whether another page follows is what the forge says, never how many items it gives on one. */
  async list<T>(schema: z.ZodType<T>, path: string): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; page <= MOST_PAGES; page++) {
      const { read, hasMore } = await this.#read(z.array(schema), 'GET', this.#pageOf(path, page));
      items.push(...read);
      if (!hasMore || read.length === 0) break;
    }
    return items;
  }

  /** First page of a list. */
  async page<T>(schema: z.ZodType<T>, path: string): Promise<T[]> {
    return (await this.#read(z.array(schema), 'GET', this.#pageOf(path, 1))).read;
  }

  /** All items of a list that stands within an answer, beside their number. */
  async listWithin<T>(schema: z.ZodType<Counted<T>>, path: string): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; page <= MOST_PAGES; page++) {
      const { total, some } = await this.ask(schema, 'GET', this.#pageOf(path, page));
      items.push(...some);
      if (items.length >= total || some.length === 0) break;
    }
    return items;
  }

  #pageOf(path: string, page: number): string {
    const { name, size } = this.#parts.pages;
    return `${path}${path.includes('?') ? '&' : '?'}${name}=${size}&page=${page}`;
  }

  #read<T>(schema: z.ZodType<T>, method: Method, path: string, body?: object) {
    const turn = this.#tail.then(() => this.#asked(method, path, body));
    this.#tail = turn.catch(() => undefined);
    return turn.then(({ json, hasMore }) => {
      const read = schema.safeParse(json);
      if (read.success) return { read: read.data, hasMore };
      throw refusal('reject.forge_answer', `${method} ${path} was answered in a form that is not known`, {
        faults: z.prettifyError(read.error).slice(0, 2000),
      });
    });
  }

  /** End of a text, such as a log; empty where there is none. */
  async end(path: string, most: number): Promise<string> {
    const answer = await this.#once('GET', path, undefined);
    return answer.status === 200 ? answer.text.slice(-most) : '';
  }

  async #asked(method: Method, path: string, body: object | undefined): Promise<Asked> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#once(method, path, body).catch((error: unknown) => {
        if (this.#parts.signal?.aborted) throw refusal('reject.stopping', 'the studio is stopping');
        // It may have been heard: only what is harmless twice is said twice.
        if (method === 'POST' || attempt >= WAITS_MS.length) throw unreachable(this.#parts.api, error);
        return undefined;
      });
      const until = answer && limitedUntil(answer, this.#parts.clock.now());
      if (until !== undefined) await this.#waitUntil(until);
      else if (answer && answer.status < 500)
        return { json: jsonOf(answer, method, path), hasMore: NEXT.test(answer.headers.get('link') ?? '') };
      else if (method === 'POST' || attempt >= WAITS_MS.length) throw unreachable(this.#parts.api, answer?.status);
      else await this.#pause(WAITS_MS[attempt]!);
    }
  }

  async #waitUntil(until: number): Promise<void> {
    const wait = Math.max(0, until - this.#parts.clock.now());
    if (wait > this.#parts.mostWaitMs)
      throw refusal('reject.forge_limited', 'the forge takes no more requests for a while', {
        until: new Date(until).toISOString(),
      });
    await this.#pause(wait);
  }

  #pause(milliseconds: number): Promise<void> {
    const { signal, clock } = this.#parts;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        cancel();
        reject(refusal('reject.stopping', 'the studio is stopping'));
      };
      const cancel = clock.after(milliseconds, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }

  async #once(method: Method, path: string, body: object | undefined): Promise<Answer> {
    const { api, headers, signal } = this.#parts;
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${api.replace(/\/+$/, '')}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': 'weft',
        ...(await headers()),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A token goes to the address that a person named, and to none that it leads to.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { status: response.status, headers: response.headers, text: await textOf(response) };
  }
}

export interface Counted<T> {
  readonly total: number;
  readonly some: readonly T[];
}

interface Asked {
  readonly json: unknown;
  /** Whether the forge says that another page follows. */
  readonly hasMore: boolean;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > MOST_BYTES)
      throw refusal('reject.forge_answer', `the forge answered with more than ${MOST_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** When a limit ends, in milliseconds; undefined for an answer that is none. */
function limitedUntil({ status, headers }: Pick<Answer, 'status' | 'headers'>, now: number): number | undefined {
  if (status !== 429 && status !== 403) return undefined;
  const after = Number(headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(after)) return now + after * 1000;
  const remaining = headers.get('x-ratelimit-remaining') ?? headers.get('ratelimit-remaining');
  const reset = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? Number.NaN);
  if (remaining === '0' && Number.isFinite(reset)) return reset * 1000;
  // A limit without a word of its end.
  return status === 429 ? now + 60_000 : undefined;
}

function jsonOf({ status, text }: Answer, method: Method, path: string): unknown {
  if (status < 300) {
    try {
      return text === '' ? null : JSON.parse(text);
    } catch (error) {
      throw refusal('reject.forge_answer', `${method} ${path} was answered with no JSON`, { cause: String(error) });
    }
  }
  const details = { status, said: text.slice(0, 1000) };
  if (status === 401 || status === 403)
    throw refusal('reject.forge_denied', `the forge does not let this token ${method} ${path}`, details);
  if (status === 404) throw refusal('reject.forge_absent', `the forge has no ${path}, or not for this token`, details);
  throw refusal('reject.forge_refused', `the forge refused ${method} ${path}: ${wordsOf(text)}`, details);
}

/** Words of a refusal, for people: the message of an answer, on one line. */
function wordsOf(text: string): string {
  let said: unknown;
  try {
    said = (JSON.parse(text) as { message?: unknown } | null)?.message;
  } catch {
    // Not every proxy before a forge answers in JSON.
  }
  const words = typeof said === 'string' ? said : text;
  return words.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 200);
}

function unreachable(api: string, error: unknown): Error {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code = '' } = (cause ?? {}) as { code?: string };
  const why = cause instanceof Error ? cause.message : cause;
  const untrusted = UNTRUSTED.test(code)
    ? `: its certificate is not trusted here (${code}). NODE_EXTRA_CA_CERTS names a file of authorities to trust, where the studio is started`
    : '';
  return refusal('reject.forge_unreachable', `${api} does not answer${untrusted}`, { why: String(why ?? '') });
}

/** Codes of Node for a certificate that nobody vouches for, that is over, or that is another server's. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO|CERT_|ERR_TLS_CERT/;
