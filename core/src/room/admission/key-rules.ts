/** Rules about keys: what judging needs where a room says something of keys that write in it. Pages load what keeps them then. */
import type { Attestation } from '../../codec/nodes/headers.js';
import type { NodeTable } from '../../codec/nodes/node-table.js';
import type { Vouched } from '../../access/word.js';
import type { Verifying } from '../../ports/crypto.js';
import type { NodeReason } from '../../rejection.js';
import type { Judged } from './judged.js';

/** What the author of a node is there, and, where that is asked for, from now on. */
export interface ComingVoice {
  /** Number of what is known to be revoked where it stands. */
  readonly below?: number;
  readonly author: string;
  /** Whether it speaks for the room. */
  readonly speaks: boolean;
  /** Whether the author speaks for the room still: a server takes nothing new from one that does not. */
  readonly speaksStill: boolean;
  /** Why it does not, though it spoke where the node stands. */
  readonly lost?: NodeReason;
  /** Whether it says who the roots are, and others have come before them since. */
  readonly isLate?: boolean;
  /** Whose its nodes are: a subject's, or its own. */
  readonly subject: string;
  /** Whose its nodes are from now on. */
  readonly subjectNow: string;
}

/** Voices of nodes that are being judged. */
export interface Voices {
  /** Whether nothing was ever said about keys here, and nothing comes. */
  readonly isPlain: boolean;
  /** Voice of all of the first nodes, each the `prev` of the next, which stand on held ones; undefined: look closer. */
  ofRun(nodes: number): ComingVoice | undefined;
  /** Call for each place in order, with its lamport. */
  next(place: number, lamport: number): ComingVoice;
}

export interface KeyRules {
  voices(judged: Judged, isServer: boolean): Voices;
  /** What is wrong with what a node says of keys; `mandates` are the names of those whose signatures hold. */
  faultOf(
    table: NodeTable,
    place: number,
    mandates: ReadonlySet<string> | undefined,
    voice: ComingVoice,
  ): NodeReason | undefined;
  /** Whether a node introduces its author, as any key may. */
  introduces(table: NodeTable, place: number): boolean;
}

/** Checks of signatures under what is said of keys. */
export interface KeyChecks {
  /** Names of the mandates in a table whose signatures hold. What was checked before is not checked again. */
  checkMandates(table: NodeTable, crypto: Verifying, known?: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** Whose word it is, if signature and certificate hold. */
  checkWord(word: Attestation, message: Uint8Array, crypto: Verifying): Promise<Vouched | undefined>;
}

export type LoadKeyChecks = () => KeyChecks | Promise<KeyChecks>;
