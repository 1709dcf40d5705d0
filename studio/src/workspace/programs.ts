/** What the studio does in workspaces by programs of others. */
import type { Runner } from './runner.js';
import type { Runs } from './runs.js';
import type { TextSearch } from './text-search.js';

export interface Programs {
  readonly runner: Runner;
  readonly runs: Runs;
  readonly search: TextSearch;
}
