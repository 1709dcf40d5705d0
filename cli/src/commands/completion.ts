import { bashScript, fishScript, zshScript } from '../syntax/completions.js';
import { type CliCommand, type Definition, cliCommand } from '../syntax/define.js';
import { jsonFlag } from '../syntax/flags.js';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** The command that prints completion scripts. It takes the table as a function, because the table holds it too. */
export function completionOf(loadCommands: () => Promise<readonly CliCommand[]>): Definition {
  return cliCommand({
    flags: {
      shell: { summary: 'Whose script.', value: 'name', choices: Object.keys(SCRIPTS), default: 'bash' },
      json: jsonFlag,
    },
  }).run(async ({ shell, json }, terminal) => {
    const lines = SCRIPTS[shell as keyof typeof SCRIPTS](await loadCommands());
    if (json) return terminal.out(JSON.stringify({ shell, script: [...lines, ''].join('\n') }));
    for (const line of lines) terminal.out(line);
  });
}
