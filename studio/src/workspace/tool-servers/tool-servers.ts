/** Port to servers of tools, which programs and services of others are: they may be down, slow, or lie. */
import type { Network } from '../sandbox/bubblewrap.js';

/** How a server is reached: as a program that is started here, or at an address. */
export type Reach =
  | {
      readonly command: readonly string[];
      /** Folder that it begins in and may write to. Absent: an empty one of its own. */
      readonly folder?: string;
      readonly network: Network;
      readonly environment: Readonly<Record<string, string>>;
    }
  | { readonly url: string; readonly token?: string };

/** Tool as its server describes it. */
export interface ServedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Digest of everything that is said of it. */
  readonly digest: string;
}

export interface ServerAsked {
  /** Server and for whom: a connection is kept for both together. */
  readonly server: string;
  readonly workUnitId: string;
  readonly reach: Reach;
  readonly tool: string;
  /** Digest of the tool that was allowed: another one is not called. */
  readonly digest: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ServerAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** All refuse with reasons of tool servers. */
export interface ToolServers {
  /** Tools of a server that is begun, or reached, for this question alone. */
  list(reach: Reach, timeoutMs: number): Promise<readonly ServedTool[]>;
  call(asked: ServerAsked): Promise<ServerAnswer>;
  /** Ends all connections that were kept for a unit. */
  end(workUnitId: string): void;
}
