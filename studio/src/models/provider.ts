/** Model provider port: a conversation goes in, the model's next turn comes out. All that is vendor-specific lies behind it. */
export interface Provider {
  readonly name: string;
  /**
   * Runs one turn of the model. Every failure is a `ProviderError`, which says whether to retry. Aborting the signal ends the
   * call at once and leaves nothing running.
   */
  turn(request: ModelRequest, options: TurnOptions): Promise<ModelTurn>;
}

export interface TurnOptions {
  readonly signal: AbortSignal;
  /** Streamed text, for people who watch. The turn returns all of it. */
  readonly onText?: (text: string) => void;
  /** Restart of the turn: the text streamed so far is void. */
  readonly onStartOver?: () => void;
  /** Retry: the turn has failed, and is asked again after a while. */
  readonly onRetry?: (retry: Retry) => void;
}

export interface Retry {
  readonly fault: ProviderError;
  /** Number of the attempt, from 1. */
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
  /** Number of leading messages that stay the same from turn to turn, as a vendor's cache needs to know. */
  readonly stableMessages?: number;
  /** Whether malformed tool calls are repaired rather than asked for again. */
  readonly isLenient?: boolean;
  /** Asker, for scripts and recordings. No vendor is told. */
  readonly about?: AskedFor;
}

export interface AskedFor {
  readonly role?: string;
  readonly unit?: string;
  readonly title?: string;
  /** Number of the unit's turn, from 0, counted across restarts. */
  readonly turn?: number;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string; readonly isError: boolean };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of an object. */
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

/** Token counts. Input tokens are all that were read, including those from the vendor's cache. */
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
    /** Wait that the vendor asks for. */
    readonly retryAfterMs?: number,
    /** Usage of the failed call. */
    readonly spent?: ModelUsage,
    /** HTTP status. */
    readonly status?: number,
  ) {
    super(message);
  }

  /** Whether the same request may succeed later. */
  get passing(): boolean {
    return passing.has(this.fault);
  }
}
