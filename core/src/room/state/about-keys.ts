/** Whether a room says something of keys that write in it. Pages load no more while nothing is said. [MA2] */
import { toHex } from '../../codec/bytes/bytes.js';

/** Names of `key-facts.ts`. */
const ABOUT = /^\0(roots$|((signer|delegate)(-revoked)?|subject-revoked)\/)/;

/** Whether a key says something about other keys. */
export function isAboutKeys(name: string): boolean {
  return ABOUT.test(name);
}

/** What a mandate is remembered by when its signature was checked. */
export function nameOfMandate(matter: string, bytes: Uint8Array): string {
  return `${matter} ${toHex(bytes)}`;
}
