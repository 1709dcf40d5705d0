/** Programs as processes of this machine, below the studio's own folder. */
import { join, resolve } from 'node:path';
import { NodeProcesses, type ProcessOptions } from './node-processes.js';
import { nodeRunner } from './node-runner.js';
import { NodeSymbols, type SymbolsOptions } from '../symbols/node-symbols.js';
import { nodeTextSearch } from '../files/node-text-search.js';
import type { Programs } from './programs.js';
import { Commands } from './commands.js';
import { Runs } from './runs.js';
import { confinedBy } from '../sandbox/confinement.js';
import { McpServers, type ToolServerOptions } from '../tool-servers/mcp-servers.js';
import { NodeToolHooks } from '../tool-hooks/node-tool-hooks.js';
import type { ToolHook } from '../tool-hooks/tool-hooks.js';
import { NodeSetUps } from '../set-ups/node-set-ups.js';
import type { SetUp } from '../set-ups/set-ups.js';
import { UnderWay } from './under-way.js';

export async function nodePrograms(
  folder: string,
  options: ProcessOptions &
    SymbolsOptions &
    ToolServerOptions & { readonly hooks?: readonly ToolHook[]; readonly setUps?: readonly SetUp[] } = {},
): Promise<Programs & { close(): Promise<void> }> {
  const processes = new NodeProcesses(resolve(folder), options);
  await processes.recover();
  const runner = nodeRunner(processes);
  const servers = new McpServers(processes, join(resolve(folder), 'server-folders'), options);
  await servers.recover();
  const hooks = new NodeToolHooks(processes, join(resolve(folder), 'hook-folders'), options.hooks);
  await hooks.recover();
  const setUps = new NodeSetUps(join(resolve(folder), 'set-ups'), options.setUps);
  await setUps.recover();
  const underWay = new UnderWay();
  return {
    runner,
    runs: new Runs(runner),
    commands: new Commands(runner),
    underWay,
    confined: confinedBy(options.confinement ?? { kind: 'unconfined' }, [], options.groups),
    servers,
    hooks,
    setUps,
    symbols: new NodeSymbols(processes, options),
    search: await nodeTextSearch(processes),
    close: async () => {
      underWay.close();
      await servers.close();
      await processes.close();
    },
  };
}
