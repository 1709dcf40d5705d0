import { bashScript, fishScript, zshScript } from '../syntax/completions.js';
import { type CliCommand, cliCommand } from '../syntax/define.js';
import { jsonFlag } from '../syntax/flags.js';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/**
 * The command that prints completion scripts. It takes the table as a function, because the table holds this command
 * too.
 */
export function completionOf(commands: () => readonly CliCommand[]): CliCommand {
  return cliCommand({
    name: 'completion',
    summary:
      'Print a script that completes commands and flags: eval "$(weft completion --shell bash)", the same with zsh, and weft completion --shell fish | source.',
    flags: {
      shell: { summary: 'Whose script.', value: 'name', choices: Object.keys(SCRIPTS), default: 'bash' },
      json: jsonFlag,
    },
  }).run(async ({ shell, json }, terminal) => {
    const lines = SCRIPTS[shell as keyof typeof SCRIPTS](commands());
    if (json) return terminal.out(JSON.stringify({ shell, script: [...lines, ''].join('\n') }));
    for (const line of lines) terminal.out(line);
  });
}
