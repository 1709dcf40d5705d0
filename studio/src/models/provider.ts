/** What runs a model: a conversation goes in, the model's next turn comes out. All that is known of a vendor lies behind this. */
export interface Provider {
  readonly name: string;
  /**
   * One turn of the model. Whatever goes wrong is a `ProviderError`, which says whether to ask again. Stopping the signal ends the call
   * at once, with nothing of it left running.
   */
  turn(request: ModelRequest, options: TurnOptions): Promise<ModelTurn>;
}

export interface TurnOptions {
  readonly signal: AbortSignal;
  /** Text as it comes, for people who watch. What the turn returns is the whole of it. */
  readonly onText?: (text: string) => void;
  /** The turn begins again: the text that came so far counts for nothing. */
  readonly onStartOver?: () => void;
  /** It has failed, and is asked again after a while. */
  readonly onRetry?: (retry: Retry) => void;
}

export interface Retry {
  readonly fault: ProviderError;
  /** The first is 1. */
  readonly attempt: number;
  readonly most: number;
  readonly delayMs: number;
}

export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly maxTokens: number;
  /** Where the messages stop being the same from turn to turn is where a vendor's cache may end: all but the last ones. */
  readonly stableMessages?: number;
  /** Whether calls that are slightly wrong are put right, and not asked for again. */
  readonly isLenient?: boolean;
  /** Who asks. No vendor is told: scripts and recordings go by it. */
  readonly about?: AskedFor;
}

export interface AskedFor {
  readonly role?: string;
  readonly unit?: string;
  readonly title?: string;
  /** Which turn of this unit it is, from 0 on; told by who knows it across restarts. */
  readonly turn?: number;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string; readonly isError: boolean };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ModelCall {
  readonly callId: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ModelTurn {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly stop: 'end' | 'calls' | 'length' | 'refused';
  readonly usage: ModelUsage;
}

/** Input tokens are all that were read, of which some may have come from the vendor's cache. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
}

export const PROVIDER_FAULTS = [
  'rate-limited',
  'overloaded',
  'unreachable',
  'timeout',
  'malformed',
  'too-long',
  'unauthorized',
  'refused',
  'stopped',
] as const;
export type ProviderFault = (typeof PROVIDER_FAULTS)[number];

const passing: ReadonlySet<ProviderFault> = new Set([
  'rate-limited',
  'overloaded',
  'unreachable',
  'timeout',
  'malformed',
]);

export class ProviderError extends Error {
  override readonly name = 'ProviderError';

  constructor(
    readonly fault: ProviderFault,
    message: string,
    /** How long the vendor asks to wait. */
    readonly retryAfterMs?: number,
    /** What it cost all the same. */
    readonly spent?: ModelUsage,
    /** What the vendor answered over HTTP. */
    readonly status?: number,
  ) {
    super(message);
  }

  /** Whether the same request may do better later. */
  get passing(): boolean {
    return passing.has(this.fault);
  }
}
