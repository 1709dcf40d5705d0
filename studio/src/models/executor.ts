/**
 * Executor port: an agent program that works by itself in a folder, with tools of its own, and reaches the studio by tools over HTTP. A
 * run goes from one prompt to where the program ends its turn; what it does meanwhile is heard as it comes.
 */
import type { Effort, ModelTurn, ModelUsage } from './provider.js';

export interface Executor {
  /** Name of its kind, as profiles name it. */
  readonly name: string;
  readonly abilities: Abilities;
  /** What its usage is of: the run, or its session from the beginning, with all runs before. */
  readonly counts: 'run' | 'session';
  /**
   * Runs the program until it ends its turn. Every failure is a `ProviderError`. Aborting the signal ends the program at once and leaves
   * nothing running.
   */
  run(assignment: Assignment, options: ExecutorOptions): Promise<ModelTurn>;
}

/** What an executor does, as it is run here: what a program could do otherwise does not count. */
export interface Abilities {
  /** It tells of its turns while they go on. */
  readonly turnTelemetry: boolean;
  /** It goes on in the session that it is given. */
  readonly resume: boolean;
  /** It asks before it uses a tool of its own. */
  readonly hooks: boolean;
  /** It takes on agents of its own. */
  readonly subAgents: boolean;
  /** It takes tools over MCP. */
  readonly mcp: boolean;
  /** It plans without writing. */
  readonly planningMode: boolean;
}

/** Abilities of what is not there, or cannot be started. */
export const NO_ABILITIES: Abilities = {
  turnTelemetry: false,
  resume: false,
  hooks: false,
  subAgents: false,
  mcp: false,
  planningMode: false,
};

export interface Assignment {
  readonly model: string;
  readonly effort?: Effort | undefined;
  /** Folder of the branch. */
  readonly folder: string;
  /** Repository of that, for whose programs a person may have allowed servers. */
  readonly repositoryId?: string | undefined;
  /** Folder in which the program keeps its settings and sessions, for this unit alone. */
  readonly home: string;
  readonly door: ToolsOverHttp;
  /** What the agent is, said where its session begins. */
  readonly system: string;
  readonly prompt: string;
  /** Session to go on with. */
  readonly session?: string | undefined;
  /** Whether the program is given its key. */
  readonly isKeyed: boolean;
}

/** Tools of the studio, as the program reaches them. */
export interface ToolsOverHttp {
  readonly url: string;
  readonly token: string;
  readonly tools: readonly string[];
}

export interface ExecutorOptions {
  readonly signal: AbortSignal;
  readonly hear: (heard: Heard) => void;
}

/** What is heard of a program at work. */
export type Heard =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'said'; readonly text: string }
  /** Piece of what it is about to say, for whoever watches: the whole comes as said. */
  | { readonly kind: 'saying'; readonly text: string }
  | { readonly kind: 'called'; readonly call: ProgramCall }
  | { readonly kind: 'answered'; readonly callId: string; readonly text: string; readonly isError: boolean }
  /** What the run, or its session, has used so far, all of it. */
  | { readonly kind: 'used'; readonly usage: ModelUsage };

/** Call of a tool by a program, of its own or of the studio. */
export interface ProgramCall {
  readonly callId: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether it changes files. */
  readonly writes: boolean;
}

export const NO_USAGE: ModelUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
