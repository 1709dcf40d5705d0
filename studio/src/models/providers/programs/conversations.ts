/**
 * Prefix cache: conversations that a program remembers, keyed by all that was said in them; then only what is new must be sent.
 * One that was compacted or forked is another conversation, and is sent whole.
 */
import type { ModelMessage, ModelRequest, ModelTurn, ModelUsage } from '../../provider.js';
import { digestOf } from '../scripted/digest.js';

const MOST = 500;

/** Conversation as its program keeps it, and what that had told by then that it has used. */
interface Kept {
  readonly session: string;
  readonly used: ModelUsage | undefined;
}

export interface Remembered extends Kept {
  /** Messages that the program does not have yet. */
  readonly rest: readonly ModelMessage[];
}

export class Conversations {
  /** By what was said, oldest first. */
  readonly #sessions = new Map<string, Kept>();

  find(request: ModelRequest): Remembered | undefined {
    const { messages } = request;
    const told = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
    if (told === 0) return undefined;
    const kept = this.#sessions.get(keyOf(request, messages.slice(0, told)));
    return kept && { ...kept, rest: messages.slice(told) };
  }

  keep(request: ModelRequest, { text, calls }: ModelTurn, kept: Kept): void {
    const key = keyOf(request, [...request.messages, { role: 'assistant', text, calls }]);
    this.#sessions.delete(key);
    this.#sessions.set(key, kept);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MOST && oldest !== undefined) this.#sessions.delete(oldest);
  }
}

function keyOf(request: ModelRequest, messages: readonly ModelMessage[]): string {
  return `${request.model} ${digestOf({ ...request, messages })}`;
}
