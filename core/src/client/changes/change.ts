/** Change event: what one batch of edits, or one merge, has changed of what somebody observes. [CE1] */
import type { ListDelta, TextDelta } from '../../crdt/delta.js';
import type { PublicKey } from '../../graph/node.js';

export interface RegisterChange {
  readonly kind: 'register';
  readonly key: string;
  /** Undefined where nothing is. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface TextChange {
  readonly kind: 'text';
  readonly key: string;
  readonly delta: TextDelta;
}

export interface ListChange {
  readonly kind: 'list';
  readonly key: string;
  readonly delta: ListDelta;
}

export type Change = RegisterChange | TextChange | ListChange;

/** Edited here; merged from others; or taken back here because a server refused nodes. */
export type ChangeSource = 'local' | 'remote' | 'refused';

export interface ChangeEvent {
  readonly source: ChangeSource;
  /** What `transact` was told, so that an editor knows its own edits; undefined without one. */
  readonly origin: unknown;
  /** Authors of the nodes, by public key; nobody when nodes were taken back. */
  readonly authors: readonly PublicKey[];
  /** At most one for each key and kind, by key. */
  readonly changes: readonly Change[];
}

export type ChangeListener = (event: ChangeEvent) => void;

/** One key, or all keys that begin alike. */
export type Observed = string | KeyPrefix;

export interface KeyPrefix {
  readonly prefix: string;
}
