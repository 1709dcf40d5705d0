/** Run of a program: what it is given, and how it ended. */

export type Environment = Readonly<Record<string, string>>;

export interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** Variables that are the same for most programs. */
  readonly base: Environment;
  /** Variables of this program, before those of the base. */
  readonly environment: Environment;
  readonly input: string | Uint8Array;
  readonly onOut: (bytes: Buffer) => void;
  readonly onErr: (bytes: Buffer) => void;
}

export interface ProgramEnd {
  readonly code: number | null;
  /** Signal that ended it. Neither code nor signal: it could not be started. */
  readonly signal: string | null;
}

export interface RunningProgram {
  readonly ended: Promise<ProgramEnd>;
  /** Kills it with its process group. */
  kill(): void;
}
