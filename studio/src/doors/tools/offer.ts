/** What an endpoint of the tools protocol offers to one caller, and how it answers. Whoever offers knows no transport. */
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

export type Tool = ListToolsResult['tools'][number];
type Prompt = ListPromptsResult['prompts'][number];

/** Who calls, as the guard found out. */
export interface ToolCaller {
  readonly caller: Caller;
  readonly requestId: string;
}

/** A caller with the token that let the request in. */
export interface Visitor extends ToolCaller {
  /** What the token is recognized by, never itself. */
  readonly token: string;
  /** Gives who says, whenever asked, whether the token would still let one in. */
  watch(): () => boolean;
}

/** What there is beside a call: over it the caller can be told and asked something. */
export interface During extends ServerContext {
  /** What the client said that it can do. Of one that is answered request by request, nothing is known. */
  readonly capabilities: ClientCapabilities | undefined;
  /** Over when nobody is waited for any more. */
  readonly ending: AbortSignal;
}

export interface OfferedTool {
  readonly outputSchema?: ToolSchema;
  /**
   * `key` is what the caller named the call, to be able to repeat it. Over `during` the caller can be told how far it is; an
   * answer may ask the caller for more.
   */
  call(
    input: Readonly<Record<string, unknown>>,
    key: string | undefined,
    during: During,
  ): Promise<CallToolResult | InputRequiredResult>;
}

export interface OfferedPrompt extends Prompt {
  get(given: Readonly<Record<string, string>>, during: ServerContext): GetPromptResult | InputRequiredResult;
}

/** Whatever is not found is undefined. */
export interface Offer {
  readonly tools: readonly Tool[];
  tool(name: string): OfferedTool | undefined;
  readonly templates: ListResourceTemplatesResult['resourceTemplates'];
  resources(): ListResourcesResult['resources'];
  read(uri: string): ReadResourceResult | undefined;
  readonly prompts: readonly OfferedPrompt[];
  /** What an argument of a prompt or a resource may be, that begins so. */
  completions(argument: string, begun: string): readonly string[];
}
