/** Histories: what clients have asked and been answered, in one order of moments, and the log that the disk holds in the end. */

/** What a reader saw: the value of each register that has one, and the list. */
export interface Seen {
  readonly registers: Readonly<Record<string, string>>;
  readonly list: readonly string[];
}

interface Asked {
  readonly client: string;
  /** Moment at which it was asked. Moments are whole numbers, of which no two are the same. */
  readonly at: number;
  /** Moment of the answer; none where there was none. */
  until?: number;
}

interface WriteOf<Kind extends 'set' | 'append'> extends Asked {
  readonly kind: Kind;
  readonly key: string;
  readonly value: string;
}

/** A register is set to a value that nobody else writes, or such a value is put behind all of the list that its author sees. */
export type Write = WriteOf<'set'> | WriteOf<'append'>;

/** A look at what a client has at hand. */
export interface Read extends Asked {
  readonly kind: 'read';
  readonly seen: Seen;
}

/** Somebody new asks the server for all that there is. */
export interface Join extends Asked {
  readonly kind: 'join';
  /** `canonical_seq` of the welcome, and what came with it; none without an answer. */
  seq?: number;
  seen?: Seen;
  /** How many nodes that was. */
  nodes?: number;
}

export type Operation = Write | Read | Join;

/** A node of the log, in its order. */
export interface Logged {
  readonly id: string;
  readonly author: string;
  readonly lamport: number;
  readonly writes: readonly { readonly kind: 'set' | 'append'; readonly key: string; readonly value: string }[];
}

export interface Log {
  /** Where each record begins, and how many nodes it has. */
  readonly records: readonly { readonly seq: number; readonly count: number }[];
  readonly nodes: readonly Logged[];
}

export interface History {
  readonly operations: readonly Operation[];
  readonly log: Log;
  /** What each client, and somebody new, had in the end. */
  readonly last: readonly { readonly who: string; readonly seen: Seen }[];
  /** Nodes of the log that were there by then; all when absent. Of somebody who had died, more may have been on its way. */
  readonly lastNodes?: number | undefined;
}
