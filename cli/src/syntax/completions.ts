/** Completion scripts for commands, flags and values of flags: one table, in the language of each shell. */
import type { CliCommand } from './define.js';

/** Words that can follow what has been typed. */
interface Menu {
  /** Words typed before, each with a space behind it. */
  readonly after: string;
  readonly entries: readonly Entry[];
  /** Whether a file may follow as well. */
  readonly hasFiles: boolean;
}

interface Entry {
  readonly word: string;
  readonly about: string;
}

/** Operands that name a file or a folder. */
const FILES = /file|folder|backup|archive/;

/** Menus of all commands; those after more words come first. */
function menusOf(commands: readonly CliCommand[]): readonly Menu[] {
  const nouns = [...new Set(commands.flatMap(({ name }) => (name.includes(' ') ? [firstOf(name)] : [])))];
  const ofNouns = nouns.map((noun) => {
    const named = commands.filter(({ name }) => name.startsWith(`${noun} `));
    const entries = named.map(({ name, summary }) => ({ word: name.slice(noun.length + 1), about: summary }));
    return { after: `${noun} `, entries, hasFiles: false };
  });
  const verbsAfter = (after: string): readonly Entry[] => ofNouns.find((one) => one.after === after)?.entries ?? [];
  const ofCommands = commands.map(({ name, flags, operands = [] }) => ({
    after: `${name} `,
    entries: [
      // A command may be a noun as well.
      ...verbsAfter(`${name} `),
      ...Object.entries(flags).map(([flag, { summary }]) => ({ word: `--${flag}`, about: summary })),
    ],
    hasFiles: operands.some((operand) => FILES.test(operand)),
  }));
  const first = [...new Set(commands.map(({ name }) => firstOf(name)))].map((word) => {
    const own = commands.find(({ name }) => name === word);
    return {
      word,
      about:
        own?.summary ??
        `${ofNouns
          .find(({ after }) => after === `${word} `)
          ?.entries.map((entry) => entry.word)
          .join(', ')}`,
    };
  });
  const onlyNouns = ofNouns.filter(({ after }) => ofCommands.every((one) => one.after !== after));
  return [...ofCommands, ...onlyNouns, { after: '', entries: first, hasFiles: false }];
}

/** Flag -> values that it takes; an empty list where it takes a file or free text. */
function valuesOf(commands: readonly CliCommand[]): ReadonlyMap<string, readonly string[]> {
  const flags = commands.flatMap((command) => Object.entries(command.flags));
  return new Map(flags.flatMap(([name, { value, choices = [] }]) => (value ? [[`--${name}`, choices]] : [])));
}

export function bashScript(commands: readonly CliCommand[]): string[] {
  return [
    '_weft() {',
    '  local words= files= line="${COMP_WORDS[*]:1:COMP_CWORD-1} " word="${COMP_WORDS[COMP_CWORD]}"',
    '  case "${COMP_WORDS[COMP_CWORD-1]}" in',
    ...[...valuesOf(commands)].map(([flag, values]) => `    ${flag}) line=/ words="${values.join(' ')}" ;;`),
    '  esac',
    '  case "${line# }" in',
    '    /) ;;', // of a flag, whose values they are
    ...menusOf(commands).map(({ after, entries, hasFiles }) => {
      const words = entries.map(({ word }) => word).join(' ');
      return `    ${quoted(after)}*) words="${words}"${hasFiles ? ' files=1' : ''} ;;`;
    }),
    '  esac',
    '  if [[ $files && $word != -* ]]; then words=; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _weft weft',
  ];
}

export function zshScript(commands: readonly CliCommand[]): string[] {
  return [
    '#compdef weft',
    '_weft() {',
    '  local line="${(j: :)words[2,CURRENT-1]} " files=',
    '  local -a found',
    '  case "$words[CURRENT-1]" in',
    ...[...valuesOf(commands)].map(([flag, values]) =>
      values.length === 0
        ? `    (${flag}) _files; return ;;`
        : `    (${flag}) compadd -- ${values.join(' ')}; return ;;`,
    ),
    '  esac',
    '  case "${line# }" in',
    ...menusOf(commands).map(({ after, entries, hasFiles }) => {
      const found = entries.map(({ word, about }) => quoted(`${word}:${about}`)).join(' ');
      return `    (${quoted(after)}*) found=(${found})${hasFiles ? ' files=1' : ''} ;;`;
    }),
    '  esac',
    '  if [[ -n "$files" && "$PREFIX" != -* ]]; then _files; else _describe weft found; fi',
    '}',
    'if [[ "$funcstack[1]" == _weft ]]; then _weft "$@"; else compdef _weft weft; fi',
  ];
}

export function fishScript(commands: readonly CliCommand[]): string[] {
  const [menus, values] = [menusOf(commands), [...valuesOf(commands)]];
  const chosen = values.filter(([, choices]) => choices.length > 0);
  return [
    'function __weft_words',
    '  switch (commandline -opc)[-1]',
    ...chosen.map(([flag, choices]) => `    case ${flag}\n      printf '%s\\n' ${choices.join(' ')}; return`),
    '  end',
    "  switch (string join ' ' -- (commandline -opc)[2..])' '",
    ...menus.map(({ after, entries }) => {
      const words = entries.map(({ word, about }) => `${word} ${fishQuoted(about)}`).join(' ');
      return `    case ${fishQuoted(`${after}*`)}\n      printf '%s\\t%s\\n' ${words}`;
    }),
    '  end',
    'end',
    'function __weft_files',
    '  switch (commandline -opc)[-1]',
    `    case ${chosen.map(([flag]) => flag).join(' ')}\n      return 1`,
    `    case ${values.flatMap(([flag, choices]) => (choices.length === 0 ? [flag] : [])).join(' ')}\n      return 0`,
    '  end',
    "  switch (string join ' ' -- (commandline -opc)[2..])' '",
    `    case ${menus.flatMap(({ after, hasFiles }) => (hasFiles ? [fishQuoted(`${after}*`)] : [])).join(' ')}\n      return 0`,
    '  end',
    '  return 1',
    'end',
    "complete -c weft -f -a '(__weft_words)'",
    'complete -c weft -n __weft_files -F',
  ];
}

function firstOf(name: string): string {
  return name.split(' ')[0] ?? '';
}

/** Text quoted for shells like sh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
