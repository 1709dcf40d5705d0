/**
 * Where events live in a room: one key per event, `studio/<aggregate>/<id>/<n>` with n from 0 without gaps.
 *
 * Because a key is written once and never again, the log order of a stream is its number order, whoever reads it.
 */
import { z } from 'zod';
import type { Told } from '../aggregates/aggregate.js';

const ROOT = 'studio';

/** What the ledger stores with an event. */
const Meta = z.object({
  at: z.string(),
  by: z.string(),
  workUnitId: z.string().optional(),
  sessionId: z.string().optional(),
  /** Key of the event that this one follows from. */
  cause: z.string().optional(),
});
export type Meta = z.output<typeof Meta> & Told;

const Stored = z.object({ meta: Meta });

export interface StoredEvent {
  readonly key: string;
  readonly aggregate: string;
  readonly id: string;
  readonly position: number;
  readonly event: unknown;
  readonly meta: Meta;
}

export function eventKey(aggregate: string, id: string, position: number): string {
  return `${ROOT}/${aggregate}/${escapeSlashes(id)}/${position}`;
}

/** Reads a write of a room's history as an event, or answers undefined when the key is not one of ours. */
export function storedEvent(key: string, value: unknown): StoredEvent | undefined {
  const [root, aggregate, id, number, ...rest] = key.split('/');
  if (root !== ROOT || aggregate === undefined || id === undefined || number === undefined) return undefined;
  if (rest.length > 0 || !/^(0|[1-9]\d{0,14})$/.test(number)) return undefined;
  const meta = Stored.safeParse(value).data?.meta ?? { at: '', by: '' };
  return { key, aggregate, id: unescapeSlashes(id), position: Number(number), event: value, meta };
}

function escapeSlashes(id: string): string {
  return id.replaceAll('%', '%25').replaceAll('/', '%2F');
}

function unescapeSlashes(segment: string): string {
  return segment.replaceAll('%2F', '/').replaceAll('%25', '%');
}
