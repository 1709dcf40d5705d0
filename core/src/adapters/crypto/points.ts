/** Points of the curve: which 32 bytes are a public key. The same for every implementation. [SG3] */
import { Point } from '@noble/ed25519';
import { fromHex } from '../../codec/bytes/bytes.js';
import { isStrictKey } from './strict.js';

export function isPublicKey(text: string): boolean {
  if (!isStrictKey(text)) return false;
  try {
    Point.fromBytes(fromHex(text));
    return true;
  } catch {
    return false; // no x belongs to this y
  }
}
