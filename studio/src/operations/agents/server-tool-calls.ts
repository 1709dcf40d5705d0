/** Tools of servers, for the doors that agents have: which are offered for a unit, and a call in an agent's name. */
import {
  type OfferedServerTool,
  type ServerToolCall,
  callServerTool,
  isServerTool,
  serverToolsFor,
} from '../../rules/runs/server-tools.js';
import type { ServerAnswer } from '../../workspace/tool-servers/tool-servers.js';
import { hooked } from './hooked-calls.js';
import type { OperationParts } from '../kernel/context.js';

export function offeredServerTools({ records }: OperationParts, workUnitId: string): readonly OfferedServerTool[] {
  return serverToolsFor(records, workUnitId);
}

/** Whether a name can be that of such a tool. No tool of the studio is called so. */
export function isOfServer(name: string): boolean {
  return isServerTool(name);
}

export function callOfServer(shared: OperationParts, asked: ServerToolCall): Promise<ServerAnswer> {
  const { ledger, credentials } = shared;
  const context = {
    ...shared,
    change: <T>(work: Parameters<typeof ledger.change<T>>[1]) => ledger.change(`agent:${asked.agentId}`, work),
    keyOf: (credentialRef: string) => credentials.keyOf(credentialRef),
  };
  return hooked(
    shared,
    asked,
    () => callServerTool(context, asked),
    ({ text }) => text,
  );
}
