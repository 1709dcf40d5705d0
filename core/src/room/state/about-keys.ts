/** Keys of the system under which a room says something of keys that write in it. Pages load no more while nothing is said. [MA2] */
import { toHex } from '../../codec/bytes/bytes.js';

export const SIGNER = '\0signer/';
export const SIGNER_REVOKED = '\0signer-revoked/';
export const DELEGATE = '\0delegate/';
export const DELEGATE_REVOKED = '\0delegate-revoked/';
/** Who the roots are from a node on. [MA6] */
export const ROOTS = '\0roots';
/** A subject whose keys are all revoked here; the word of whoever speaks for the room is enough. */
export const SUBJECT_REVOKED = '\0subject-revoked/';

const ALL = [SIGNER, SIGNER_REVOKED, DELEGATE, DELEGATE_REVOKED, SUBJECT_REVOKED];

/** Whether a key says something about other keys. */
export function isAboutKeys(name: string): boolean {
  return name === ROOTS || ALL.some((prefix) => name.startsWith(prefix));
}

/** What a mandate is remembered by when its signature was checked. */
export function nameOfMandate(matter: string, bytes: Uint8Array): string {
  return `${matter} ${toHex(bytes)}`;
}
