import { type CliCommand, cliCommand } from '../define.js';

/** Made from the table, which is given later: it holds this command too. */
export function completionOf(commands: () => readonly CliCommand[]): CliCommand {
  return cliCommand({
    name: 'completion',
    summary: 'Print a script that completes commands and flags: eval "$(weft completion --shell bash)".',
    flags: {
      shell: { summary: 'Whose script.', value: 'name', choices: ['bash', 'zsh', 'fish'], default: 'bash' },
    },
  }).run(async ({ shell }, terminal) => {
    const table = commands();
    for (const line of shell === 'fish' ? fish(table) : bash(table, shell === 'zsh')) terminal.out(line);
  });
}

/** zsh runs the same by its own emulation. */
function bash(commands: readonly CliCommand[], isZsh: boolean): string[] {
  const cases = commands.map(({ name, flags }) => `    "${name} "*) words="${flagsOf(flags)}" ;;`);
  const verbs = nounsOf(commands).map((noun) => `    "${noun} "*) words="${verbsOf(noun, commands)}" ;;`);
  return [
    ...(isZsh ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_weft() {',
    '  local words line="${COMP_WORDS[*]:1:COMP_CWORD-1} "',
    '  case "$line" in',
    ...cases,
    ...verbs,
    `    *) words="${[...new Set(commands.map(({ name }) => name.split(' ')[0]))].join(' ')}" ;;`,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _weft weft',
  ];
}

function fish(commands: readonly CliCommand[]): string[] {
  const lines: string[] = [];
  for (const { name, summary, flags } of commands) {
    const [first = '', second] = name.split(' ');
    const quoted = summary.replaceAll("'", "\\'");
    if (second === undefined) lines.push(`complete -c weft -n __fish_use_subcommand -a ${first} -d '${quoted}'`);
    else lines.push(`complete -c weft -n '__fish_seen_subcommand_from ${first}' -a ${second} -d '${quoted}'`);
    const seen = `__fish_seen_subcommand_from ${second ?? first}`;
    for (const flag of Object.keys(flags)) lines.push(`complete -c weft -n '${seen}' -l ${flag}`);
  }
  for (const noun of nounsOf(commands)) lines.push(`complete -c weft -n __fish_use_subcommand -a ${noun}`);
  return lines;
}

function nounsOf(commands: readonly CliCommand[]): string[] {
  return [...new Set(commands.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])))];
}

function verbsOf(noun: string, commands: readonly CliCommand[]): string {
  return commands.flatMap(({ name }) => (name.startsWith(`${noun} `) ? [name.slice(noun.length + 1)] : [])).join(' ');
}

function flagsOf(flags: CliCommand['flags']): string {
  return Object.keys(flags)
    .map((name) => `--${name}`)
    .join(' ');
}
