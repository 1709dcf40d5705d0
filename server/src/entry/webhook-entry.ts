/**
 * Authentication webhook: a program of the operator's is asked over HTTP who may enter. [AU10]
 *
 * A question is signed as all webhooks are. The same question at the same time is asked once; an answer is kept for as long as it says and the
 * operator allows. Whatever is no answer is an error, and errors let nobody in.
 */
import { createHash } from 'node:crypto';
import type { AuthenticateHook, EntryAnswer, EntryHello, EntryRequest } from '@weft/core';
import * as z from 'zod';
import { ConfigError } from '../config/config-error.js';
import { signedPost } from '../signed-post.js';
import { boundedText } from './bounded-text.js';
import { secureUrl } from './secure-url.js';

export interface WebhookEntryOptions {
  readonly url: string;
  /** Shared secret, at least 16 characters. */
  readonly secret: string;
  /** Headers of a peer's request that are passed on. */
  readonly headers?: readonly string[] | undefined;
  /** Longest time for which an answer is kept, milliseconds; nothing is kept at 0. */
  readonly cacheMs?: number;
}

const SECRET_LENGTH = 16;
const ANSWER_BYTES = 64 * 1024;
/** Questions under way at a time, and those that may wait for their turn. */
const AT_ONCE = 32;
const WAITING = 1024;
const KEPT = 10_000;
const CACHE_MS = 30_000;
/** Longest time for which a denial is kept: whoever was just allowed should not wait for long. */
const DENIED_MS = 2000;
const HEADERS = ['authorization', 'cookie', 'origin'];

const Seconds = z.number().nonnegative();
const Answer = z.union([
  z.object({
    allow: z.literal(true),
    caps: z.array(z.string()),
    expires_at: Seconds.optional(),
    subject: z.string().optional(),
    recheck_after: Seconds.optional(),
    cache_for: Seconds.optional(),
  }),
  z.object({ allow: z.literal(false), reason: z.string().optional() }),
]);

interface Kept {
  readonly answer: EntryAnswer;
  readonly until: number;
}

interface Question {
  readonly room: string;
  readonly pubkey: string | null;
  readonly proven: boolean;
  readonly peer_id: string | null;
  readonly peer_type: string | null;
  readonly token: unknown;
  readonly address: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export function webhookEntry(options: WebhookEntryOptions): AuthenticateHook {
  if (options.secret.length < SECRET_LENGTH)
    throw new ConfigError('auth-webhook-secret', `must have at least ${SECRET_LENGTH} characters`);
  const webhook = new Webhook(secureUrl(options.url, 'auth-webhook'), options);
  return (request, hello, signal) => webhook.answer(request, hello, signal);
}

class Webhook {
  readonly #url: URL;
  readonly #secret: string;
  readonly #headers: readonly string[];
  readonly #cacheMs: number;
  readonly #kept = new Map<string, Kept>();
  readonly #asking = new Map<string, Promise<Kept>>();
  readonly #turns = new Turns();

  constructor(url: URL, { secret, headers = HEADERS, cacheMs = CACHE_MS }: WebhookEntryOptions) {
    this.#url = url;
    this.#secret = secret;
    this.#headers = headers.map((name) => name.toLowerCase());
    this.#cacheMs = cacheMs;
  }

  async answer(request: EntryRequest, hello: EntryHello, signal: AbortSignal): Promise<EntryAnswer> {
    const question = this.#questionOf(request, hello);
    if (hello.isRecheck) return (await this.#ask(question, true, signal)).answer;
    const name = createHash('sha256').update(JSON.stringify(question)).digest('base64');
    const kept = this.#kept.get(name);
    if (kept && kept.until > Date.now()) return kept.answer;
    this.#kept.delete(name);
    let asking = this.#asking.get(name);
    if (!asking) {
      asking = this.#ask(question, false, signal).finally(() => this.#asking.delete(name));
      this.#asking.set(name, asking);
    }
    const found = await asking;
    if (found.until > Date.now()) this.#keep(name, found);
    return found.answer;
  }

  #questionOf({ room, address, headers }: EntryRequest, hello: EntryHello): Question {
    const passed = this.#headers.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    return {
      room,
      pubkey: hello.pubkey ?? null,
      proven: hello.proven,
      peer_id: hello.peerId ?? null,
      peer_type: hello.peerType ?? null,
      token: hello.token ?? null,
      address: address ?? null,
      headers: Object.fromEntries(passed),
    };
  }

  #keep(name: string, kept: Kept): void {
    const oldest = this.#kept.keys().next();
    if (this.#kept.size >= KEPT && !oldest.done) this.#kept.delete(oldest.value);
    this.#kept.set(name, kept);
  }

  async #ask(question: Question, recheck: boolean, signal: AbortSignal): Promise<Kept> {
    const end = await this.#turns.take(signal);
    try {
      const response = await signedPost(this.#url, this.#secret, { ...question, recheck }, signal);
      return this.#read(response.status, await boundedText(response, ANSWER_BYTES));
    } finally {
      end();
    }
  }

  #read(status: number, text: string): Kept {
    const now = Date.now();
    if (status === 401 || status === 403) return { answer: { deny: 'refused' }, until: now + this.#most(DENIED_MS) };
    if (status !== 200) throw new Error(`the authentication webhook answered ${status}`);
    const read = Answer.safeParse(jsonOf(text));
    if (!read.success) throw new Error('the authentication webhook answered something that is no answer');
    const { data } = read;
    if (!data.allow) return { answer: { deny: data.reason ?? 'refused' }, until: now + this.#most(DENIED_MS) };
    const { caps, expires_at: expiry, subject, recheck_after: recheckAfter, cache_for: cacheFor } = data;
    const seconds = Math.min(cacheFor ?? Infinity, recheckAfter ?? Infinity);
    const grant = {
      caps,
      ...(expiry === undefined ? {} : { expiry }),
      ...(subject === undefined ? {} : { subject }),
      ...(recheckAfter === undefined ? {} : { recheckAfter }),
    };
    return { answer: { grant }, until: now + this.#most(seconds * 1000) };
  }

  #most(ms: number): number {
    return Math.min(ms, this.#cacheMs);
  }
}

/** Bounded semaphore: questions beyond those that may wait are refused. */
class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Answers what ends the turn. */
  async take(signal: AbortSignal): Promise<() => void> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= WAITING) throw new Error('too many wait for the authentication webhook');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    const end = (): void => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    };
    if (!signal.aborted) return end;
    end();
    throw signal.reason;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no answer, and refused as such
  }
}
