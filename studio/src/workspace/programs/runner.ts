/**
 * Command runner port: builds, tests, servers. Each is a process group that ends as a whole, with the host at the latest, and
 * gets a minimal environment.
 */
import type { Network } from '../sandbox/bubblewrap.js';

/** No grace period, when everything is stopped. */
export const AT_ONCE_MS = 0;

export interface Program {
  /** Folder that it may write to. */
  readonly folder: string;
  /** Folder below that, where it begins; no link leads there. Default: the folder itself. */
  readonly below?: string;
  /** Shell command. */
  readonly command: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Whose caches of package managers it uses, such as a repository's id. Default: none are kept. */
  readonly caches?: string;
  /** Network of this very program. Default: that of all. */
  readonly network?: Network | undefined;
  /** Repository that it works for: a person may have allowed servers for its programs. */
  readonly repositoryId?: string | undefined;
  readonly timeoutMs: number;
  /** Bytes kept of each output stream. */
  readonly mostBytes: number;
  /** Receives output as it comes. */
  readonly onOutput?: (text: string) => void;
}

export interface Ended {
  /** Exit code as a shell reports it: 124 for a timeout, 128 plus the signal's number when one ended it. */
  readonly exitCode: number;
  readonly why: 'exited' | 'timed-out' | 'stopped';
  readonly stdOut: string;
  readonly stdErr: string;
  readonly truncated: boolean;
}

export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Output so far. */
  output(): string;
  /** Stops it; resolves when nothing of it is left. `graceMs` is the grace period. Default: 2 s. */
  stop(graceMs?: number): Promise<void>;
}

export interface Runner {
  run(program: Program): Promise<Running>;
}
