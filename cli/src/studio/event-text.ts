/** Events of a studio as text: a line for people, and JSON in which the particulars are JSON too. */
import { printable } from '../output/show.js';
import type { Terminal } from '../syntax/define.js';
import type { StudioEvent } from './studio-client.js';

/** Fields that are told first, since they say what an event is about. */
const FIRST = ['status', 'to', 'stage', 'goal', 'title', 'question', 'response', 'summary', 'reason', 'path', 'label'];
const LONGEST = 120;

/** The event with its particulars in place of the text that holds them. */
export function withPayload({ payloadJson, ...event }: StudioEvent): object {
  return { ...event, payload: payloadOf(payloadJson) };
}

export function eventLine(
  { eventId, kind, payloadJson, workUnitId, occurredAt, by }: StudioEvent,
  { paint }: Pick<Terminal, 'paint'>,
): string {
  const payload = payloadOf(payloadJson);
  const told = FIRST.flatMap((name) => {
    const value = payload[name];
    return typeof value === 'string' || typeof value === 'number' ? [String(value).replaceAll(/\s+/g, ' ')] : [];
  });
  const about = workUnitId === undefined ? '' : `  ${shortId(workUnitId)}`;
  const text = printable(told.join(' · ').slice(0, LONGEST));
  return `${occurredAt.slice(11, 19)}  ${eventId.padEnd(8)}  ${paint('bold', kind)}${about}  ${text}  (${by})`;
}

/** An id that people can type: commands take any beginning of it that no other has. */
export function shortId(id: string): string {
  return /^(.*-)?[0-9a-f]{32}$/.test(id) ? id.slice(0, -24) : id;
}

function payloadOf(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
