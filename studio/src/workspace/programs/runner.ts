/**
 * Programs of others that the studio runs: builds, tests, servers. Each has a group of its own, which ends with it and with the
 * host, and is told nothing that it need not know.
 */
/** For a program that nobody wants any more: whoever stops everything waits for nothing. */
export const AT_ONCE_MS = 0;

export interface Program {
  readonly folder: string;
  /** What a shell reads. */
  readonly command: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** How much of its output is kept, of each stream. */
  readonly mostBytes: number;
  /** Told what it writes, as it comes. */
  readonly onOutput?: (text: string) => void;
}

export interface Ended {
  /** As a shell says it: 124 when it took too long, 128 and the signal's number when one ended it. */
  readonly exitCode: number;
  readonly why: 'exited' | 'timed-out' | 'stopped';
  readonly stdOut: string;
  readonly stdErr: string;
  readonly truncated: boolean;
}

export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What it has written until now. */
  output(): string;
  /** Resolves when nothing of it is left. `graceMs` is how long it may take to end by itself. Default: 2 s. */
  stop(graceMs?: number): Promise<void>;
}

export interface Runner {
  run(program: Program): Promise<Running>;
}
