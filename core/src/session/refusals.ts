/** Refusals on the wire: the frame that a rejection becomes, and how the connection ends where it does not go on. */
import type { Command } from '../contract/command.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { ComeBack, type Rejection } from '../rejection.js';
import { CLOSE } from '../wire/close-codes.js';
import type { Frame } from '../wire/frame.js';
import * as notices from '../wire/notices.js';
import { isClassed, rejectedBody } from '../wire/rejected.js';
import { restartReason } from '../wire/restart-reason.js';

/** A frame of the command's own, where it has one for a rejection of this kind; undefined: an `error`. */
export function rejectedFrame(
  rejection: Rejection,
  command: Command | undefined,
  request: Frame | undefined,
  room: RoomId,
): Frame | undefined {
  if (!request || !command?.rejected || !isClassed(rejection)) return undefined;
  return { type: command.rejected.name, ...rejectedBody(command.rejected, { room, ...request }, rejection) };
}

/** `own` is the room of the peer: only another one is named. */
export function errorFrame(rejection: Rejection, command: Command | undefined, own: RoomId): Frame {
  const named = command ? { command: command.type } : {};
  const where = rejection.room === undefined || rejection.room === own ? {} : { room: rejection.room };
  const when = rejection instanceof ComeBack ? { retry_ms: rejection.retryMs } : {};
  const left = rejection.data instanceof Uint8Array ? { tombstone: rejection.data } : {};
  return notices.error.frame({ msg: rejection.message, code: rejection.reason, ...when, ...named, ...where, ...left });
}

/** How a connection ends behind an `error`; undefined: it goes on. */
export function closingBehind(
  rejection: Rejection,
  command: Command | undefined,
  state: 'awaiting-hello' | 'joined' | 'asleep',
): { readonly code: number; readonly reason: string } | undefined {
  // A push that is refused for now is sent again by whoever comes back; who sleeps could not be served at all.
  const isOver = state !== 'joined' || command?.pipelined === true;
  if (rejection instanceof ComeBack && isOver)
    return { code: CLOSE.restart.code, reason: restartReason(rejection.retryMs, rejection.message) };
  if (state !== 'awaiting-hello') return undefined;
  const { code } = rejection.reason === 'room-quarantined' ? CLOSE.overload : CLOSE.policy;
  return { code, reason: rejection.message };
}
