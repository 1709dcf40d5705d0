/**
 * A command of the command line is one constant, with flags and handler, and a row of the table, with name and summary.
 * Parsing, help and the documentation loop over the table and know none by name.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '@weft/core';

export interface Flag {
  readonly summary: string;
  /** Placeholder for the flag's value in help; a flag without one is a switch. */
  readonly value?: string;
  readonly default?: string;
  /** Variable of the environment that counts where the flag is not given. */
  readonly variable?: string;
  /** Default that help shows and the parser does not fill in, where more than the command line decides. */
  readonly initially?: string;
  /** Whether an empty value is accepted; otherwise it is a mistake. */
  readonly mayBeEmpty?: boolean;
  /** The only values that are taken. */
  readonly choices?: readonly string[];
  /** Without it the command does nothing. */
  readonly isRequired?: boolean;
}

export type FlagTable = Readonly<Record<string, Flag>>;

/**
 * Values of a table of flags: one with a default is always there, one with a value may be absent, a switch is a
 * boolean.
 */
export type FlagValues<Flags extends FlagTable> = {
  readonly [Name in keyof Flags]: Flags[Name] extends { readonly default: string }
    ? string
    : Flags[Name] extends { readonly value: string }
      ? string | undefined
      : boolean;
};

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

/** Terminal of somebody who sits there, for a command that draws on all of it. */
export interface Device {
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
  /** Hands on every key at once and unseen, and tells of another size, until `unlisten`. */
  listen(listeners: { readonly input: (piece: string) => void; readonly resize: () => void }): void;
  unlisten(): void;
}

/** Output port of a command, and the signal that stops it. */
export interface Terminal {
  /** Whether somebody looks at stderr, and likes colours. */
  readonly isInteractive: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether somebody sits at stdin who can be asked. */
  readonly canAsk: boolean;
  /** Opens stdin: lines of the program that runs this one. */
  input(): Readable;
  /** One line on stdout: results. */
  out(line: string): void;
  /** A long text on stdout, in a pager where somebody looks. */
  page(text: string): Promise<void>;
  /** One line on stderr: everything else. */
  err(line: string): void;
  /** Status line on stderr, until the next line or status; only where somebody looks. */
  status(text: string): void;
  /** Text for stdout, with colours where somebody looks who likes them. */
  paint(style: Style, text: string): string;
  /** The terminal as a whole; undefined where stdin or stdout is none, or where it can only print. */
  device?(): Device | undefined;
  /** Aborted when the user wants the command to stop. */
  readonly stop: AbortSignal;
  /** Calls a listener whenever the process is hung up on and goes on; answers what ends that. */
  readonly onHangUp?: (listener: () => void) => () => void;
  /** By which a command counts how long it has waited for an answer; the machine's where there is none. */
  readonly clock?: Clock;
}

export interface Words {
  readonly usage: string;
  readonly summary: string;
  run(words: readonly string[], terminal: Terminal): Promise<void>;
}

export interface Named {
  /** Name of the command: one word, or a noun and a verb. */
  readonly name: string;
  readonly summary: string;
}

/** Row of the table. */
export interface CliEntry extends Named {
  load(): Promise<Definition>;
}

export type CliCommand = Named & Definition;

export interface Definition {
  /** Operands that follow the name, by their placeholders in help: `folder`; `goal?` may be left out, which only the last may. */
  readonly operands?: readonly string[];
  readonly flags: FlagTable;
  /** Handler of words that come instead of flags. */
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
>(declaration: { readonly operands?: Operands; readonly flags: Flags; readonly words?: Words }) {
  type Given = {
    readonly [Index in keyof Operands]: Operands[Index] extends `${string}?` ? string | undefined : string;
  };
  return {
    run(handler: (flags: FlagValues<Flags>, terminal: Terminal, operands: Given) => Promise<void>): Definition {
      return {
        ...declaration,
        // The parser has filled every flag and operand by its declaration.
        run: (flags, terminal, operands) => handler(flags as FlagValues<Flags>, terminal, operands as unknown as Given),
      };
    },
  };
}

/** Ctrl-C that came as a letter, since the terminal gave letters as they were typed. Exit code 130, as with the signal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Wrong usage: the message says what to do. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
