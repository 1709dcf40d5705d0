/** From arguments to an exit code. Every failure is one line on stderr that says what to do. */
import { type Terminal, UsageError } from './define.js';
import { renderCommandHelp, renderHelp } from './help.js';
import { parseFlags } from './parse.js';
import { cliCommands } from './table.js';

export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await dispatch(args, terminal);
    return EXIT.done;
  } catch (error) {
    terminal.err(`weft: ${messageOf(error)}`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

async function dispatch([name, ...args]: readonly string[], terminal: Terminal): Promise<void> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    return terminal.out(renderHelp(cliCommands));
  }
  const command = cliCommands.find((candidate) => candidate.name === name);
  if (!command) throw new UsageError(`there is no command ${JSON.stringify(name)}; weft --help lists them`);
  if (command.words && args[0] !== undefined && !args[0].startsWith('-')) return command.words.run(args, terminal);
  if (args.includes('--help') || args.includes('-h')) return terminal.out(renderCommandHelp(command));
  await command.run(parseFlags(command, args), terminal);
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll('\n', ' ');
}
