/** What agents can do to the world: tools by name. Whoever gives them out decides what they may. */
export interface Tools {
  /** Those that an agent with this list is told of. An empty list allows all. */
  tools(allowed: readonly string[]): readonly ToolListed[];
  /** Never throws: whatever goes wrong is an answer that a model can read. */
  call(asked: ToolCall): Promise<ToolAnswer>;
}

export interface ToolListed {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  readonly agentId: string;
  /** The work unit that the agent works on: it may change nothing else. */
  readonly workUnitId: string;
  readonly allowed: readonly string[];
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Names the call, so that it can be repeated without harm. */
  readonly key: string;
}

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}
