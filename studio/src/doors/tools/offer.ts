/** Offer: what an endpoint of the tools protocol serves to one caller, without any transport. */
import type {
  CallToolResult,
  ClientCapabilities,
  GetPromptResult,
  InputRequiredResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListToolsResult,
  ReadResourceResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { Caller } from '../../operations/kernel/caller.js';
import type { ToolSchema } from '../entry/schemas.js';
import type { OfferedTask, TaskCreated } from './tasks.js';

export type Tool = ListToolsResult['tools'][number];
type Prompt = ListPromptsResult['prompts'][number];

/** Caller, as the guard identified it. */
export interface ToolCaller {
  readonly caller: Caller;
  readonly requestId: string;
}

/** Caller with the token that let the request in. */
export interface Visitor extends ToolCaller {
  /** Fingerprint of the token, never the token. */
  readonly token: string;
  /** Makes a check, to be called at any time, of whether the token is still valid. */
  watch(): () => boolean;
}

/** Call channel: over it the caller can be notified and asked something. */
export interface During extends ServerContext {
  /** Client's declared capabilities; undefined for one that is answered request by request. */
  readonly capabilities: ClientCapabilities | undefined;
  /** Aborted when nobody is waited for any more. */
  readonly ending: AbortSignal;
}

export interface OfferedTool {
  readonly outputSchema?: ToolSchema;
  /**
   * Calls a tool. `key` is the caller's idempotency key. Over `during` the caller can be told of progress; an answer may ask it
   * for more, or be a task that goes on.
   */
  call(
    input: Readonly<Record<string, unknown>>,
    key: string | undefined,
    during: During,
  ): Promise<CallToolResult | InputRequiredResult | TaskCreated>;
}

export interface OfferedPrompt extends Prompt {
  get(given: Readonly<Record<string, string>>, during: ServerContext): GetPromptResult | InputRequiredResult;
}

/** Served tools, resources and prompts. Whatever is not found is undefined. */
export interface Offer {
  readonly tools: readonly Tool[];
  tool(name: string): OfferedTool | undefined;
  /** Task by its id. Absent where no tool begins any. */
  task?(id: string): Promise<OfferedTask | undefined>;
  readonly templates: ListResourceTemplatesResult['resourceTemplates'];
  resources(): ListResourcesResult['resources'];
  read(uri: string): ReadResourceResult | undefined;
  readonly prompts: readonly OfferedPrompt[];
  /** Completions of an argument of a prompt or a resource. */
  completions(argument: string, begun: string): readonly string[];
}
