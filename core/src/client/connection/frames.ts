/** Frames of a server as a client reads them: what it uses of each, and no more. */
import { type Sifted, anything, flag, listOf, number, objectOf, recordOf, text } from '../../codec/sieve.js';
import type { RefusedNode } from '../../room/admission/judgement.js';
import { DecodeError, fromBase64 } from '../../codec/bytes/bytes.js';

/** Bytes: base64 in a frame of JSON, themselves in one of MessagePack. */
export const bytes = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return fromBase64(value);
  throw new DecodeError('bytes are missing');
};

/** What a sieve takes, or nothing. */
const maybe =
  <T>(sieve: (value: unknown) => T) =>
  (value: unknown): T | undefined =>
    value === undefined ? value : sieve(value);

export const peerShape = objectOf({
  pubkey: text,
  peer_id: text,
  peer_type: text,
  session_id: text,
  proven: flag,
  subject: maybe(text),
});
export type PeerShape = Sifted<typeof peerShape>;

export const welcome = objectOf({
  genesis: bytes,
  missing: listOf(text),
  caps: recordOf(flag),
  peers: listOf(peerShape),
  limits: objectOf({ frame_bytes: number }),
  retry_spread_ms: maybe(number),
  view: maybe(text),
});
export type Welcome = Sifted<typeof welcome>;

/** Reasons that this version does not know are for good. */
const refused = objectOf({ id: text, reason: text });
export const packAck = objectOf({ rejected: listOf((value) => refused(value) as RefusedNode) });

export const shown = objectOf({ peer_id: text, data: anything });
