/**
 * Compaction: shortens a conversation that has grown too long, deterministically. The first request and the latest turns stay;
 * the middle becomes notes at the end of the first message, so that people and model still alternate. A call is never parted
 * from its results. It goes well below the limit at once, so that the prefix is stable again from turn to turn.
 */
import type { ModelCall, ModelMessage } from '../provider.js';
import { tokensOf } from './reply.js';

export interface Budget {
  /** Token limit of the messages. */
  readonly tokens: number;
  /** Token count by the vendor. Default: a quarter of the characters. */
  readonly counted?: number | undefined;
  /** Latest turns that stay as they are, if there is room. Default: 6. */
  readonly keptTurns?: number | undefined;
}

/** Target size, as a fraction of the limit. */
const ROOM = 0.5;
const NOTES = '\n\n[What was done since then, in short]\n';
const LEFT_OUT = '[…]';
const MOST_NOTE = 200;

/** Compacted messages; the very same array as long as they fit. */
export function compact(messages: readonly ModelMessage[], budget: Budget): readonly ModelMessage[] {
  const { tokens, counted = tokensIn(messages), keptTurns = 6 } = budget;
  if (counted <= tokens) return messages;
  // Scaled to the vendor's count, where that differs from the estimate by characters.
  const target = Math.floor((tokens * ROOM * tokensIn(messages)) / Math.max(1, counted));
  const { head, turns } = turnsOf(messages);
  for (let kept = Math.min(keptTurns, turns.length); kept > 1; kept -= 1) {
    const shorter = fold(head, turns, kept, target);
    if (tokensIn(shorter) <= target) return shorter;
  }
  const last = fold(head, turns, 1, target);
  return tokensIn(last) <= target ? last : trimResults(last, target);
}

export function tokensIn(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(lengthOf(message)), 0);
}

/** Turns: each is what the model says, with everything up to where it speaks again. */
function turnsOf(messages: readonly ModelMessage[]): { head: ModelMessage[]; turns: ModelMessage[][] } {
  const head: ModelMessage[] = [];
  const turns: ModelMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'assistant') turns.push([message]);
    else (turns.at(-1) ?? head).push(message);
  }
  return { head, turns };
}

function fold(
  head: readonly ModelMessage[],
  turns: readonly (readonly ModelMessage[])[],
  kept: number,
  target: number,
): ModelMessage[] {
  const folded = turns.slice(0, turns.length - kept);
  const rest = turns.slice(turns.length - kept).flat();
  if (folded.length === 0) return [...head, ...rest];
  const [task = '', before = ''] = head
    .map(({ text }) => text)
    .join('\n\n')
    .split(NOTES);
  const notes = [...before.split('\n'), ...folded.flatMap(notesOf)].filter((note) => note !== '' && note !== LEFT_OUT);
  return [{ role: 'user', text: task + NOTES + latestOf(notes, target) }, ...rest];
}

/** Latest notes that fit a quarter of the target, and a mark where older ones are missing. */
function latestOf(notes: readonly string[], target: number): string {
  let left = target;
  const start = notes.findLastIndex((note) => (left -= note.length + 1) < 0) + 1;
  return [...(start > 0 ? [LEFT_OUT] : []), ...notes.slice(start)].join('\n');
}

/** Notes of a turn: one line for each thing that was said, called or answered. */
function notesOf(turn: readonly ModelMessage[]): string[] {
  return turn.flatMap((message) => {
    if (message.role === 'user') return [`- was told: ${brief(message.text)}`];
    if (message.role === 'tool') return [`  ${message.isError ? 'failed' : 'gave'}: ${brief(message.text)}`];
    const said = message.text.trim() === '' ? [] : [`- said: ${brief(message.text)}`];
    return [...said, ...message.calls.map(callNote)];
  });
}

function callNote({ name, input }: ModelCall): string {
  return `- called ${name} ${brief(JSON.stringify(input))}`;
}

function brief(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MOST_NOTE ? `${cut(line, MOST_NOTE)}…` : line;
}

/** Trims tool results, the longest most: only they can be cut without making a conversation invalid. */
function trimResults(messages: readonly ModelMessage[], target: number): ModelMessage[] {
  const results = messages.filter(({ role }) => role === 'tool');
  const others = tokensIn(messages) - tokensIn(results);
  const each = Math.max(0, Math.floor((target - others) / Math.max(1, results.length))) * 4;
  return messages.map((message) =>
    message.role === 'tool' ? { ...message, text: ends(message.text, each) } : message,
  );
}

function ends(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.max(0, Math.floor((most - LEFT_OUT.length - 2) / 2));
  return `${cut(text, half)}\n${LEFT_OUT}\n${half === 0 ? '' : whole(text.slice(-half))}`;
}

/** Prefix of a text that never ends inside a character. */
function cut(text: string, length: number): string {
  const piece = text.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(piece) ? piece.slice(0, -1) : piece;
}

function whole(piece: string): string {
  return /^[\uDC00-\uDFFF]/.test(piece) ? piece.slice(1) : piece;
}

function lengthOf(message: ModelMessage): number {
  return message.text.length + (message.role === 'assistant' ? JSON.stringify(message.calls).length : 0);
}
