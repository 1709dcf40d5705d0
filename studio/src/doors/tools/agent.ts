/**
 * Tools door for agents inside this process: a model calls a tool by name and gets text.
 *
 * It never throws: whatever goes wrong is an answer, because a model cannot catch.
 */
import { randomBytes } from 'node:crypto';
import type { Caller } from '../../operations/kernel/caller.js';
import type { OperationParts } from '../../operations/kernel/context.js';
import { recordAttempt } from '../../operations/agents/attempts.js';
import { about, strangeIn } from './confine.js';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { refusal } from '../../reasons.js';
import { failureOf, toolError } from '../entry/errors.js';
import type { Tool } from './offer.js';
import { boundTools, callTool } from './tools.js';

export interface AgentDoor {
  /** Tools listed to an agent with this allow-list. */
  tools(allowed: readonly string[]): readonly Tool[];
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

export function createAgentDoor(table: readonly NamedOperation[], shared: OperationParts): AgentDoor {
  const bound = boundTools(table, 'internal');
  const byName = new Map(bound.map((tool) => [tool.name, tool]));
  const dispatched = boundTools(table, 'dispatched');
  const isAllowed = (allowed: readonly string[], name: string): boolean =>
    allowed.length === 0 || allowed.includes(name) || allowed.includes(name.replace(/^svc_v1_/, ''));
  return {
    tools: (allowed) => dispatched.filter(({ name }) => isAllowed(allowed, name)).map(({ listed }) => listed),
    async call({ agentId, workUnitId, allowed, name, input: given, key }) {
      const requestId = `req-${randomBytes(8).toString('hex')}`;
      const refused = (error: unknown): AgentAnswer => {
        const text = JSON.stringify(toolError(name, failureOf(error, requestId, shared.log)));
        return { text, isError: true };
      };
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
        return refused(refusal('reject.tool_not_allowed', `${name} is not allowed here`));
      }
      // Operations for people pass: they are refused where all such attempts are refused and recorded.
      if (!tool || !(tool.operation.dispatch || tool.operation.human))
        return refused(refusal('reject.tool_not_found', `no tool is named ${name}`));
      const input = workUnitId === undefined ? given : about(shared, tool.operation, given, workUnitId);
      const strange = workUnitId === undefined ? undefined : strangeIn(shared, tool.operation, input, workUnitId);
      if (strange !== undefined) {
        await note(`${strange} is not of its work unit`);
        return refused(refusal('reject.not_your_work', `${strange} is not of your work unit`, { workUnitId }));
      }
      const { content, isError = false } = await callTool(tool, input, { caller, requestId, key }, shared);
      const [first] = content;
      return { text: first?.type === 'text' ? first.text : '', isError };
    },
  };
}
