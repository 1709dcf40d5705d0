/**
 * Operations as tools: what a client is shown of each, and what a call comes to. Knows no transport.
 *
 * Refusals are results with `isError`, in the envelope that REST errors have too. An error carries no structured content:
 * clients check that against the output schema, which describes success.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Shared } from '../operations/context.js';
import type { NamedOperation } from '../operations/define.js';
import { CONTRACT_VERSION } from '../version.js';
import { call } from './call.js';
import { failureOf, toolError } from './errors.js';
import type { Tool, ToolCaller } from './offer.js';
import { toolInputSchema, toolOutputSchema } from './schemas.js';
import type { ToolSchema } from './schemas.js';

/** `dispatched` is what agents see of the internal tools. */
export type ToolProfile = 'internal' | 'dispatched' | 'external';

export interface BoundTool {
  readonly operation: NamedOperation;
  readonly listed: Tool;
  readonly outputSchema: ToolSchema;
  readonly result: (out: unknown) => unknown;
}

export interface ToolCall extends ToolCaller {
  /** What the caller named the call, to be able to repeat it. */
  readonly key?: string | undefined;
}

/** The tools of a profile as clients see them, sorted by name. */
export function toolList(table: readonly NamedOperation[], profile: ToolProfile): readonly Tool[] {
  const listed = boundTools(table, profile).map((tool) => tool.listed);
  if (profile === 'external') return listed;
  // A model reads what comes, whatever its schema; leaving that out is what keeps these lists short.
  return listed.map(({ outputSchema: _outputSchema, ...tool }) => tool);
}

export async function callTool(
  { operation, listed, result }: BoundTool,
  input: Readonly<Record<string, unknown>>,
  { caller, requestId, key }: ToolCall,
  shared: Shared,
): Promise<CallToolResult> {
  try {
    const { data, next } = await call(shared, operation, input, { caller, key });
    const page = next === undefined ? {} : { nextCursor: next };
    const envelope = { contractVersion: CONTRACT_VERSION, data: result(data), ...page };
    return { content: [{ type: 'text', text: JSON.stringify(envelope) }], structuredContent: envelope };
  } catch (error) {
    const envelope = toolError(listed.name, failureOf(error, requestId, shared.log));
    return { content: [{ type: 'text', text: JSON.stringify(envelope) }], isError: true };
  }
}

/** Making schemas costs far more than using them, and they are always the same. */
const bound = new WeakMap<NamedOperation, Map<string, BoundTool>>();

export function boundTools(table: readonly NamedOperation[], profile: ToolProfile): BoundTool[] {
  const tools = table.flatMap((operation) => {
    if (profile === 'external') {
      const { external } = operation;
      return external === undefined
        ? []
        : bindTool(operation, `svcs_v1_${external.name}`, external.out, external.result);
    }
    return operation.tool === undefined || (profile === 'dispatched' && !operation.dispatch)
      ? []
      : bindTool(operation, `svc_v1_${operation.tool}`, operation.out, (out) => out);
  });
  return tools.sort((a, b) => (a.listed.name < b.listed.name ? -1 : 1));
}

function bindTool(operation: NamedOperation, name: string, out: z.ZodType, result: BoundTool['result']): BoundTool {
  const known = bound.get(operation) ?? new Map<string, BoundTool>();
  bound.set(operation, known);
  const tool = known.get(name) ?? makeTool(operation, name, out, result);
  known.set(name, tool);
  return tool;
}

function makeTool(operation: NamedOperation, name: string, out: z.ZodType, result: BoundTool['result']): BoundTool {
  const outputSchema = toolOutputSchema(out);
  const { readOnly, destructive, idempotent, openWorld } = operation.hints;
  const listed = {
    name,
    description: operation.summary,
    inputSchema: toolInputSchema(operation),
    outputSchema,
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  };
  return { operation, listed, outputSchema, result };
}
