/** Sources of projections, and what they are asked about. */
import type { Feed } from '../record/ledger/feed.js';
import { refusal } from '../reasons.js';
import { type Executions, executionsOf } from '../record/views/executions.js';
import { type Progress, progressOf } from '../record/views/progress.js';
import { type Proposals, proposalsOf } from '../record/views/proposals.js';
import type { Records } from '../record/views/records.js';

export interface Sources {
  readonly records: Records;
  readonly feed: Feed;
  readonly proposals: Proposals;
  readonly executions: Executions;
  readonly progress: Progress;
}

export function sourcesOf({ records, feed }: { readonly records: Records; readonly feed: Feed }): Sources {
  const [proposals, executions, progress] = [proposalsOf(records), executionsOf(records), progressOf(records)];
  return { records, feed, proposals, executions, progress };
}

export interface About {
  readonly workUnitId?: string | undefined;
  readonly branchId?: string | undefined;
  readonly agentId?: string | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export type View = Readonly<Record<string, unknown>>;
export type Projection = (sources: Sources, about: About) => View;

export function needed(about: About, field: keyof About): string {
  const value = about[field];
  if (value !== undefined) return value;
  throw refusal('reject.invalid_input', `${field}: this projection needs it`, [{ field, message: 'is needed' }]);
}
