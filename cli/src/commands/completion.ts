import { bashScript, fishScript, zshScript } from '../completions.js';
import { type CliCommand, cliCommand } from '../define.js';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Made from the table, which is given later: it holds this command too. */
export function completionOf(commands: () => readonly CliCommand[]): CliCommand {
  return cliCommand({
    name: 'completion',
    summary:
      'Print a script that completes commands and flags: eval "$(weft completion --shell bash)", the same with zsh, and weft completion --shell fish | source.',
    flags: {
      shell: { summary: 'Whose script.', value: 'name', choices: Object.keys(SCRIPTS), default: 'bash' },
    },
  }).run(async ({ shell }, terminal) => {
    const script = SCRIPTS[shell as keyof typeof SCRIPTS];
    for (const line of script(commands())) terminal.out(line);
  });
}
