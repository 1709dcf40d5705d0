/** Schemas of single values that more than one frame carries. */
import { z } from 'zod';
import { DecodeError, fromBase64 } from '../codec/bytes/bytes.js';
import { isWellFormed } from '../codec/bytes/well-formed.js';
import type { NodeId, PublicKey } from '../graph/node.js';

/** 32 bytes in hex, either case; lower case inside. */
const hex32 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex characters')
  .transform((text) => text.toLowerCase());

export const NodeIdHex = hex32.transform((text) => text as NodeId);
export const PublicKeyHex = hex32.transform((text) => text as PublicKey);
/**
 * Text that is stored, or names something that is. Half a character has no form in UTF-8: something else would stand in its place, or the
 * key that is made of it would be none.
 */
export const Text = z.string().refine(isWellFormed, 'holds half a character');
export const Hex = z.string().regex(/^[0-9a-f]*$/);
export const Count = z.number().int().nonnegative();
/** Unix seconds. */
export const UnixTime = z.number().int().nonnegative();
export const RequestId = z.union([z.string().max(128), z.number()]);

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** Bytes that the server sends: base64 in JSON. */
export const Bytes = bytes.meta({ type: 'string', format: 'base64' });

/** Bytes that a peer sends: base64 in JSON, bytes in MessagePack. */
export const BytesFromPeer = z.union([z.string(), bytes]).transform((value, context) => {
  const given = typeof value === 'string' ? decoded(value) : value;
  if (given) return given;
  context.addIssue('must be base64');
  return z.NEVER;
});

/** Bytes from a peer, unread: for whoever has a word of his own for bad base64. */
export const MaybeBytes = z.union([z.string(), bytes]);

/** Bytes of base64; undefined for what is none. */
export function decoded(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
