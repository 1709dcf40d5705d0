/**
 * Event streams in a room: one key per event, `studio/<aggregate>/<id>/<n>` with n from 0 without gaps.
 *
 * Because a key is written once and never again, the log order of a stream is its number order, whoever reads it.
 */
import { z } from 'zod';
import type { Told } from '../aggregates/aggregate.js';

const ROOT = 'studio';

/** Event metadata, stored by the ledger. */
const Meta = z.object({
  at: z.string(),
  by: z.string(),
  workUnitId: z.string().optional(),
  sessionId: z.string().optional(),
  /** Key of the causing event. */
  cause: z.string().optional(),
});
export type Meta = z.output<typeof Meta> & Told;

export interface StoredEvent {
  readonly key: string;
  readonly aggregate: string;
  readonly id: string;
  readonly position: number;
  readonly event: unknown;
  readonly meta: Meta;
}

/** Unique key of a stream. */
export function streamKey({ aggregate, id }: Pick<StoredEvent, 'aggregate' | 'id'>): string {
  return `${aggregate}\n${id}`;
}

export function eventKey(aggregate: string, id: string, position: number): string {
  return `${ROOT}/${aggregate}/${escapeSlashes(id)}/${position}`;
}

/** Parses a write of a room's history as an event; undefined when the key is not one of ours. */
export function storedEvent(key: string, value: unknown): StoredEvent | undefined {
  const [root, aggregate, id, number, ...rest] = key.split('/');
  if (root !== ROOT || aggregate === undefined || id === undefined || number === undefined) return undefined;
  if (rest.length > 0 || !/^(0|[1-9]\d{0,14})$/.test(number)) return undefined;
  return { key, aggregate, id: unescapeSlashes(id), position: Number(number), event: value, meta: metaOf(value) };
}

function metaOf(value: unknown): Meta {
  const meta = typeof value === 'object' && value !== null && 'meta' in value ? value.meta : undefined;
  return isMeta(meta) ? meta : (Meta.safeParse(meta).data ?? { at: '', by: '' });
}

/** Fast check of metadata. A start runs it for every event, and a schema takes ten times as long. */
function isMeta(value: unknown): value is Meta {
  if (typeof value !== 'object' || value === null) return false;
  for (const [name, text] of Object.entries(value))
    if (typeof text !== 'string' || !Object.hasOwn(Meta.shape, name)) return false;
  return 'at' in value && 'by' in value;
}

function escapeSlashes(id: string): string {
  return id.replaceAll('%', '%25').replaceAll('/', '%2F');
}

function unescapeSlashes(segment: string): string {
  return segment.includes('%') ? segment.replaceAll('%2F', '/').replaceAll('%25', '%') : segment;
}
