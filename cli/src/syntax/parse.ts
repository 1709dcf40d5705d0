/** Parser of arguments: flags as the command declares them. Anything undeclared is refused. */
import { parseArgs } from 'node:util';
import { nearest } from './near-misses.js';
import { type CliCommand, type Flag, type FlagTable, type Terminal, UsageError } from './define.js';

export type ParsedFlags = Record<string, string | boolean | undefined>;

export interface Parsed {
  readonly flags: ParsedFlags;
  readonly operands: readonly string[];
}

export function parseCommand(
  command: CliCommand,
  args: readonly string[],
  { environment }: Pick<Terminal, 'environment'>,
): Parsed {
  const options = Object.fromEntries(
    Object.entries(command.flags).map(([name, flag]) => [name, { type: flag.value ? 'string' : 'boolean' } as const]),
  );
  const hint = `see weft ${command.name} --help`;
  const { operands: names = [] } = command;
  let values: ParsedFlags;
  let operands: readonly string[];
  try {
    const all = { args: [...args], options, strict: true, allowPositionals: true };
    ({ values, positionals: operands } = parseArgs(all));
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${unknownFlag(command, reason ?? '')}; ${hint}`, { cause: error });
  }
  const least = names.filter((name) => !name.endsWith('?')).length;
  if (operands.length < least || operands.length > names.length)
    throw new UsageError(`weft ${command.name} takes ${operandsMeant(command, operands)}; ${hint}`);
  return { flags: fill(command.flags, values, environment, hint), operands };
}

/** Operand as help shows it: `<folder>`, or `[goal]` where it may be left out. */
export function shownOperand(name: string): string {
  return name.endsWith('?') ? `[${name.slice(0, -1)}]` : `<${name}>`;
}

/** Operands that are texts, of which somebody may have forgotten the quotes. */
const TEXTS: ReadonlySet<string> = new Set(['goal', 'text']);

/** Flag as help shows it, with a word for its value. */
export function shownFlag(name: string, { value }: Flag): string {
  return value ? `--${name} <${value}>` : `--${name}`;
}

/** Flags without which the command does nothing, as help shows them. */
export function requiredFlags(flags: FlagTable): string[] {
  return Object.entries(flags).flatMap(([name, flag]) => (flag.isRequired ? shownFlag(name, flag) : []));
}

function operandsMeant({ operands: names = [], flags }: CliCommand, given: readonly string[]): string {
  const meant = [...names.map(shownOperand), ...requiredFlags(flags)].join(' ');
  const extra = given[names.length];
  if (extra === undefined) return meant;
  if (names.some((name) => TEXTS.has(name))) return `${meant}, each of several words in quotes`;
  const unmeant = `not ${JSON.stringify(extra)}`;
  return meant === '' ? `flags alone, ${unmeant}` : `${meant} and flags, ${unmeant} as well`;
}

/** Flags that other programs have, and what they are called here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  port: 'listen',
  p: 'listen',
  host: 'listen',
  addr: 'listen',
  address: 'listen',
  bind: 'listen',
  data: 'store',
  'data-dir': 'store',
  dir: 'store',
  db: 'store',
};

/** Unknown flag as a person is told, with the one that was meant. */
function unknownFlag(command: CliCommand, reason: string): string {
  const [, given = ''] = /^Unknown option '--?([^']+)'/.exec(reason) ?? [];
  const known = Object.keys(command.flags);
  const here = ELSEWHERE[given];
  const near = here !== undefined && known.includes(here) ? here : nearest(given, known);
  return near === undefined ? reason : `${reason}, did you mean --${near}?`;
}

function fill(flags: FlagTable, values: ParsedFlags, environment: Terminal['environment'], hint: string): ParsedFlags {
  const filled: ParsedFlags = {};
  for (const [name, flag] of Object.entries(flags)) {
    const said = values[name];
    const variable = said === undefined ? flag.variable : undefined;
    const value = said ?? (variable && environment[variable]) ?? (flag.value ? flag.default : false);
    const where = variable ?? `--${name}`;
    if (value === undefined && flag.isRequired) throw new UsageError(`${where} must be given; ${hint}`);
    if (value === '' && !flag.mayBeEmpty) throw new UsageError(`${where} is empty; ${hint}`);
    if (flag.choices && typeof value === 'string' && !flag.choices.includes(value)) {
      throw new UsageError(`${where} takes ${flag.choices.join(', ')}, not ${JSON.stringify(value)}; ${hint}`);
    }
    filled[name] = value;
  }
  return filled;
}
