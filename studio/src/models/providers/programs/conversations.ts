/**
 * Prefix cache: conversations that a program remembers, keyed by all that was said in them; then only what is new must be sent.
 * One that was compacted or forked is another conversation, and is sent whole.
 */
import type { ModelMessage, ModelRequest, ModelTurn } from '../../provider.js';
import { digestOf } from '../scripted/digest.js';

const MOST = 500;

export interface Remembered {
  readonly session: string;
  /** Messages that the program does not have yet. */
  readonly rest: readonly ModelMessage[];
}

export class Conversations {
  /** Session ids by conversation, oldest first. */
  readonly #sessions = new Map<string, string>();

  find(request: ModelRequest): Remembered | undefined {
    const { messages } = request;
    const told = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
    if (told === 0) return undefined;
    const session = this.#sessions.get(keyOf(request, messages.slice(0, told)));
    return session === undefined ? undefined : { session, rest: messages.slice(told) };
  }

  keep(request: ModelRequest, { text, calls }: ModelTurn, session: string): void {
    const key = keyOf(request, [...request.messages, { role: 'assistant', text, calls }]);
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MOST && oldest !== undefined) this.#sessions.delete(oldest);
  }
}

function keyOf(request: ModelRequest, messages: readonly ModelMessage[]): string {
  return `${request.model} ${digestOf({ ...request, messages })}`;
}
