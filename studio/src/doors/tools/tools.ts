/**
 * Tool binding: how operations look as tools, and how a call runs. It knows no transport.
 *
 * Refusals are results with `isError`, in the envelope that REST errors have too. An error carries no structured content:
 * clients check that against the output schema, which describes success.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { OperationParts } from '../../operations/kernel/context.js';
import type { ExternalTool, NamedOperation } from '../../operations/kernel/define.js';
import { jsonInTurns } from '../../operations/kernel/long-results.js';
import { CONTRACT_VERSION } from '../../version.js';
import { call } from '../entry/call.js';
import { failureOf, toolError } from '../entry/errors.js';
import type { Tell } from './notices.js';
import type { Tool, ToolCaller } from './offer.js';
import { agentInputSchema, toolInputSchema, toolOutputSchema } from '../entry/schemas.js';
import type { ToolSchema } from '../entry/schemas.js';

/** Tool profile; `dispatched` is the part of the internal tools that agents see, `own` are tools that only agents have. */
export type ToolProfile = 'internal' | 'dispatched' | 'external' | 'own';

/** Tool with lazily made schemas: most are never asked for theirs. */
export interface BoundTool {
  readonly operation: NamedOperation;
  readonly name: string;
  readonly listed: Tool;
  readonly outputSchema: ToolSchema;
  readonly result: (out: unknown) => unknown;
}

export interface ToolCall extends ToolCaller {
  /** Idempotency key of the call. */
  readonly key?: string | undefined;
  readonly tell?: Tell;
}

/** Tool list of a profile, as clients see it, sorted by name. */
export function toolList(table: readonly NamedOperation[], profile: ToolProfile): readonly Tool[] {
  return boundTools(table, profile).map((tool) => tool.listed);
}

export async function callTool(
  { operation, name, result }: BoundTool,
  input: Readonly<Record<string, unknown>>,
  { caller, requestId, key, tell }: ToolCall,
  shared: OperationParts,
): Promise<CallToolResult> {
  try {
    const asked = { caller, about: input, bind: () => input, key };
    const { data, next, isRepeated = false } = await call(shared, operation, asked);
    if (isRepeated) await tell?.('info', { tool: name, message: 'this call was made before; nothing was done again' });
    const page = next === undefined ? {} : { nextCursor: next };
    const envelope = { contractVersion: CONTRACT_VERSION, data: result(data), ...page };
    return { content: [{ type: 'text', text: await jsonInTurns(envelope) }], structuredContent: envelope };
  } catch (error) {
    const failure = failureOf(error, requestId, shared.log);
    const { status, message, code, retryable } = failure;
    await tell?.(status === 500 ? 'error' : 'warning', { tool: name, code, message, retryable, requestId });
    const envelope = toolError(name, failure);
    return { content: [{ type: 'text', text: JSON.stringify(envelope) }], isError: true };
  }
}

export function boundTools(table: readonly NamedOperation[], profile: ToolProfile): BoundTool[] {
  const tools = table.flatMap((operation) => {
    if (profile === 'external') {
      const { external } = operation;
      return external === undefined ? [] : bindTool(operation, `svcs_v1_${external.name}`, profile, external);
    }
    return operation.tool === undefined || (profile === 'dispatched' && !operation.dispatch)
      ? []
      : bindTool(operation, profile === 'own' ? operation.tool : `svc_v1_${operation.tool}`, profile);
  });
  return tools.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Title for people, such as `Goal: run`. */
function titleOf({ id }: NamedOperation): string {
  const [noun = '', verb = ''] = id.replace(/^external-/, '').split('.');
  const words = `${noun.replaceAll('-', ' ')}: ${verb.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function bindTool(operation: NamedOperation, name: string, profile: ToolProfile, external?: ExternalTool): BoundTool {
  const inputSchema = profile === 'dispatched' ? agentInputSchema : toolInputSchema;
  const { out = operation.out, result = (given: unknown) => given } = external ?? {};
  const { readOnly, destructive, idempotent, openWorld } = operation.hints;
  return {
    operation,
    name,
    result,
    get outputSchema() {
      return toolOutputSchema(out);
    },
    get listed() {
      return {
        name,
        title: titleOf(operation),
        description: operation.summary,
        inputSchema: inputSchema(operation),
        // Output schemas are left out of the other lists to keep them short: a model reads what comes.
        ...(external === undefined ? {} : { outputSchema: toolOutputSchema(out) }),
        annotations: {
          readOnlyHint: readOnly,
          destructiveHint: destructive,
          idempotentHint: idempotent,
          openWorldHint: openWorld,
        },
      };
    },
  };
}
