/** Askers of projections, and what the answers say. */
import type { Globs } from '../access/glob.js';
import type { Json } from '../codec/bytes/canonical-json.js';
import type { Checkpoint } from './fold.js';
import type { Row } from './rows.js';

/** Whoever asks for a projection. */
export interface Asker {
  readonly name: string;
  /** What may be read, if not everything. */
  readonly read: Globs | undefined;
}

export interface ProjectionStatus {
  readonly id: string;
  readonly spec: string;
  readonly version: string;
  readonly checkpoint: Checkpoint;
  /** Why it is not to be relied on any more. */
  readonly invalidated: string | undefined;
  /** Whether the room has been written to since. */
  readonly stale: boolean;
}

export interface Digested extends ProjectionStatus {
  /** Digest of the rows that whoever asks may read. */
  readonly digest: string;
}

export interface Listed extends ProjectionStatus {
  /** Absent where it would tell of rows that may not be read. */
  readonly digest?: string;
}

export interface ListRequest {
  readonly spec: string | undefined;
  readonly state: 'active' | 'invalidated' | 'all';
  readonly after?: string | undefined;
}

export interface Listing {
  readonly items: readonly Listed[];
  /** What the next ones stand behind. */
  readonly next: string | null;
}

export interface ProvenRow {
  readonly row: Row;
  readonly value: Json;
  /** Proof that a register holds these bytes, or a blob, under the checkpoint's hash. */
  readonly proof?: Uint8Array;
  readonly bytes?: Uint8Array;
}

export interface Reading extends Digested {
  readonly rows: readonly ProvenRow[];
  readonly limit: number;
  readonly next: string | null;
}
