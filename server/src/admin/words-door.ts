/**
 * Words of an operator by paths: what a path means, and what comes of it. The administration door and whoever serves the page about
 * rooms share it; who may ask, and how a request is read, is theirs.
 */
import { InvalidInput, NotThere, OperatorError } from '../operator/define.js';
import type { AnyOperation } from '../operator/define.js';
import type { Performs } from '../operator/perform.js';
import { roomList } from '../operator/rooms.js';
import { operatorWords } from '../operator/words/table.js';
import type { Word } from '../operator/words/word.js';

export const NOTHING_HERE = 'there is nothing here; GET /openapi.json says what there is';

/** Answer that is no result, with its status. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What a path means. */
export interface Target {
  readonly method: 'GET' | 'POST';
  readonly operation: AnyOperation;
  /** Fields that the path gives. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Path of a word. One about a room has it in its path, and there is one authority. */
export function pathOf({ noun, verb }: Word): string {
  if (noun === 'room') return `/v1/rooms/{room}/${verb}`;
  return noun === 'authority' ? `/v1/authority/${verb}` : `/v1/${noun}s/${verb}`;
}

export function targetOf(path: string): Target | undefined {
  if (path === '/v1/rooms') return { method: 'GET', operation: roomList, fields: {} };
  const [, room, verb] = /^\/v1\/rooms\/([^/]+)\/([a-z-]+)$/.exec(path) ?? [];
  const operation = operatorWords.find((word) =>
    room === undefined ? pathOf(word) === path : word.noun === 'room' && word.verb === verb,
  );
  return operation && { method: 'POST', operation, fields: room === undefined ? {} : { room: decoded(room) } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // which is no room id, and refused as one that is none
  }
}

/** Result of an operation as it is sent. Throws a `Refusal`, or what went wrong. */
export async function performed(
  performing: Performs,
  { operation }: Target,
  input: object,
  signal: AbortSignal,
): Promise<unknown> {
  const asking = { progress: () => undefined, signal };
  const result = await performing.perform(operation, input, asking).catch((error: unknown) => {
    throw asRefusal(error);
  });
  return Array.isArray(result) ? { rooms: result } : result;
}

function asRefusal(error: unknown): unknown {
  if (!(error instanceof OperatorError)) return error;
  const { message } = error;
  if (error instanceof InvalidInput) return new Refusal(400, 'invalid', message);
  if (error instanceof NotThere) return new Refusal(404, 'not-found', message);
  return new Refusal(409, 'refused', message);
}

/** Request to say a word, by somebody who was found to be an operator. */
export interface WordRequest {
  readonly method: string;
  readonly path: string;
  /** Fields of the body. */
  readonly fields: object;
  readonly signal: AbortSignal;
}

export interface WordAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Words for another door, such as the studio's, which knows its callers by itself. */
export function wordsDoor(performing: Performs): (request: WordRequest) => Promise<WordAnswer> {
  return async ({ method, path, fields, signal }) => {
    try {
      const target = targetOf(path);
      if (!target) throw new Refusal(404, 'not-found', 'no operator says that');
      if (method !== target.method) throw new Refusal(405, 'method-not-allowed', `use ${target.method}`);
      return { status: 200, body: await performed(performing, target, { ...fields, ...target.fields }, signal) };
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: { error: error.message, code: error.code } };
      throw error;
    }
  };
}
