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
import { deflate, deflateLater, inflateTo } from '../../codec/bytes/deflate.js';
import { squeezed } from '../../codec/packs/pack.js';
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

/** What the nodes of a replica have, that decides how it is written. */
export interface SavedTraits {
  readonly hasMarks: boolean;
  readonly hasAnyRemains: boolean;
}

/** Smaller than `writeSaved` in pages, for who can wait; the traits are those of now. Answers the packs of the history too. */
export async function writeSqueezed(
  { state, history }: SavedReplica,
  { hasMarks, hasAnyRemains }: SavedTraits, // taken now
): Promise<{ readonly saved: Uint8Array; readonly history: readonly Uint8Array[] }> {
  const packs: Uint8Array[] = [];
  for (const pack of history) packs.push(await squeezed(pack)); // each is a turn of its own
  const deflated = (await deflateLater(state)) ?? deflate(state);
  return { saved: assemble(state, deflated, packs, { hasMarks, hasAnyRemains }), history: packs };
}

export function writeSaved({ state, history }: SavedReplica, traits: SavedTraits): Uint8Array {
  return assemble(state, deflate(state), history, traits);
}

function assemble(
  state: Uint8Array,
  deflated: Uint8Array,
  history: readonly Uint8Array[],
  { hasMarks, hasAnyRemains }: SavedTraits,
): Uint8Array {
  const rest = new ByteWriter(state.length);
  rest.varint(state.length);
  rest.sized(deflated);
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
