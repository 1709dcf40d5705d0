/**
 * A replica as bytes: the values as they stand, to be read at once, and the nodes that they come from, to go on with.
 *
 *   'S' ‖ version ‖ CRC-32 of the rest ‖ state length ‖ state ‖ state deflated ‖ history: packs, each behind its length
 *
 * Opening reads the state alone. The history is decoded, and every node hashed, when something is first written, received
 * or proved; the values need not be made again. It is kept deflated until then.
 */
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { DecodeError } from '../../codec/bytes/bytes.js';
import { deflate, inflateTo } from '../../codec/bytes/deflate.js';
import { crc32 } from '../../codec/bytes/hash.js';

const MAGIC = 0x53;
const VERSION = 1;
/** Version of a replica whose room has marks: who does not know these cannot go on with it. */
const VERSION_OF_MARKS = 2;
/** Version of one in which nodes were erased in part. */
const VERSION_OF_REMAINS = 3;
/** What a state may say of itself: no copy that a process can hold is larger. */
const MOST_BYTES = 1024 * 1024 * 1024;

export interface SavedReplica {
  readonly state: Uint8Array;
  /** Packs that each stand on those before. */
  readonly history: readonly Uint8Array[];
}

export function writeSaved(
  { state, history }: SavedReplica,
  { hasMarks, hasAnyRemains }: { readonly hasMarks: boolean; readonly hasAnyRemains: boolean },
): Uint8Array {
  const rest = new ByteWriter(state.length);
  rest.varint(state.length);
  rest.sized(deflate(state));
  rest.varint(history.length);
  for (const pack of history) rest.sized(pack);
  const out = new ByteWriter(rest.length + 8);
  out.byte(MAGIC);
  out.byte(hasAnyRemains ? VERSION_OF_REMAINS : hasMarks ? VERSION_OF_MARKS : VERSION);
  out.uint(crc32(rest.view()), 4);
  out.bytes(rest.view());
  return out.finish();
}

/** Throws a `DecodeError` for what is no saved replica, or a damaged one. The history is a view of the bytes. */
export function readSaved(bytes: Uint8Array): SavedReplica {
  const input = new ByteReader(bytes);
  if (input.byte() !== MAGIC) throw new DecodeError('not a saved replica');
  const version = input.byte();
  if (version < VERSION || version > VERSION_OF_REMAINS) throw new DecodeError('unknown version of a saved replica');
  const checksum = input.uint(4);
  if (crc32(bytes.subarray(input.position)) !== checksum) throw new DecodeError('the saved replica is damaged');
  const length = input.varint();
  const deflated = input.sized();
  if (length > MOST_BYTES || length > deflated.length * 1032)
    throw new DecodeError('the saved state has a wrong length');
  const history = Array.from({ length: input.count(1, bytes.length) }, () => input.sized());
  input.end();
  return { state: inflateTo(deflated, length), history };
}
