/**
 * Log for the operator: one line for each notice, as JSON or for people, with a rate limit. Whatever peers do, it stays
 * short: of a notice that repeats a few are shown in a minute, and then how many more there were.
 */
import { inspect } from 'node:util';
import { type Notice, Rejection } from '@weft/core';

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly Notice['level'][];

export type Log = (notice: Notice) => void;

export interface LogOptions {
  /** Lowest level that is shown. */
  readonly level: Notice['level'];
  readonly format: 'json' | 'text';
  /** Whether text has colours; JSON never does. */
  readonly colours?: boolean;
  readonly write: (line: string) => void;
  /** Clock, in Unix milliseconds. */
  readonly now?: () => number;
  /** Timer: calls back once, and keeps no process alive. */
  readonly later?: (ms: number, callback: () => void) => void;
}

const SHOWN = 5;
const PERIOD_MS = 60_000;
/** Most kinds of notices that are counted at a time. */
const MOST_KINDS = 200;
const COLOURS = { debug: 2, info: 32, warn: 33, error: 31 } as const;

/** Count of one kind of notice in the running period. */
interface Repeated {
  readonly notice: Notice;
  readonly since: number;
  count: number;
}

export function createLog(options: LogOptions): Log {
  const { level: least, write, now = Date.now, later = unref } = options;
  const render = options.format === 'json' ? asJson : asText(options.colours ?? false);
  const kinds = new Map<string, Repeated>();
  const show = (notice: Notice, more?: number): void => write(render(notice, now(), more));
  const end = (kind: string, { notice, count }: Repeated): void => {
    kinds.delete(kind);
    if (count > SHOWN) show(notice, count - SHOWN);
  };
  const sweep = (): void => {
    for (const [kind, repeated] of kinds) if (now() - repeated.since >= PERIOD_MS) end(kind, repeated);
  };
  return (notice) => {
    if (LEVELS.indexOf(notice.level) < LEVELS.indexOf(least)) return;
    sweep();
    const kind = `${notice.level} ${notice.message} ${textOf(notice.error)}`;
    const repeated = kinds.get(kind) ?? { notice, since: now(), count: 0 };
    const [oldest] = kinds;
    if (oldest && kinds.size >= MOST_KINDS && !kinds.has(kind)) end(...oldest);
    kinds.set(kind, repeated);
    if (++repeated.count <= SHOWN) show(notice);
    // The first notice that is left out sets the timer, so that the count is told even if no other comes.
    if (repeated.count === SHOWN + 1) later(PERIOD_MS, sweep);
  };
}

function unref(ms: number, callback: () => void): void {
  setTimeout(callback, ms).unref();
}

function asJson({ level, message, error, about }: Notice, now: number, more?: number): string {
  const stack = isFault(error) ? { stack: inspect(error) } : {};
  const failed = error === undefined ? {} : { error: textOf(error), ...stack };
  return JSON.stringify({ time: new Date(now).toISOString(), level, message, ...about, ...failed, more });
}

function asText(colours: boolean) {
  return ({ level, message, error, about = {} }: Notice, now: number, more?: number): string => {
    const name = level.padEnd(5);
    const shown = colours ? `\u001b[${COLOURS[level]}m${name}\u001b[0m` : name;
    const line = [`${new Date(now).toISOString()} ${shown} ${message}`];
    for (const [key, value] of Object.entries(about)) if (value !== undefined) line.push(`${key}=${plain(value)}`);
    if (more !== undefined) line.push(`(${more} more like this)`);
    else if (isFault(error)) line.push(`\n${inspect(error)}`);
    else if (error !== undefined) line.push(plain(textOf(error)));
    return line.join(' ');
  };
}

/** Text without control characters: nothing that a terminal would obey, and no end of a line. */
function plain(value: string | number): string {
  return typeof value === 'number' || /^[\w.:/~<>-]+$/.test(value) ? String(value) : JSON.stringify(value);
}

/** Whether an error is a defect, whose stack is worth lines. A refusal says itself what is wrong. */
function isFault(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof Rejection);
}

function textOf(error: unknown): string {
  if (error === undefined) return '';
  return error instanceof Error ? error.message : String(error);
}
