/**
 * Offer to a program that works as an agent: the tools that its token names, of those that agents have, about its own work unit. It
 * is shown nothing else of the studio, and learns of others only that what it names is not its own.
 */
import type { OperationParts } from '../../operations/kernel/context.js';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { about } from '../entry/confine.js';
import { tellOver } from './notices.js';
import type { Offer, OfferedTool, ToolCaller } from './offer.js';
import { boundTools, callTool } from './tools.js';

export interface AgentTables {
  readonly table: readonly NamedOperation[];
  /** Tools that only agents have. */
  readonly own: readonly NamedOperation[];
}

export function agentOffer({ table, own }: AgentTables, shared: OperationParts): (caller: ToolCaller) => Offer {
  const all = [...boundTools(table, 'dispatched'), ...boundTools(own, 'own')];
  return ({ caller, requestId }) => {
    const { tools: named, workUnitId = '' } = caller;
    const mine = all.filter(({ operation: { tool } }) => named === undefined || named.includes(tool ?? ''));
    return {
      tools: mine.map(({ listed }) => listed),
      tool(name) {
        const found = mine.find((one) => one.name === name);
        if (!found) return undefined;
        const call: OfferedTool['call'] = (input, key, during) => {
          const asked = { caller, requestId, key, tell: tellOver(during) };
          return callTool(found, about(shared, found.operation, input, workUnitId), asked, shared);
        };
        return { outputSchema: found.outputSchema, call };
      },
      templates: [],
      prompts: [],
      resources: () => [],
      read: () => undefined,
      completions: () => [],
    };
  };
}
