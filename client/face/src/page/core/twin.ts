/** Twins of an action: the command and the REST call that do the same, for reading and for a shell. */
import { type Operations, ROUTES } from '@weft/studio-client';

/** Command that does the same. */
export function commandFor(id: keyof Operations, input: Readonly<Record<string, unknown>>): string {
  const [noun = '', verb = ''] = id.split('.');
  const words = ['weft', 'studio', noun, verb.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)];
  return [...words, ...Object.entries(input).flatMap(([name, value]) => flagsFor(name, value))].join(' ');
}

function flagsFor(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.map((one) => flagWith(name, one));
  return [flagWith(name, typeof value === 'string' ? value : JSON.stringify(value))];
}

/** A flag and its value. One that begins like a flag stands behind a sign, so that it is taken for none. */
export function flagWith(name: string, value: string): string {
  return `--${name}${value.startsWith('-') ? '=' : ' '}${quoted(value)}`;
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
