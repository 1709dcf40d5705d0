/**
 * Bridge of the Model Context Protocol: passes messages between lines of text and a studio's endpoint, as they are.
 *
 * It knows of the protocol only what the transport over HTTP says twice: its version, what a request asks for, and the session that
 * a handshake has opened. A session that is gone, because the studio was started again, is opened anew with the same handshake.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@weft/core/clock';
import { NoAnswerError, patiently } from '@weft/server/patience';
import { eventsIn } from './event-lines.js';
import type { Terminal } from '../syntax/define.js';
import { patienceWith } from './studio-connection.js';

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

interface Session {
  readonly id: string;
  /** Handshake that opened the session. */
  readonly hello: string;
}

/** Pause before a stream that broke is opened again. */
const AGAIN_MS = 1000;
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

export class McpBridge {
  readonly #endpoint: string;
  readonly #token: string;
  readonly #terminal: Terminal;
  /** Requests under way, so that they can be cancelled. */
  readonly #aborts = new Map<string | number, AbortController>();
  readonly #running = new Set<Promise<void>>();
  /** Whether the user was told that the studio does not answer: once, however many requests wait. */
  #isSilent = false;
  /** Protocol version that the handshake agreed on, if there was one. */
  #version: string | undefined;
  #session: Session | undefined;
  /** Subscriptions of the session to changes, by address. */
  readonly #wishes = new Map<unknown, string>();
  readonly #over = new AbortController();
  #renewing: Promise<void> | undefined;

  constructor(endpoint: string, token: string, terminal: Terminal) {
    this.#endpoint = endpoint;
    this.#token = token;
    this.#terminal = terminal;
  }

