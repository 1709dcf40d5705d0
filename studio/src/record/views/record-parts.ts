/**
 * Dependencies of work on the record, smallest first. `RecordParts` is for what serves the whole host and says itself in whose name
 * it changes something; `RecordContext` is for work in the name of one caller. Wider ones extend these, and are named for what they add.
 */
import type { Change } from '../ledger/change.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Records } from './records.js';

export interface RecordParts {
  readonly ledger: Ledger;
  readonly records: Records;
}

export interface RecordContext {
  readonly records: Records;
  /** Runs one change, signed with the caller's name. */
  change<T>(work: (change: Change) => T): Promise<T>;
}
