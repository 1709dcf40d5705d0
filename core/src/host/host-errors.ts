/** The errors of the embedding API as its contract names them. [HC1] */
import { type Reason, Rejection } from '../rejection.js';

export type HostError =
  | 'RoomNotFound'
  | 'SessionNotFound'
  | 'SessionAlreadyOpen'
  | 'InvalidCommand'
  | 'ProtocolViolation'
  | 'AuthViolation'
  | 'InternalInvariant';

/** Classes of errors by reason: other refusals break a rule of the protocol, and what is no refusal is a bug. */
const BY_REASON = new Map<string, HostError>([
  ...named('RoomNotFound', 'reject.room_not_found', 'reject.lineage_parent_not_found'),
  ...named('SessionNotFound', 'session-not-found'),
  ...named('SessionAlreadyOpen', 'session-already-open'),
  ...named('InvalidCommand', 'invalid-command', 'invalid-value', 'invalid-payload', 'invalid-pack', 'blob-refused'),
  ...named('InvalidCommand', 'reject.checkpoint_selector_invalid', 'reject.checkpoint_not_found'),
  ...named(
    'AuthViolation',
    'auth',
    'room-reserved',
    'room-quarantined',
    'room-deleted',
    'room-held',
    'reject.control_plane_forbidden',
  ),
]);

/** Which of them something is that `submit` rejected with. */
export function hostErrorOf(error: unknown): HostError {
  if (!(error instanceof Rejection)) return 'InternalInvariant';
  return BY_REASON.get(error.reason) ?? 'ProtocolViolation';
}

function named(name: HostError, ...reasons: readonly Reason[]): [string, HostError][] {
  return reasons.map((reason) => [reason, name]);
}
