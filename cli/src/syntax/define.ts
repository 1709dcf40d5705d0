/**
 * A command of the command line is one constant: name, summary, flags, handler. Parsing, help and the
 * documentation loop over the table and know none by name.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '@weft/core';

export interface Flag {
  readonly summary: string;
  /** Shown in help as the flag's value; a flag without one is a switch. */
  readonly value?: string;
  readonly default?: string;
  /** Variable of the environment that counts where the flag is not given. */
  readonly variable?: string;
  /** The default where more than the command line decides: shown, not filled in. */
  readonly initially?: string;
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

export type Style = 'bold' | 'green' | 'red';

/** What a command may do to the world outside. */
export interface Terminal {
  /** Whether somebody looks at stderr, and likes colours. */
  readonly isInteractive: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Opens stdin: lines of the program that runs this one. */
  input(): Readable;
  /** One line on stdout: results. */
  out(line: string): void;
  /** One line on stderr: everything else. */
  err(line: string): void;
  /** What holds for the moment, on stderr until the next line or the next such text; only where somebody looks. */
  status(text: string): void;
  /** Text for stdout, with colours where somebody looks who likes them. */
  paint(style: Style, text: string): string;
  /** Aborted when the user wants the command to stop. */
  readonly stop: AbortSignal;
  /** By which a command counts how long it has waited for an answer. */
  readonly clock: Clock;
}

export interface Words {
  readonly usage: string;
  readonly summary: string;
  run(words: readonly string[], terminal: Terminal): Promise<void>;
}

export interface CliCommand {
  /** One word, or a noun and a verb. */
  readonly name: string;
  readonly summary: string;
  /** What has to follow the name, by what stands for it in help: `folder`. */
  readonly operands?: readonly string[];
  readonly flags: FlagTable;
  /** What it does when words come instead of flags. */
  readonly words?: Words;
  run(
    flags: Readonly<Record<string, string | boolean | undefined>>,
    terminal: Terminal,
    operands: readonly string[],
  ): Promise<void>;
}

export function cliCommand<
  const Flags extends FlagTable,
  const Operands extends readonly string[] = readonly [],
>(declaration: {
  readonly name: string;
  readonly summary: string;
  readonly operands?: Operands;
  readonly flags: Flags;
  readonly words?: Words;
}) {
  type Given = { readonly [Index in keyof Operands]: string };
  return {
    run(handler: (flags: FlagValues<Flags>, terminal: Terminal, operands: Given) => Promise<void>): CliCommand {
      return {
        ...declaration,
        // The parser has filled every flag and operand by its declaration.
        run: (flags, terminal, operands) => handler(flags as FlagValues<Flags>, terminal, operands as Given),
      };
    },
  };
}

/** The user asked for something that cannot be; the message says what to do. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
