/** What a handler works with. It holds no request, no transport and no caller: rights were checked at the door. */
import type { Ledger } from '../ledger/ledger.js';
import type { StudioLog } from '../log.js';
import type { RepositoriesView } from '../views/repositories.js';
import type { Git } from '../workspace/git.js';
import type { KeyedLane } from './keyed-lane.js';

export interface Context {
  readonly ledger: Ledger;
  readonly views: { readonly repositories: RepositoriesView };
  readonly git: Git;
  /** Keeps work on one thing in order while it looks at the disk, where no room's lane can hold it. */
  readonly lane: KeyedLane;
  readonly log: StudioLog;
  readonly now: () => string;
  readonly newId: (prefix: string) => string;
}
