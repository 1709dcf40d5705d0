/**
 * Rejections of their own, by which some commands say no: not by an `error`, but in a frame or event of their own,
 * beside what they were asked.
 */
import { z } from 'zod';
import type { Rejection } from '../rejection.js';

export interface Rejected {
  /** Type of the frame, or name of the event. */
  readonly name: string;
  /** Fields that it takes over from the request, as they are there. */
  readonly echoes: readonly string[];
}

/** Classes of the contract; what is wrong with the peer itself stays an `error`. */
export function isClassed({ reason }: Rejection): boolean {
  return reason.startsWith('reject.') && reason !== 'reject.control_plane_forbidden';
}

export function rejectedShape(echoes: readonly string[]) {
  return z.object({
    ...Object.fromEntries(echoes.map((name) => [name, z.unknown().describe('As in the request; null when absent.')])),
    reason_class: z.string().describe('One of the reasons below.'),
    reason_message: z.string().describe('Why, for people.'),
  });
}

export function rejectedBody(
  { echoes }: Rejected,
  request: Readonly<Record<string, unknown>>,
  { reason, message }: Rejection,
): Readonly<Record<string, unknown>> {
  const given = echoes.map((name) => [name, request[name] ?? null] as const);
  return { ...Object.fromEntries(given), reason_class: reason, reason_message: message };
}
