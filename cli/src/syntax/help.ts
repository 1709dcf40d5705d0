/** Help texts and the documentation page, both from the table. */
import type { CliCommand, Flag, Named } from './define.js';
import { requiredFlags, shownFlag, shownOperand } from './parse.js';

const EXIT_CODES =
  'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the server does not answer, 130 stopped by a signal.';

export function renderHelp(commands: readonly Named[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'Usage: weft <command> [flags]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'weft <command> --help shows the flags, weft --version the version.',
    EXIT_CODES,
  ].join('\n');
}

export function renderCommandHelp(command: CliCommand): string {
  const rows = Object.entries(command.flags).map(([name, flag]) => [shownFlag(name, flag), describe(flag)] as const);
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return [
    `Usage: weft ${usageOf(command)} [flags]`,
    '',
    command.summary,
    '',
    ...wordsOf(command),
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
  ].join('\n');
}

function wordsOf({ words }: CliCommand): string[] {
  return words ? [words.usage, '', words.summary, ''] : [];
}

export function renderCliDocs(commands: readonly CliCommand[]): string {
  const sections = commands.map((command) => {
    const rows = Object.entries(command.flags).map(
      ([name, flag]) => `| \`${shownFlag(name, flag)}\` | ${describe(flag)} |`,
    );
    return [
      `## weft ${usageOf(command)}`,
      '',
      command.summary,
      '',
      ...wordsInDocs(command),
      '| flag | meaning |',
      '|---|---|',
      ...rows,
    ].join('\n');
  });
  return `# The command line\n\n${sections.join('\n\n')}\n\n${EXIT_CODES}\n`;
}

function usageOf({ name, operands = [], flags }: CliCommand): string {
  return [name, ...operands.map(shownOperand), ...requiredFlags(flags)].join(' ');
}

function wordsInDocs({ words }: CliCommand): string[] {
  return words ? [`\`${words.usage}\``, '', words.summary, ''] : [];
}

function describe({ summary, choices, variable, initially, default: initial = initially }: Flag): string {
  const values = choices ? ` One of ${choices.join(', ')}.` : '';
  const defaults = [variable && `$${variable}`, initial].filter((one) => one !== undefined);
  return `${summary}${values}${defaults.length === 0 ? '' : ` Default: ${defaults.join(', or ')}.`}`;
}
