/**
 * Tools door for agents inside this process: a model calls a tool by name and gets text.
 *
 * It never throws: whatever goes wrong is an answer, because a model cannot catch.
 */
import { randomBytes } from 'node:crypto';
import type { Caller } from '../../operations/kernel/caller.js';
import type { OperationParts } from '../../operations/kernel/context.js';
import { recordAttempt } from '../../operations/agents/attempts.js';
import { strangeIn, withOwnWork } from '../entry/confine.js';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { refusal } from '../../reasons.js';
import { callOfServer, isOfServer, offeredServerTools } from '../../operations/agents/server-tool-calls.js';
import { call as answerTo } from '../entry/call.js';
import { failureOf, inWords, toolError } from '../entry/errors.js';
import type { Tool } from './offer.js';
import { type BoundTool, boundTools, callTool } from './tools.js';

export interface AgentDoor {
  /** Tools listed to an agent with this allow-list. */
  tools(allowed: readonly string[]): readonly Tool[];
  /** Names of tools that answer and are not listed, since listed ones do the same. */
  unlisted(allowed: readonly string[]): readonly string[];
  /** Tools of servers that people have added for who works on this unit. */
  ofServers(workUnitId: string): ReturnType<typeof offeredServerTools>;
  call(asked: AgentCall): Promise<AgentAnswer>;
}

export interface AgentCall {
  readonly agentId: string;
  /** Work unit of the agent: it may change nothing else. Without one the agent is limited by its tools alone. */
  readonly workUnitId?: string;
  /** Allow-list of tools, with or without their prefix. Empty: all that are dispatched. */
  readonly allowed: readonly string[];
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Idempotency key of the call. */
  readonly key?: string;
}

export interface AgentAnswer {
  /** Answer envelope, as a tool call over the protocol gives it. */
  readonly text: string;
  readonly isError: boolean;
}

/** Tools of agents alone, beside those of the contract. */
export interface OwnTools {
  readonly table: readonly NamedOperation[];
  /** By the name of such a tool: those of the contract that are not listed where it is. */
  readonly shownInstead: Readonly<Record<string, readonly string[]>>;
}

const NO_TOOLS: OwnTools = { table: [], shownInstead: {} };

export function createAgentDoor(
  table: readonly NamedOperation[],
  shared: OperationParts,
  own: OwnTools = NO_TOOLS,
): AgentDoor {
  const ownTools = boundTools(own.table, 'own');
  const ownNames = new Set(ownTools.map(({ name }) => name));
  const byName = new Map([...boundTools(table, 'internal'), ...ownTools].map((tool) => [tool.name, tool]));
  const dispatched = [...boundTools(table, 'dispatched'), ...ownTools];
  const isAllowed = (allowed: readonly string[], name: string): boolean =>
    allowed.length === 0 || allowed.includes(name) || allowed.includes(name.replace(/^svc_v1_/, ''));
  /** Whether a tool of the contract is left out of the list, because one that is listed does the same. */
  const leftOut = (allowed: readonly string[]): ((tool: BoundTool) => boolean) => {
    const names = ownTools
      .filter(({ name }) => isAllowed(allowed, name))
      .flatMap(({ name }) => own.shownInstead[name] ?? []);
    return ({ operation, name }) => !ownNames.has(name) && names.includes(operation.tool ?? '');
  };
  const namesFor = (allowed: readonly string[]): string => {
    const isLeftOut = leftOut(allowed);
    const listed = dispatched.filter((tool) => isAllowed(allowed, tool.name) && !isLeftOut(tool));
    return listed.map(({ name }) => name).join(', ') || 'none';
  };
  return {
    tools: (allowed) => {
      const isLeftOut = leftOut(allowed);
      return dispatched.flatMap((tool) => (isAllowed(allowed, tool.name) && !isLeftOut(tool) ? tool.listed : []));
    },
    unlisted: (allowed) => {
      const isLeftOut = leftOut(allowed);
      return dispatched.flatMap((tool) => (isAllowed(allowed, tool.name) && isLeftOut(tool) ? tool.name : []));
    },
    ofServers: (workUnitId) => offeredServerTools(shared, workUnitId),
    async call({ agentId, workUnitId, allowed, name, input: given, key }) {
      const requestId = `req-${randomBytes(8).toString('hex')}`;
      const refused = (error: unknown): AgentAnswer => {
        const failure = failureOf(error, requestId, shared.log);
        return {
          text: ownNames.has(name) ? inWords(failure) : JSON.stringify(toolError(name, failure)),
          isError: true,
        };
      };
      if (isOfServer(name) && workUnitId !== undefined) {
        return callOfServer(shared, { agentId, workUnitId, name, input: given, key }).catch((error: unknown) => {
          return { text: inWords(failureOf(error, requestId, shared.log)), isError: true };
        });
      }
      // Checked first: a tool that a person did not allow is not told apart from one that does not exist.
      const tool = byName.get(name);
      const granted = allowed.map((one) => one.replace(/^svc_v1_/, ''));
      const caller: Caller = {
        name: `agent:${agentId}`,
        kind: 'agent',
        scope: 'operate',
        internal: true,
        agentId,
        granted,
      };
      const note = async (reason: string): Promise<void> => {
        if (tool)
          await recordAttempt(shared, caller, { operation: tool.operation.id, input: given, workUnitId, reason });
      };
      if (!isAllowed(allowed, name)) {
        await note('the tool is not among those that the agent was allowed');
        return refused(
          refusal(
            'reject.tool_not_allowed',
            `${name.slice(0, 100)} is not allowed here; there are ${namesFor(allowed)}`,
          ),
        );
      }
      // Operations for people pass: they are refused where all such attempts are refused and recorded.
      if (!tool || !(tool.operation.dispatch || tool.operation.human))
        return refused(refusal('reject.tool_not_found', `no tool is named ${name}`));
      const input = workUnitId === undefined ? given : withOwnWork(shared, tool.operation, given, workUnitId);
      const strange = workUnitId === undefined ? undefined : strangeIn(shared, tool.operation, input, workUnitId);
      if (strange !== undefined) {
        await note(`${strange} is not of its work unit`);
        return refused(refusal('reject.not_your_work', `${strange} is not of your work unit`, { workUnitId }));
      }
      if (ownNames.has(name)) {
        try {
          const { data } = await answerTo(shared, tool.operation, { caller, about: input, bind: () => input, key });
          return { text: textOf(data), isError: false };
        } catch (error) {
          return refused(error);
        }
      }
      const { content, isError = false } = await callTool(tool, input, { caller, requestId, key }, shared);
      const [first] = content;
      return { text: first?.type === 'text' ? first.text : '', isError };
    },
  };
}

function textOf(data: unknown): string {
  return typeof data === 'object' && data !== null && 'text' in data && typeof data.text === 'string' ? data.text : '';
}
