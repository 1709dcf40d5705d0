/**
 * Rejections of their own, by which some commands say no: not by an `error`, but in a frame or event of their own,
 * beside what they were asked.
 */
import { z } from 'zod';
import type { Rejection } from '../rejection.js';

export interface Rejected {
  /** Type of the frame, or name of the event. */
  readonly name: string;
  /** What it takes over from the request, where that is text. */
  readonly echoes: readonly string[];
}

/** Longer text is not taken over. */
const ECHOED = 4096;

/** Classes of the contract; what is wrong with the peer itself stays an `error`. */
export function isClassed({ reason }: Rejection): boolean {
  return reason.startsWith('reject.') && reason !== 'reject.control_plane_forbidden';
}

export function rejectedShape(echoes: readonly string[]) {
  return z.object({
    ...Object.fromEntries(echoes.map((name) => [name, z.string().optional().describe('As in the request.')])),
    reason_class: z.string().describe('One of the reasons below.'),
    reason_message: z.string().describe('The same for people.'),
  });
}

export function rejectedBody(
  { echoes }: Rejected,
  request: Readonly<Record<string, unknown>>,
  { reason, message }: Rejection,
): Readonly<Record<string, string>> {
  const given = echoes.flatMap((name) => {
    const value = request[name];
    return typeof value === 'string' && value.length <= ECHOED ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(given), reason_class: reason, reason_message: message };
}
