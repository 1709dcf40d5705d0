// What an engine for a shared map offers to the graph bench. Loops over sets and packs lie in the engine's own file, as
// those of texts do.
import type { MaybePromise } from '../text/text-engine.js';

export interface MapSet {
  readonly key: string;
  readonly value: number;
}

/** One participant's copy of one map. Replicas of the same engine share one empty beginning. */
export interface MapReplica {
  /** Sets one by one; each is an edit of its own. */
  setEach(sets: readonly MapSet[]): MaybePromise<void>;
  /** Everything that was written here, to send to others. */
  pack(): MaybePromise<Uint8Array>;
  receiveEach(packs: readonly Uint8Array[]): MaybePromise<void>;
  entries(): ReadonlyMap<string, unknown>;
}

export interface MapEngine {
  readonly name: string;
  readonly version: string;
  readonly doesNot: readonly string[];
  create(agent: number): MaybePromise<MapReplica>;
}

export interface MapEngineEntry {
  readonly name: string;
  /** Whether it lies in bench/rivals/node_modules. */
  readonly installed: boolean;
  load(): Promise<MapEngine>;
}
