/** Usage recording: what agents read and search for. */
import { usage } from '../../record/aggregates/usage/usage.js';
import type { Change } from '../../record/ledger/change.js';

export function recordRead(change: Change, workUnitId: string, paths: readonly string[]): void {
  change.run(usage, workUnitId, 'read', { workUnitId, paths: [...paths] });
}

export interface SearchDone {
  readonly workUnitId: string;
  readonly query: string;
  readonly matchedPaths: string[];
  readonly matchCount: number;
  readonly truncated: boolean;
}

export function recordSearch(change: Change, done: SearchDone): void {
  change.run(usage, done.workUnitId, 'search', done);
}
