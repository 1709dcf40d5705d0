/**
 * Compaction: shortens a conversation that has grown too long, deterministically. The task and the latest turns stay; the middle
 * becomes notes, a message behind the task: as long as the task is told in the same words, a vendor reads it from its cache. A call is
 * never parted from its results.
 *
 * It is decided once and recorded; from then on every request begins with what it made. It goes well below the limit at once, so
 * that nothing of that changes for long.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ModelCall, ModelMessage } from './provider.js';
import { tokensOf } from './providers/replies/reply.js';

export interface Budget {
  /** Token limit of the messages. */
  readonly tokens: number;
  /** Token count by the vendor. Default: a quarter of the characters. */
  readonly counted?: number | undefined;
  /** Task, told anew from the record. Default: as the first message tells it. */
  readonly task?: string | undefined;
  /** Latest turns that stay as they are, if there is room. Default: 6. */
  readonly keptTurns?: number | undefined;
}

/** Compaction of all messages before the one that it is recorded with. */
export interface Compaction {
  /** First message: the task. */
  readonly text: string;
  /** Notes of what was done since, the message behind it. Absent where the first message ends with them, as it did once, or there are none. */
  readonly notes?: string | undefined;
  /** Latest turns that stay. */
  readonly kept: number;
  /** Characters of a tool's result in them. Absent: all. */
  readonly longestResult?: number | undefined;
}

/** Target size, as a fraction of the limit. */
const ROOM = 0.5;
/** Least share of that for what the latest calls gave. */
const LEAST_SHOWN = 0.25;
/** What notes begin with. */
const NOTES = '[What was done since then, in short]\n';
const BETWEEN = '\n\n';
const LEFT_OUT = '[…]';
const MOST_NOTE = 200;

/** Compaction that brings the messages below the limit; undefined as long as they fit. */
export function compactionOf(messages: readonly ModelMessage[], budget: Budget): Compaction | undefined {
  const { tokens, counted = tokensIn(messages), keptTurns = 6, task } = budget;
  if (counted <= tokens) return undefined;
  // Scaled to the vendor's count, where that differs from the estimate by characters.
  const target = Math.floor((tokens * ROOM * tokensIn(messages)) / Math.max(1, counted));
  const { head, turns } = turnsOf(messages);
  for (let kept = Math.min(keptTurns, turns.length); kept > 1; kept -= 1) {
    const found = { ...begun(head, turns.slice(0, turns.length - kept), target, task), kept };
    if (tokensIn(compacted(messages, found)) <= target) return found;
  }
  const last = { ...begun(head, turns.slice(0, -1), target, task), kept: Math.min(1, turns.length) };
  const shorter = compacted(messages, last);
  return tokensIn(shorter) <= target ? last : { ...last, longestResult: longestResultOf(shorter, target) };
}

/**
 * Messages after a compaction. What a vendor has bound to what stood before it is left out, except where the very same still stands before
 * it: there it may not be missing.
 */
export function compacted(
  messages: readonly ModelMessage[],
  { text, notes, kept, longestResult }: Compaction,
): ModelMessage[] {
  const { head, turns } = turnsOf(messages);
  const rest = turns.slice(turns.length - Math.min(kept, turns.length)).flat();
  const first = [text, ...(notes === undefined ? [] : [notes])];
  let isSame = rest.length === turns.flat().length && isDeepStrictEqual(textsOf(head), first);
  return [
    ...first.map((one): ModelMessage => ({ role: 'user', text: one })),
    ...rest.map((message): ModelMessage => {
      if (message.role === 'tool' && longestResult !== undefined) {
        const shorter = ends(message.text, longestResult);
        isSame &&= shorter === message.text;
        return { ...message, text: shorter };
      }
      if (message.role !== 'assistant' || message.native?.isBound !== true || isSame) return message;
      return { ...message, native: undefined };
    }),
  ];
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

const textsOf = (messages: readonly ModelMessage[]): string[] => messages.map(({ text }) => text);

/** Task and notes that a conversation begins with from now on. */
function begun(
  head: readonly ModelMessage[],
  folded: readonly (readonly ModelMessage[])[],
  target: number,
  task: string | undefined,
): Pick<Compaction, 'text' | 'notes'> {
  const [told = '', before = ''] = textsOf(head)
    .join(BETWEEN)
    .split(BETWEEN + NOTES);
  const notes = [...before.split('\n'), ...folded.flatMap(notesOf)].filter((note) => note !== '' && note !== LEFT_OUT);
  return { text: task ?? told, ...(notes.length === 0 ? {} : { notes: NOTES + latestOf(notes, target) }) };
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
    if (message.role === 'user' || message.role === 'notice') return [`- was told: ${brief(message.text)}`];
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

/**
 * Length that every tool result may have: only results can be cut without making a conversation invalid. A quarter of the target is left to
 * them, however long the task is: who sees nothing of what a call gave can only make it again.
 */
function longestResultOf(messages: readonly ModelMessage[], target: number): number {
  const results = messages.filter(({ role }) => role === 'tool');
  const others = tokensIn(messages) - tokensIn(results);
  return Math.floor(Math.max(target - others, target * LEAST_SHOWN) / Math.max(1, results.length)) * 4;
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
