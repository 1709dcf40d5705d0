/**
 * Passes messages of the Model Context Protocol between lines of text and a studio's endpoint, as they are.
 *
 * It knows of the protocol only what the transport over HTTP says twice: its version, and what a request asks for.
 */
import { NoAnswerError, patiently } from '@weft/server';
import { eventsIn } from './event-lines.js';
import type { Terminal } from './define.js';
import { patienceWith } from './studio-connection.js';

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

export class McpBridge {
  readonly #endpoint: string;
  readonly #token: string;
  readonly #terminal: Terminal;
  /** Requests under way, so that they can be cancelled. */
  readonly #aborts = new Map<string | number, AbortController>();
  readonly #running = new Set<Promise<void>>();
  /** Whether it was said that the studio does not answer: once, whatever waits for it. */
  #isSilent = false;
  /** What the handshake came to, if there was one. */
  #version: string | undefined;

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

  /** Resolves when everything is answered, or, when nobody waits, is given up. */
  async end(isGivenUp: boolean): Promise<void> {
    if (isGivenUp) for (const abort of this.#aborts.values()) abort.abort();
    await Promise.all(this.#running);
  }

  async #pass(body: string, message: Message): Promise<void> {
    const { id, method, params } = message;
    if (method === 'notifications/cancelled') this.#aborts.get(params?.['requestId'] as string | number)?.abort();
    const abort = new AbortController();
    if (id !== undefined) this.#aborts.set(id, abort);
    try {
      const patience = { ...patienceWith(new URL(this.#endpoint).origin), signal: abort.signal };
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

  async #ask(body: string, message: Message, signal: AbortSignal): Promise<void> {
    const headers = { ...this.#headersFor(message), authorization: `Bearer ${this.#token}` };
    const answer = await fetch(this.#endpoint, { method: 'POST', headers, body, signal });
    const type = answer.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream') && answer.body) {
      for await (const { data } of eventsIn(answer.body)) this.#give(data);
      return;
    }
    const text = await answer.text();
    if (parsed(text)?.jsonrpc !== undefined) this.#give(text);
    else if (!answer.ok) this.#fail(message.id, -32_603, `the studio answered ${answer.status}: ${text}`);
  }

  #wait(text: string): void {
    if (!this.#isSilent) this.#terminal.err(`weft: ${text}`);
    this.#isSilent = true;
  }

  #headersFor({ method, params }: Message): Record<string, string> {
    const meta = params?.['_meta'];
    const own: unknown = typeof meta === 'object' && meta !== null ? Reflect.get(meta, VERSION_KEY) : undefined;
    const version = typeof own === 'string' ? own : this.#version;
    const name = params?.['name'] ?? params?.['uri'];
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
      ...(method === undefined || own === undefined ? {} : { 'mcp-method': method }),
      ...(typeof name !== 'string' || own === undefined ? {} : { 'mcp-name': headerText(name) }),
    };
  }

  #give(text: string): void {
    const message = parsed(text);
    if (!message) return;
    const { protocolVersion } = message.result ?? {};
    if (typeof protocolVersion === 'string') this.#version = protocolVersion;
    // On one line, whatever it was before.
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

/** Other than visible ASCII goes encoded, as the transport has it. */
function headerText(text: string): string {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
