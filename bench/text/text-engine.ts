// What an engine for shared text offers to the benches. Loops over edits and messages lie in the engine's own file, so
// that the machine code of one engine's loop is never shared with another's.
import type { Edit } from '../measuring/trace.js';

export type MaybePromise<T> = T | Promise<T>;

/** One participant's copy of one text. Replicas of the same engine made by `create` share one empty beginning. */
export interface TextReplica {
  /**
   * Types the edits one by one; answers one message for each, or for each `editsPerMessage` of them, in order. Absent:
   * the engine has no messages.
   */
  readonly typeEach?: (edits: readonly Edit[]) => MaybePromise<readonly Uint8Array[]>;
  /** Types edits that nobody receives without later ones: an engine that signs needs no signature there. */
  readonly typeOn?: (edits: readonly Edit[]) => MaybePromise<readonly Uint8Array[]>;
  /** Types the edits as one batch, with as few messages as the engine likes. Absent: has no batches. */
  readonly typeAll?: (edits: readonly Edit[]) => MaybePromise<void>;
  /** Applies messages one by one. */
  readonly receiveEach?: (messages: readonly Uint8Array[]) => MaybePromise<void>;
  text(): string;
  /** The whole document in one of the engine's `forms`. */
  readonly save?: (form: string) => MaybePromise<Uint8Array>;
  /** Gives back memory that no garbage collection finds. */
  readonly free?: () => void;
}

export interface TextEngine {
  readonly name: string;
  readonly version: string;
  /** What a run with this engine leaves out, in words for the table: signs, verifies, hashes … */
  readonly doesNot: readonly string[];
  /** Every message is signed by its author and verified by its receiver. */
  readonly signs: boolean;
  /** Several agents may type at the same time and exchange messages. */
  readonly concurrent: boolean;
  /** Ways to save a document, the preferred one first; empty: none that the benches use. */
  readonly forms: readonly string[];
  /** How many edits share a message, the last one perhaps fewer; 1 when absent. Figures count edits all the same. */
  readonly editsPerMessage?: number;
  /** Edits, or transactions of a merge, after which it would take minutes: rows say that only so many were made. */
  readonly most?: { readonly typeEach?: number; readonly receiveEach?: number; readonly merge?: number };
  create(agent: number): MaybePromise<TextReplica>;
  open(bytes: Uint8Array, form: string): MaybePromise<TextReplica>;
}

/** An engine by name. It is loaded when a bench wants it: a rival may not be installed. */
export interface EngineEntry {
  readonly name: string;
  /** Whether it lies in bench/rivals/node_modules. */
  readonly installed: boolean;
  load(): Promise<TextEngine>;
}
