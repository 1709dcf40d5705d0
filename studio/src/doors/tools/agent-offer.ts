/**
 * Offer to a program that works as an agent: the tools that its token names, of those that agents have, about its own work unit. It
 * is shown nothing else of the studio, and learns of others only that what it names is not its own.
 */
import type { OperationParts } from '../../operations/kernel/context.js';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { callOfServer, offeredServerTools } from '../../operations/agents/server-tool-calls.js';
import { failureOf, inWords } from '../entry/errors.js';
import { tellOver } from './notices.js';
import type { Offer, OfferedTool, Tool, ToolCaller } from './offer.js';
import { boundTools, callTool } from './tools.js';

export interface AgentTables {
  readonly table: readonly NamedOperation[];
  /** Tools that only agents have. */
  readonly own: readonly NamedOperation[];
}

function listedOf({ inputJson, ...said }: ReturnType<typeof offeredServerTools>[number]): Tool {
  return { ...said, inputSchema: JSON.parse(inputJson) as Tool['inputSchema'], annotations: { openWorldHint: true } };
}

export function agentOffer({ table, own }: AgentTables, shared: OperationParts): (caller: ToolCaller) => Offer {
  const all = [...boundTools(table, 'dispatched'), ...boundTools(own, 'own')];
  return ({ caller, requestId }) => {
    const { tools: named, workUnitId = '' } = caller;
    const mine = all.filter(({ operation: { tool } }) => named === undefined || named.includes(tool ?? ''));
    const ofServers = offeredServerTools(shared, workUnitId).filter(
      ({ name }) => named === undefined || named.includes(name),
    );
    const { agentId = '' } = caller;
    return {
      tools: [...mine.map(({ listed }) => listed), ...ofServers.map(listedOf)],
      tool(name) {
        if (ofServers.some((one) => one.name === name)) {
          const call: OfferedTool['call'] = async (input, key) => {
            const asked = { agentId, workUnitId, name, input, key };
            const { text, isError } = await callOfServer(shared, asked).catch((error: unknown) => {
              return { text: inWords(failureOf(error, requestId, shared.log)), isError: true };
            });
            return { content: [{ type: 'text', text }], isError };
          };
          return { call };
        }
        const found = mine.find((one) => one.name === name);
        if (!found) return undefined;
        const call: OfferedTool['call'] = (input, key, during) => {
          const asked = { caller, requestId, key, tell: tellOver(during) };
          return callTool(found, input, asked, shared);
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
