/** Request digest: the same for the same question, whatever the order of fields and whichever model is meant. */
import { createHash } from 'node:crypto';
import type { ModelMessage, ModelRequest } from '../../provider.js';

type Asked = Pick<ModelRequest, 'system' | 'tools' | 'messages'>;

export function digestOf(asked: Asked): string {
  return hashOf(textOf(asked));
}

/** Run-specific names, that is ids and commits: another run of the same work has others at the same positions. */
const NAMES = /\b(?:[A-Za-z]+-[0-9a-f]{16,}|[0-9a-f]{40})\b/g;
const TIMES = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;

export interface Likeness {
  /** Digest without names; equal in every run that does the same. */
  readonly asked: string;
  /** Names in the question, in order of appearance. */
  readonly names: readonly string[];
}

/** Digest of a question without the names and times of this run. */
export function likenessOf(request: Asked): Likeness {
  const text = textOf(request);
  const names = [...new Set(text.match(NAMES))];
  const numbers = new Map(names.map((name, number) => [name, `#${number}`]));
  return { asked: hashOf(renamed(text, numbers).replace(TIMES, '@')), names };
}

export function renamed(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(NAMES, (name) => names.get(name) ?? name);
}

function textOf({ system, tools, messages }: Asked): string {
  return JSON.stringify([system, tools.map(({ name }) => name), messages.map(plain)]);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function plain(message: ModelMessage): unknown[] {
  if (message.role === 'user' || message.role === 'notice') return [message.text];
  if (message.role === 'tool') return [message.callId, message.text, message.isError];
  return [message.text, message.calls.map(({ callId, name, input }) => [callId, name, input])];
}
