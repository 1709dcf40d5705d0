/**
 * The tools door for agents inside this process: what a model asks for by name, answered as text that it can read.
 *
 * It never throws: whatever goes wrong is an answer, because a model cannot catch.
 */
import { randomBytes } from 'node:crypto';
import type { Caller } from '../../operations/kernel/caller.js';
import type { Shared } from '../../operations/kernel/context.js';
import { recordAttempt } from '../../operations/agents/attempts.js';
import { about, strangeIn } from './confine.js';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { refusal } from '../../reasons.js';
import { failureOf, toolError } from '../entry/errors.js';
import type { Tool } from './offer.js';
import { boundTools, callTool } from './tools.js';

export interface AgentDoor {
  /** The tools that an agent with this list is told of. */
  tools(allowed: readonly string[]): readonly Tool[];
  call(asked: AgentCall): Promise<AgentAnswer>;
}

export interface AgentCall {
  readonly agentId: string;
  /** The work unit that the agent works on: it changes nothing else. Without one it is held to its tools alone. */
  readonly workUnitId?: string;
  /** Names of tools, with or without their prefix. Empty: all that are dispatched. */
  readonly allowed: readonly string[];
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Names the call, so that it can be repeated without harm. */
  readonly key?: string;
}

export interface AgentAnswer {
  /** The envelope that a tool call over the protocol would give. */
  readonly text: string;
  readonly isError: boolean;
}

export function createAgentDoor(table: readonly NamedOperation[], shared: Shared): AgentDoor {
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
      // Before anything is looked at: what a person did not allow this agent is not even told apart.
      const tool = byName.get(name);
      const caller: Caller = { name: `agent:${agentId}`, kind: 'agent', scope: 'operate', internal: true, agentId };
      const note = async (reason: string): Promise<void> => {
        if (tool)
          await recordAttempt(shared, caller, { operation: tool.operation.id, input: given, workUnitId, reason });
      };
      if (!isAllowed(allowed, name)) {
        await note('the tool is not among those that the agent was allowed');
        return refused(refusal('reject.tool_not_allowed', `${name} is not allowed here`));
      }
      // What is for people goes on: it is refused where all such attempts are, and recorded.
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
