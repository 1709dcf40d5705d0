/**
 * A command of the command line is one constant: name, summary, flags, handler. Parsing, help and the
 * documentation loop over the table and know none by name.
 */
export interface Flag {
  readonly summary: string;
  /** Shown in help as the flag's value; a flag without one is a switch. */
  readonly value?: string;
  readonly default?: string;
  /** An empty value is a mistake, unless it says nothing else. */
  readonly mayBeEmpty?: boolean;
  /** The only values that are taken. */
  readonly choices?: readonly string[];
}

export type FlagTable = Readonly<Record<string, Flag>>;

/** A flag with a default is always there; one with a value may be absent; a switch is true or false. */
export type FlagValues<Flags extends FlagTable> = {
  readonly [Name in keyof Flags]: Flags[Name] extends { readonly default: string }
    ? string
    : Flags[Name] extends { readonly value: string }
      ? string | undefined
      : boolean;
};

/** What a command may do to the world outside. */
export interface Terminal {
  /** One line on stdout: results. */
  out(line: string): void;
  /** One line on stderr: everything else. */
  err(line: string): void;
  /** Aborted when the user wants the command to stop. */
  readonly stop: AbortSignal;
}

export interface Words {
  readonly usage: string;
  readonly summary: string;
  run(words: readonly string[], terminal: Terminal): Promise<void>;
}

export interface CliCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: FlagTable;
  /** What it does when words come instead of flags. */
  readonly words?: Words;
  run(flags: Readonly<Record<string, string | boolean | undefined>>, terminal: Terminal): Promise<void>;
}

export function cliCommand<const Flags extends FlagTable>(declaration: {
  readonly name: string;
  readonly summary: string;
  readonly flags: Flags;
  readonly words?: Words;
}) {
  return {
    run(handler: (flags: FlagValues<Flags>, terminal: Terminal) => Promise<void>): CliCommand {
      // The parser has filled every flag by its declaration.
      return { ...declaration, run: (flags, terminal) => handler(flags as FlagValues<Flags>, terminal) };
    },
  };
}

/** The user asked for something that cannot be; the message says what to do. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
