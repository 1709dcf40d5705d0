/**
 * Ref names in the object store. A branch id is any text; a ref name is not, and on some disks not even case is kept. So every
 * character but small letters, digits and dashes is escaped as bytes, and ids and names map one to one. Long names become
 * folders, whose names end in `+` so that none is another branch's file.
 */
import { refusal } from '../../../reasons.js';

const OURS = 'refs/weft';
export const BRANCHES = `${OURS}/branches/`;

const LONE_SURROGATE = /\p{Surrogate}/u;
/** Length limit: shorter than what disks allow, with room for `.lock`. */
const LONGEST = 180;

export const branchRef = (branchId: string): string => BRANCHES + escapeName(branchId);
/** Ref of a proposal's base. */
export const baseRef = (proposalId: string): string => `${OURS}/base/${escapeName(proposalId)}`;
/** Ref of a proposal's head. */
export const headRef = (proposalId: string): string => `${OURS}/proposed/${escapeName(proposalId)}`;
export const goodRef = (stateId: string): string => `${OURS}/good/${escapeName(stateId)}`;

/** Ref of the commit by which the target of a conflict was merged into the branch of the work itself. */
export const broughtInRef = (conflictId: string): string => `${OURS}/brought-in/${escapeName(conflictId)}`;

/** Ref of the resolved contents of a conflict. */
export const resolvedRef = (conflictId: string): string => `${OURS}/resolved/${escapeName(conflictId)}`;

/** Prefix of the refs of what was fetched from a remote: below it its branches have their own names. */
export const remotePrefix = (name: string): string => `${OURS}/remotes/${escapeName(name)}/`;

/** Ref of a commit that was made to leave this host, by the digest of what it was made from. */
export const outgoingRef = (digest: string): string => `${OURS}/outgoing/${digest}`;

/** Ref that holds an annotated tag of the user's, by the tag's own id. */
export const tagRef = (id: string): string => `${OURS}/tags/${id}`;

export const importRef = (commit: string): string => `${OURS}/imports/${commit}`;

export function escapeName(name: string): string {
  if (name === '' || LONE_SURROGATE.test(name))
    throw refusal('reject.invalid_input', 'the name is empty or no valid text');
  const pieces: string[] = [''];
  for (const byte of Buffer.from(name, 'utf8')) {
    const letter = String.fromCharCode(byte);
    const written = /[a-z0-9-]/.test(letter) ? letter : `=${byte.toString(16).padStart(2, '0')}`;
    if (pieces[pieces.length - 1]!.length + written.length > LONGEST) pieces.push('');
    pieces[pieces.length - 1] += written;
  }
  return pieces.join('+/');
}
