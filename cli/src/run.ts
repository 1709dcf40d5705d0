/** From arguments to an exit code. Every failure is one line on stderr that says what to do. */
import { ConfigError } from '@weft/server';
import { type Terminal, UsageError } from './define.js';
import { renderCommandHelp, renderHelp } from './help.js';
import { parseCommand } from './parse.js';
import { cliCommands } from './table.js';

export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await dispatch(args, terminal);
    return EXIT.done;
  } catch (error) {
    terminal.err(`weft: ${messageOf(error)}`);
    return error instanceof UsageError || error instanceof ConfigError ? EXIT.usage : EXIT.failed;
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<void> {
  const [first] = args;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    return terminal.out(renderHelp(cliCommands));
  }
  const command = cliCommands.find(({ name }) => name.split(' ').every((word, at) => word === args[at]));
  if (!command) throw new UsageError(unknownCommand(args));
  const rest = args.slice(command.name.split(' ').length);
  if (command.words && rest[0] !== undefined && !rest[0].startsWith('-')) return command.words.run(rest, terminal);
  if (rest.includes('--help') || rest.includes('-h')) return terminal.out(renderCommandHelp(command));
  const { flags, operands } = parseCommand(command, rest, terminal);
  await command.run(flags, terminal, operands);
}

function unknownCommand([first = '', second]: readonly string[]): string {
  const verbs = cliCommands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
  if (verbs.length === 0) return `there is no command ${JSON.stringify(first)}; weft --help lists them`;
  const missing = second === undefined || second.startsWith('-');
  const said = missing ? `weft ${first} needs a word more` : `weft ${first} cannot ${JSON.stringify(second)}`;
  return `${said}: ${verbs.join(', ')}`;
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll('\n', ' ');
}
