/**
 * The ways in which Weft says no.
 *
 * A `Rejection` is a rule that refused a request; its reason comes from the closed catalogue
 * below, which documentation and tests enumerate. A `Disconnect` ends one connection.
 * Anything else that is thrown is a bug, and no peer ever sees its text.
 */
export const REASONS = {
  'expected-hello': 'The first frame of a connection must be a valid hello.',
  'already-joined': 'hello is sent once.',
  'rate-limit': 'More was sent than the limits in welcome allow.',
  'invalid-json': 'A text frame must hold one JSON object.',
  'unknown-type': 'No frame of this type exists.',
  'invalid-payload': 'A field of the frame is missing or has the wrong shape.',
  'invalid-pack': 'The pack is not valid base64, or does not decode.',
  'unsupported-protocol': 'Client and server share no protocol version.',
  'binary-not-negotiated': 'Binary frames were not negotiated in hello.',
  auth: 'The token or proof in hello was refused; the text says why.',
  'auth-unavailable': 'Who decides about entry has not answered, and so nobody enters; come back after `retry_ms`.',
  'write-forbidden': 'The peer may write nothing in the room, and so stores no blobs there either.',
  'blob-refused': 'The bytes of a blob are missing, too many, or not what its hash says.',
  'blobs-full':
    'The room, who brings it, or the server has as many bytes of blobs as it may; of the server, come back after `retry_ms`.',
  'not-negotiated': 'The command needs a capability that was not negotiated in hello.',
  'room-locked': 'The room is locked already; its key is changed with rotate-room-key.',
  'room-open': 'The room is not locked.',
  'presence-full': 'The presence values of the room take all the room there is for them.',
  'room-full': 'The values of the room, or all that ever were, take all the space that a room has.',
  'server-full': 'The rooms of the server take all the memory that there is for them; come back after `retry_ms`.',
  'too-many-connections':
    'The server, the address or the key has as many connections as it may; come back after `retry_ms`.',
  'too-many-rooms':
    'The address or the key is in as many rooms, or has begun as many, as it may; come back after `retry_ms`.',
  'too-many-joins': 'More peers enter at once than the server works on and lets wait; come back after `retry_ms`.',
  'read-only': 'The disk of the server is nearly full: what would fill it is not taken; come back after `retry_ms`.',
  'room-quarantined': 'The room has failed, or an operator has shut it; nobody enters before it is resumed.',
  'room-replaced': 'The room begins anew, or another one has come into being under its name; open it again.',
  'room-deleted':
    'The room was deleted; its tombstone says when, and until when nobody may begin another one of that name.',
  'room-held':
    'An application or another thread of this server holds the room, or an operator has shut it: it cannot be emptied for that.',
  'room-reserved': 'Rooms whose id begins with ~ belong to the host.',
  'reject.control_plane_forbidden': 'The command needs a capability that the peer does not hold.',
  'reject.invalid_payload': 'A field is missing, has the wrong shape, or says what cannot be.',
  'reject.query_spec_not_found': 'No query of this id is registered.',
  'reject.projection_not_found': 'No projection of this id was built.',
  'reject.checkpoint_selector_invalid':
    'The selector is unknown, or has a field too many, too few or of the wrong shape.',
  'reject.checkpoint_not_found':
    'The log is not that long, does not hold that node, was pruned there, or that hash was never told to anybody.',
  'reject.query_backpressure':
    'Too many builds wait, or there are more rows than a projection holds. Try again, or ask for less.',
  'invalid-command': 'The host command is unknown or its payload has the wrong shape.',
  'session-not-found': 'No session of that number is open in the room, or it has ended.',
  'session-already-open': 'A session of that number is open in the room.',
  'invalid-value': 'A key, a value or the node made of them is not representable or too large.',
  'reject.room_not_found': 'No room of that name has a durable fact.',
  'reject.lineage_parent_not_found': 'The parent has no durable fact.',
  'reject.lineage_child_already_exists': 'The child room has a durable fact already.',
  'reject.lineage_parent_checkpoint_mismatch': 'The parent is not at the checkpoint that was named.',
  'reject.lineage_invalid_checkpoint': 'A field that describes the child is missing or malformed.',
  'reject.lineage_policy_unknown': 'The promotion policy is neither reference-only nor promotion-based.',
  'reject.promotion_invalid_lineage': 'The child is not a child of that parent, or a field of the proposal is missing.',
  'reject.promotion_policy_denied':
    'The promotion policy of the child, or the write policy of the parent, does not allow it.',
  'reject.promotion_child_checkpoint_mismatch': 'The child is not what the proposal says.',
  'reject.promotion_stale_parent':
    'The parent has changed a touched key since the proposal was validated; validate it again.',
  'reject.promotion_apply_conflict': 'Parent and child have changed the same keys, or the proposal is another one.',
  'reject.promotion_not_found': 'No proposal of that id.',
  'reject.promotion_not_validated': 'The proposal was not validated.',
  'reject.archive_unsupported_format':
    'No archives are kept under that scheme, archives of that format are not read, or the room does not fit one.',
  'reject.archive_manifest_invalid':
    'It is no archive, or does not agree with itself; or a field of the request is missing, malformed or leads outside.',
  'reject.archive_digest_mismatch':
    'Something in the archive is not what its manifest says, or is not what was expected.',
  'reject.archive_signature_invalid': 'The archive is not signed, or not by somebody whose archives are taken here.',
  'reject.archive_checkpoint_not_found': 'There is no archive of that name, or no room.',
  'reject.archive_policy_timeline_mismatch':
    'The room has policies that the archive does not begin with, or does not take what the archive holds.',
  'compact-failed': 'The room was not compacted; the text names the stage and why. Nothing that it holds has changed.',
  'authority-missing':
    'No root of the room has certified the key that this server signs with; it says which roots there are.',
  'authority-revoked': 'The key that this server signs with is revoked in the room.',
  'authority-superseded':
    'The roots of the room have changed, and none of those now has certified the key of this server.',
  'room-moved': 'The roots of the room have moved it to another server; the message says where.',
  'snapshot-unsigned': 'No authority of the room has signed the snapshot.',
  'genesis-mismatch': 'The pack does not begin with the genesis of a room, or its seal is wrong.',
} as const;

