/** Fact of a briefing: a text with an id. An agent is told each once, and again when its text has changed. */
import { createHash } from 'node:crypto';
import { toWellFormed } from '../../models/question.js';

export interface Fact {
  readonly id: string;
  readonly text: string;
}

/** Fact whose id contains a hash of its text, so a changed text is told again. */
export function named(kind: string, text: string): Fact {
  return { id: `${kind} ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`, text: toWellFormed(text) };
}

/** Lines that fit the budget of characters; where some are left out, how many, and the call that shows them. */
export function fitted(lines: readonly string[], most: number, rest: string): string {
  let left = most;
  const end = lines.findIndex((line) => (left -= line.length + 1) < 0);
  if (end < 0) return lines.join('\n');
  return [...lines.slice(0, end), `(${lines.length - end} of ${lines.length} lines are left out; ${rest})`].join('\n');
}

/** Beginning of a text that fits the budget of characters; where it is cut, how long it is, and the call that shows the rest. */
export function beginning(text: string, most: number, rest: string): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}\n(cut after ${most} of ${text.length} characters; ${rest})`;
}
