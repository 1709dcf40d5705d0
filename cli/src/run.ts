/**
 * Runner of the command line: arguments in, exit code out. Every failure is one line on stderr that says what to do.
 */
import { fullTable } from './output/full-table.js';
import { type CliEntry, Interrupted, type Terminal, UsageError } from './syntax/define.js';
import { renderCommandHelp, renderHelp } from './syntax/help.js';
import { nearest } from './syntax/near-misses.js';
import { parseCommand } from './syntax/parse.js';
import { cliTable, loadCommand } from './table.js';
import { VERSION } from './version.js';

export const EXIT = { done: 0, failed: 1, usage: 2, noAnswer: 3, stopped: 130 } as const;

/** Abort reason of a command whose output nobody reads any more. */
export class Unread extends Error {
  override readonly name = 'Unread';
}

export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await dispatch(args, terminal);
    return EXIT.done;
  } catch (error) {
    if (error instanceof Unread) return EXIT.done;
    const isStopped = error instanceof Interrupted || (terminal.stop.aborted && error === terminal.stop.reason);
    terminal.err(`weft: ${isStopped ? 'stopped before it had ended' : messageOf(error)}`);
    return isStopped ? EXIT.stopped : codeOf(error);
  } finally {
    terminal.status('');
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<void> {
  const [first] = args;
  if (first === undefined || first === '--help' || first === '-h') return terminal.out(renderHelp(cliTable));
  if (first === 'help') return help(args.slice(1), terminal);
  if (first === '--version' || first === '-v' || first === 'version') return version(args.slice(1), terminal);
  const entry = entryOf(args);
  if (!entry) {
    // Help of a noun, with its verbs.
    if (args.includes('--help') || args.includes('-h')) return help(args, terminal);
    throw new UsageError(unknownCommand(args));
  }
  const command = await loadCommand(entry);
  const rest = args.slice(command.name.split(' ').length);
  if (command.words && rest[0] !== undefined && !rest[0].startsWith('-')) return command.words.run(rest, terminal);
  if (rest.includes('--help') || rest.includes('-h')) return terminal.out(renderCommandHelp(command));
  const { flags, operands } = parseCommand(command, rest, terminal);
  await command.run(flags, terminal, operands);
}

function version(words: readonly string[], terminal: Terminal): void {
  const unknown = words.find((word) => word !== '--json');
  if (unknown !== undefined) throw new UsageError(`--version takes --json alone, not ${JSON.stringify(unknown)}`);
  terminal.out(words.length > 0 ? JSON.stringify({ version: VERSION }) : `weft ${VERSION}`);
}

/** Help on a command (`weft help room watch`) or on a noun (`weft help room`). */
async function help(words: readonly string[], terminal: Terminal): Promise<void> {
  const entry = entryOf(words);
  if (entry) return terminal.out(renderCommandHelp(await loadCommand(entry)));
  const [noun] = words;
  const meant = cliTable.filter(({ name }) => noun === undefined || name.startsWith(`${noun} `));
  if (meant.length === 0) throw new UsageError(unknownCommand(words));
  terminal.out(renderHelp(meant));
}

/** The command with most words in its name: `token show` before `token`. */
function entryOf(words: readonly string[]): CliEntry | undefined {
  const fitting = cliTable.filter(({ name }) => name.split(' ').every((word, at) => word === words[at]));
  return fitting.toSorted((a, b) => b.name.split(' ').length - a.name.split(' ').length)[0];
}

function unknownCommand([first = '', second]: readonly string[]): string {
  if (first.startsWith('-'))
    return `flags come after a command: weft <command> ${first}; weft --help lists the commands`;
  const verbs = cliTable.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
  if (verbs.length === 0) {
    const near = nearest(first, new Set(cliTable.map(({ name }) => name.split(' ')[0] ?? '')));
    const meant = near === undefined ? '' : `, did you mean weft ${near}?`;
    return `there is no command ${JSON.stringify(first)}${meant}; weft --help lists them`;
  }
  const missing = second === undefined || second.startsWith('-');
  const said = missing ? `weft ${first} needs a word more` : `weft ${first} cannot ${JSON.stringify(second)}`;
  const near = missing ? undefined : nearest(second, verbs);
  return near === undefined ? `${said}: ${verbs.join(', ')}` : `${said}, did you mean weft ${first} ${near}?`;
}

function codeOf(error: unknown): number {
  // The server's errors by name: it is loaded only by commands that need it.
  const name = error instanceof Error ? error.name : undefined;
  if (name === 'NoAnswerError') return EXIT.noAnswer;
  return name === 'UsageError' || name === 'ConfigError' ? EXIT.usage : EXIT.failed;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = fullTable(error) ?? error.message;
  return message.replaceAll('\n', ' ');
}
