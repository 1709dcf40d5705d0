/** Tool hooks port: programs or addresses of the operator that are asked before or after calls of agents' tools, and may refuse. */
export interface ToolHook {
  readonly name: string;
  readonly when: 'before' | 'after';
  /** Names of tools, with or without their prefix; `*` stands for any part of one. */
  readonly tools: readonly string[];
  /** Ids of agent profiles. Default: all. */
  readonly profiles?: readonly string[] | undefined;
  /** Folder of the user's repository that it is for. Default: all. */
  readonly repository?: string | undefined;
  readonly asks: HookProgram | HookAddress;
  /** Time limit of an answer. */
  readonly seconds: number;
  /** What becomes of a call when there is no answer. */
  readonly onFailure: 'refuse' | 'allow';
}

export interface HookProgram {
  /** Full path; the confined program sees this file, and no other beside it. */
  readonly program: string;
  readonly args: readonly string[];
}

export interface HookAddress {
  readonly url: string;
}

export type HookAnswer = { readonly allow: true } | { readonly allow: false; readonly reason: string };

export interface ToolHooks {
  readonly all: readonly ToolHook[];
  /** Asks one. Throws when there is no answer in time, or none that can be read. */
  ask(hook: ToolHook, told: Readonly<Record<string, unknown>>): Promise<HookAnswer>;
}
