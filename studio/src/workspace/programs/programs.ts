/** Program ports: everything in workspaces that needs programs of others. */
import type { Runner } from './runner.js';
import type { Commands } from './commands.js';
import type { Runs } from './runs.js';
import type { Symbols } from '../symbols/symbols.js';
import type { TextSearch } from '../files/text-search.js';
import type { Confined } from '../sandbox/confinement.js';
import type { ToolServers } from '../tool-servers/tool-servers.js';
import type { ToolHooks } from '../tool-hooks/tool-hooks.js';
import type { SetUps } from '../set-ups/set-ups.js';
import type { UnderWay } from './under-way.js';

export interface Programs {
  readonly runner: Runner;
  readonly runs: Runs;
  readonly commands: Commands;
  readonly underWay: UnderWay;
  /** What confines them. */
  readonly confined: Confined;
  /** Servers of tools, which may be programs of this machine. */
  readonly servers: ToolServers;
  /** Hooks of the operator around calls of tools. */
  readonly hooks: ToolHooks;
  /** Scripts of the operator that are run before agents work in a folder. */
  readonly setUps: SetUps;
  readonly search: TextSearch;
  readonly symbols: Symbols;
}
