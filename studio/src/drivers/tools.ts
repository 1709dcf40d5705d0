/** Tools port: what agents can do, by name. Whoever supplies it decides what is allowed. */
export interface Tools {
  /** Tools listed to an agent with this allow-list. An empty list allows all. */
  tools(allowed: readonly string[]): readonly ToolListed[];
  /** Names of tools that answer and are not listed, since listed ones do the same. */
  unlisted(allowed: readonly string[]): readonly string[];
  /** Tools of servers that people have added for who works on this unit. */
  ofServers(workUnitId: string): readonly ServerToolListed[];
  /** Calls a tool. Never throws: whatever goes wrong is an answer that a model can read. */
  call(asked: ToolCall): Promise<ToolAnswer>;
}

export interface ToolListed {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ServerToolListed {
  readonly name: string;
  readonly description: string;
  /** JSON schema of its input, as text. */
  readonly inputJson: string;
}

export interface ToolCall {
  readonly agentId: string;
  /** Work unit of the agent: it may change nothing else. */
  readonly workUnitId: string;
  readonly allowed: readonly string[];
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Idempotency key of the call. */
  readonly key: string;
}

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}
