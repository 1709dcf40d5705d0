/** Keys of the system under which a room says something of keys that write in it. Pages load these when they are needed. [MA2] */

export const SIGNER = '\0signer/';
export const SIGNER_REVOKED = '\0signer-revoked/';
export const DELEGATE = '\0delegate/';
export const DELEGATE_REVOKED = '\0delegate-revoked/';
/** A subject whose keys are all revoked here; the word of whoever speaks for the room is enough. */
export const SUBJECT_REVOKED = '\0subject-revoked/';
/** Who the roots are from a node on. [MA6] */
export const ROOTS = '\0roots';
