/** Permits: what judging asks of permissions, and who makes them. Pages load what looks at policies when a room has one. */
import type { Globs } from '../../access/glob.js';
import type { NodeReason } from '../../rejection.js';
import type { Judged } from './judged.js';
import type { ComingVoice, KeyRules } from './key-rules.js';

export interface PermissionRules {
  /** Whether the policy that is in force now counts too. */
  readonly isServer: boolean;
  /** Where the peer that pushes may write, if not everywhere. */
  readonly mayWrite?: Globs | undefined;
  /** Absent while nothing is said about keys. */
  readonly keys?: KeyRules | undefined;
  /** Whether the room has no space for what is judged. [LM8] */
  readonly isFull?: boolean;
}

export interface Permits {
  /** Whether the first nodes, each the `prev` of the next and of one author, may all write where they do. False: look closer. */
  allowsRun(nodes: number): boolean;
  /** Who writes a node, and what is wrong with where it writes. Call for each place in order. */
  next(place: number): { readonly voice: ComingVoice; readonly fault: NodeReason | undefined };
}

export type Permitting = (judged: Judged, rules: PermissionRules) => Permits;
