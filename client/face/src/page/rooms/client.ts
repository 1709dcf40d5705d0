/**
 * What the page says to a server about rooms: words of an operator over HTTP, on its own origin. Who it is stands in headers: of the
 * page that a studio let in, or the token that somebody has typed.
 */
import { flagWith, quoted } from '../core/twin.js';
import type { Words } from './words.js';

export interface ListedRoom {
  readonly room: string;
  readonly nodes: number;
  readonly bytes: number;
  readonly shut?: string;
}

/** Refusal of a word, or that nobody answers. */
export class WordError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

let headers: () => Readonly<Record<string, string>> = () => ({});

/** Says how requests show who asks. */
export function letIn(by: () => Readonly<Record<string, string>>): void {
  headers = by;
}

export async function listRooms(): Promise<readonly ListedRoom[]> {
  const { rooms } = (await ask('GET', '/v1/rooms')) as { readonly rooms: readonly ListedRoom[] };
  return rooms;
}

export type Word = keyof Words & `room-${string}`;

export async function say<W extends Word>(word: W, input: Words[W]['input']): Promise<Words[W]['output']> {
  const { room, ...fields } = input as { readonly room: string };
  return (await ask('POST', pathOf(word, room), fields)) as Words[W]['output'];
}

export function pathOf(word: Word, room: string): string {
  return `/v1/rooms/${encodeURIComponent(room)}/${word.slice('room-'.length)}`;
}

/** Command that says the same. */
export function commandOf(word: Word, { room, ...fields }: Readonly<Record<string, unknown>>): string {
  const flags = Object.entries(fields).flatMap(([name, value]) => {
    const flag = name.replaceAll('_', '-');
    if (value === undefined || value === false) return [];
    if (value === true) return [`--${flag}`];
    if (Array.isArray(value)) return [flagWith(flag, value.join(','))];
    return [flagWith(flag, typeof value === 'string' ? value : JSON.stringify(value))];
  });
  return ['weft', 'room', word.slice('room-'.length), quoted(String(room)), ...flags].join(' ');
}

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(path, {
    method,
    headers: { ...headers(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new WordError(0, 'the server does not answer');
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  throw new WordError(response.status, messageIn(answer) ?? `the server answers ${response.status}`);
}

function messageIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return undefined;
  return String(answer.error);
}
