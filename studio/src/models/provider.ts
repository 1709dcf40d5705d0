/** Model provider port: a conversation goes in, the model's next turn comes out. All that is vendor-specific lies behind it. */
export interface Provider {
  readonly name: string;
  /**
   * Runs one turn of the model. Every failure is a `ProviderError`, which says whether to retry. Aborting the signal ends the
   * call at once and leaves nothing running.
   */
  turn(request: ModelRequest, options: TurnOptions): Promise<ModelTurn>;
  /** Tokens that the vendor counts in a request, which it is not asked. Absent where none is asked for that. Fails as a turn does. */
  readonly count?: ((request: ModelRequest, options: Pick<TurnOptions, 'signal'>) => Promise<number>) | undefined;
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
  /** Tools that are not offered, because others do the same, and answer all the same: scripts and earlier conversations know them. */
  readonly unlisted?: readonly string[];
  readonly maxTokens: number;
  /** How hard the model shall think; absent: as it does by itself. */
  readonly effort?: Effort | undefined;
  /** What the model's row of settings says about its wire; absent: what every model understands. */
  readonly ways?: Ways | undefined;
  /** Askers with the same system text and tools, for vendors that spread requests over caches by a key. */
  readonly cacheKey?: string | undefined;
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

export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** Ways of speaking in which models differ. */
export interface Ways {
  /** Wire of a vendor that has two. */
  readonly wire?: 'responses' | 'chat' | undefined;
  /** Thinking: by the model's own measure, with a budget of tokens, or not asked for. */
  readonly thinking?: 'adaptive' | { readonly budgetTokens: number } | undefined;
  /** Whether a notice may stand in the middle of a conversation as the system's word. */
  readonly systemNotices?: boolean | undefined;
}

/**
 * Message of a conversation. A notice is the host's own word in the middle of it, such as that an answer was cut: never material, and
 * kept apart from what users and tools say.
 */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'notice'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ModelCall[];
      readonly native?: NativeTurn | undefined;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string; readonly isError: boolean };

/**
 * Native turn: what a vendor said in a turn, in its own form and order, with reasoning, signatures and fields that are unknown here. It
 * goes back to the same model unmodified; another one is told text and calls alone.
 */
export interface NativeTurn {
  readonly vendor: string;
  readonly model: string;
  readonly items: readonly NativeItem[];
  /** Whether the vendor takes it only behind what it was said after. */
  readonly isBound: boolean;
}

export interface NativeItem {
  /** The vendor's own item. Absent where the call says everything. */
  readonly item?: unknown;
  /** Call that stands in this place, by its id in the turn. */
  readonly callId?: string | undefined;
}

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
  readonly stop: Stop;
  readonly usage: ModelUsage;
  readonly native?: NativeTurn | undefined;
  /** Call in the middle of which the answer was cut. It is none of `calls`. */
  readonly cut?: CutCall | undefined;
  /** Why the vendor says that the model refuses. */
  readonly refusal?: string | undefined;
}

/**
 * Why a turn ended: the model is done, or wants tools; its answer reached the token limit, or the window was full; it refuses; it pauses,
 * and goes on when its own words are sent back.
 */
export const STOPS = ['end', 'calls', 'length', 'full', 'refused', 'paused'] as const;
export type Stop = (typeof STOPS)[number];

export interface CutCall {
  readonly tool: string;
  /** Characters of its input that came. */
  readonly characters: number;
}

/** Token counts. Input tokens are all that were read, including those from the vendor's cache. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  /** Input tokens that were written to the vendor's cache, where that has a price of its own. */
  readonly cacheWriteTokens?: number | undefined;
  /** Output tokens, thinking included. */
  readonly outputTokens: number;
  /** Cost in millionths of a dollar, where whoever answers says it. Absent: by the model's price. */
  readonly microUsd?: number | undefined;
}

export const PROVIDER_FAULTS = [
  'rate-limited',
  // A limit of spending: it ends when a person raises it, or the vendor's month does.
  'spent-out',
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

export interface FaultDetails {
  /** Wait that the vendor asks for. */
  readonly retryAfterMs?: number | undefined;
  /** Usage of the failed call. */
  readonly spent?: ModelUsage | undefined;
  /** HTTP status. */
  readonly status?: number | undefined;
  /** The vendor's own stable name of the error. */
  readonly code?: string | undefined;
}

export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly retryAfterMs: number | undefined;
  readonly spent: ModelUsage | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;

  constructor(
    readonly fault: ProviderFault,
    message: string,
    { retryAfterMs, spent, status, code }: FaultDetails = {},
  ) {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.spent = spent;
    this.status = status;
    this.code = code;
  }

  /** Whether the same request may succeed later. */
  get passing(): boolean {
    return passing.has(this.fault);
  }
}