/** Why one node of a pack was refused. Listed in `pack-ack.rejected`. */
export const NODE_REASONS = {
  'wrong-room': 'The node names another room.',
  'bad-signature': 'The seal does not verify.',
  unsealed: 'No seal covers the node; resend it with its seal.',
  'run-refused': 'Another node of the same run was refused; re-seal what you keep.',
  'run-too-long': 'A run holds at most 1,024 nodes between two seals.',
  'wrong-prev': 'The previous node belongs to another author or room.',
  'missing-parent': 'A parent is unknown; send it first.',
  'foreign-system-key': 'Only the room authority writes system keys.',
  'bad-mandate':
    'What the node says of a key is not signed by who may say so, is for another room, or stands where it may not.',
  'signer-revoked': 'The key was certified by a root of the room, and is revoked.',
  'authority-superseded': 'Its author spoke for the room by roots that are not in force any more.',
  'policy-denied': 'The policy that the author knew does not let it write there.',
  'policy-changed': 'The policy now in force does not let the author write there.',
  'path-forbidden': "The peer's token does not let it write there.",
  'room-full': 'The values of the room take all the space that a room has.',
  unattested: 'Of this node only a header came, and no authority of the room vouches for it here.',
} as const;

export type Reason = keyof typeof REASONS;
export type NodeReason = keyof typeof NODE_REASONS;

/** A rule said no. Reasons of other layers (the studio's, an embedding application's) are plain strings too. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly reason: string;
  readonly data: unknown;
  /** Room that it is about, where that is another one than the peer's. */
  readonly room: string | undefined;

  constructor(reason: string, message: string, options: { data?: unknown; cause?: unknown; room?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.data = options.data;
    this.room = options.room;
  }
}

/** Runs something that needs another room; where that was deleted, the refusal is said in words of whoever asked. */
export async function whereDeleted<T>(task: Promise<T>, said: (why: string) => Rejection): Promise<T> {
  try {
    return await task;
  } catch (error) {
    if (error instanceof Rejection && error.reason === 'room-deleted') throw said(error.message);
    throw error;
  }
}

/** Refusal for now: the same may be granted after so many milliseconds. */
export class ComeBack extends Rejection {
  readonly retryMs: number;

  constructor(reason: Reason, message: string, retryMs: number) {
    super(reason, message);
    this.retryMs = retryMs;
  }
}

/** Refusal of a command whose capability a peer does not hold; `room` where it is another one in which it does not. [CA1] */
export function forbidden(command: string, capability: string, room?: string): Rejection {
  const reason = 'reject.control_plane_forbidden';
  const text = `${reason}: command=${command} requires=${capability}`;
  return new Rejection(reason, text, room === undefined ? {} : { room });
}

/** Disconnect: this connection cannot continue. */
export class Disconnect extends Error {
  override readonly name = 'Disconnect';
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}