  take(line: string): void {
    const message = parsed(line);
    if (!message) return this.#fail(undefined, -32_700, 'this line is not a JSON object');
    const running: Promise<void> = this.#pass(line, message).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Ends the session: resolves when everything is answered, or given up when nobody waits. */
  async end(isGivenUp: boolean): Promise<void> {
    if (isGivenUp) for (const abort of this.#aborts.values()) abort.abort();
    await Promise.all(this.#running);
    this.#over.abort();
    if (!this.#session) return;
    // A failure is ignored: a session that nobody uses ends by itself.
    await this.#send('DELETE', {}, undefined, AbortSignal.timeout(AGAIN_MS)).catch(() => undefined);
  }

  async #pass(body: string, message: Message): Promise<void> {
    const { method, params } = message;
    // An answer to the studio carries the studio's number, not one of ours.
    const id = method === undefined ? undefined : message.id;
    if (method === 'notifications/cancelled') this.#aborts.get(params?.['requestId'] as string | number)?.abort();
    const abort = new AbortController();
    if (id !== undefined) this.#aborts.set(id, abort);
    try {
      const patience = {
        ...patienceWith(new URL(this.#endpoint).origin),
        signal: abort.signal,
        clock: this.#terminal.clock ?? systemClock,
      };
      await patiently({ ...patience, waiting: (text) => this.#wait(text) }, (signal) =>
        this.#ask(body, message, signal),
      );
      this.#isSilent = false;
    } catch (error) {
      if (error instanceof NoAnswerError) this.#fail(id, -32_603, error.message);
      else if (!abort.signal.aborted) this.#fail(id, -32_603, `the studio cannot be reached: ${reasonOf(error)}`);
    } finally {
      if (id !== undefined) this.#aborts.delete(id);
    }
  }

  async #ask(body: string, message: Message, signal: AbortSignal, isAgain = false): Promise<void> {
    if (message.method === 'initialize') this.#session = undefined;
    const session = this.#session;
    const answer = await this.#send('POST', this.#headersFor(message), body, signal);
    if (answer.status === 404 && session && !isAgain) {
      await this.#renew(session, signal);
      return this.#ask(body, message, signal, true);
    }
    if (message.method === 'initialize') this.#begin(answer.headers.get('mcp-session-id'), body);
    if (message.method === 'resources/subscribe') this.#wishes.set(message.params?.['uri'], body);
    if (message.method === 'resources/unsubscribe') this.#wishes.delete(message.params?.['uri']);
    const type = answer.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream') && answer.body) {
      for await (const { data } of eventsIn(answer.body)) this.#give(data);
      return;
    }
    const text = await answer.text();
    if (parsed(text)?.jsonrpc !== undefined) this.#give(text);
    else if (!answer.ok) this.#fail(message.id, -32_603, `the studio answered ${answer.status}: ${text}`);
  }

  #send(
    method: string,
    headers: Record<string, string>,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const session = this.#session === undefined ? {} : { 'mcp-session-id': this.#session.id };
    return fetch(this.#endpoint, {
      method,
      signal,
      headers: { ...headers, ...session, authorization: `Bearer ${this.#token}` },
      ...(body === undefined ? {} : { body }),
    });
  }

  #begin(id: string | null, hello: string): void {
    if (id === null) return;
    this.#session = { id, hello };
    void this.#listen();
  }

  /** Passes on what the studio tells and asks by itself. */
  async #listen(): Promise<void> {
    const session = this.#session;
    const { signal } = this.#over;
    while (session && session === this.#session && !signal.aborted) {
      try {
        const stream = await this.#send(
          'GET',
          { ...this.#versionHeader(), accept: 'text/event-stream' },
          undefined,
          signal,
        );
        if (stream.status === 404) return await this.#renew(session, signal);
        if (!stream.ok || !stream.body) return;
        for await (const { data } of eventsIn(stream.body)) this.#give(data);
      } catch {
        // The studio does not answer for now, or the bridge has ended.
      }
      await pause(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Opens a session in place of one that is gone, once for all who have found that out. */
  async #renew(gone: Session, signal: AbortSignal): Promise<void> {
    if (this.#session !== gone) return this.#renewing;
    this.#session = undefined;
    this.#renewing = this.#shakeHands(gone.hello, signal).catch((error: unknown) => {
      // The next request that finds the session gone tries again.
      this.#session ??= gone;
      throw error;
    });
    return this.#renewing;
  }

  async #shakeHands(hello: string, signal: AbortSignal): Promise<void> {
    const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    const answer = await this.#send('POST', this.#headersFor({}), hello, signal);
    await answer.text();
    this.#begin(answer.headers.get('mcp-session-id'), hello);
    // The answers are dropped: the client has had them.
    for (const body of [initialized, ...this.#wishes.values()])
      await (await this.#send('POST', this.#headersFor({}), body, signal)).text();
  }

  #wait(text: string): void {
    if (!this.#isSilent) this.#terminal.err(`weft: ${text}`);
    this.#isSilent = true;
  }

  #headersFor({ method, params }: Message): Record<string, string> {
    const meta = params?.['_meta'];
    const own: unknown = typeof meta === 'object' && meta !== null ? Reflect.get(meta, VERSION_KEY) : undefined;
    const version = typeof own === 'string' ? { 'mcp-protocol-version': own } : this.#versionHeader();
    const name = params?.['name'] ?? params?.['uri'] ?? params?.['taskId'];
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...version,
      ...(method === undefined || own === undefined ? {} : { 'mcp-method': method }),
      ...(typeof name !== 'string' || own === undefined ? {} : { 'mcp-name': headerText(name) }),
    };
  }

  #versionHeader(): Record<string, string> {
    return this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version };
  }

  #give(text: string): void {
    const message = parsed(text);
    if (!message) return;
    const { protocolVersion } = message.result ?? {};
    if (typeof protocolVersion === 'string') this.#version = protocolVersion;
    // One line for each message, however it was formatted.
    this.#terminal.out(JSON.stringify(message));
  }

  #fail(id: string | number | undefined, code: number, message: string): void {
    if (id === undefined) this.#terminal.err(message);
    else this.#terminal.out(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  }
}

function parsed(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Fields that are not what they should be are for the studio to refuse.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Header value: text other than visible ASCII is encoded in the way that the transport asks for. */
function headerText(text: string): string {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
