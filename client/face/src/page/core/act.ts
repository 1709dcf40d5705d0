/** Actions: every one is an operation of the studio, which a command and a REST call do as well. */
import { type Operations, ROUTES, StudioError } from '@weft/studio-client';
import { note } from './notes.js';
import { refresh } from './query.js';
import { forget, isShutOut, studio } from './session.js';

/** Calls an operation once, says how it went, offers to undo it where a caller knows how, and has everything read again that is shown. Undefined where it was refused. */
export async function act<Id extends keyof Operations>(
  id: Id,
  input: Operations[Id]['input'],
  done: string,
  undo?: (answer: Operations[Id]['output']) => unknown,
): Promise<Operations[Id]['output'] | undefined> {
  try {
    const answer = await studio.call(id, input, { key: crypto.randomUUID() });
    note(done, { undo: undo && (() => void undo(answer)) });
    return answer;
  } catch (error) {
    if (isShutOut(error)) forget('This page was ended, or its time is over.');
    const said = error instanceof Error ? error.message : String(error);
    note(said, { isError: true, more: error instanceof StudioError ? error.recovery : [] });
    return undefined;
  } finally {
    refresh();
  }
}

/** Command that does the same. */
export function commandFor(id: keyof Operations, input: Readonly<Record<string, unknown>>): string {
  const [noun = '', verb = ''] = id.split('.');
  const words = ['weft', 'studio', noun, verb.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)];
  const flags = Object.entries(input).flatMap(([name, value]) => flagsFor(name, value));
  return [...words, ...flags].join(' ');
}

function flagsFor(name: string, value: unknown): string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [`--${name}`];
  if (Array.isArray(value)) return value.flatMap((one) => flagsFor(name, one));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return [`--${name}`, quoted(text)];
}

/** A word of a shell that stands for exactly this text. */
export function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** REST call that does the same, for reading. */
export function restFor(id: keyof Operations): string {
  const [method, path] = ROUTES[id];
  return `${method} ${path}`;
}
