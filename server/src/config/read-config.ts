/**
 * Configuration of the server, by precedence: a flag, a variable of the environment, the file, the default. Anything unknown
 * or ill formed is refused, with the place where it was written.
 */
import type * as z from 'zod';
import { ConfigError } from './config-error.js';
import { readConfigFile } from './config-file.js';
import { type Config, type Option, type Writing, configOf, optionTable, variableOf } from './options.js';
import { shownStore } from './store-place.js';

export interface Sources {
  /** Flags by the names of their options, without `--`. */
  readonly flags: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Path of a JSON file. */
  readonly file?: string | undefined;
}

/** Value that the operator has given, and where. */
interface Given {
  readonly value: unknown;
  readonly where: string;
}

/** The variable that names the file. */
const FILE_VARIABLE = 'WEFT_CONFIG';

export function readConfig(sources: Sources): Config {
  return configOf(checked(sources));
}

/** Configuration that holds, as the text of a file, with secrets left out. */
export function showConfig(sources: Sources): string {
  const values = [...checked(sources)].map(([name, value]) => [name, shown(name, value)]);
  return JSON.stringify(Object.fromEntries(values), null, 2);
}

function shown(name: string, value: unknown): unknown {
  if (optionTable.get(name)?.secret && value !== undefined) return '(not shown)';
  return typeof value === 'string' && (name === 'store' || name === 'read-replica') ? shownStore(value) : value;
}

function checked(sources: Sources): ReadonlyMap<string, unknown> {
  const given = new Map([...fromFile(sources), ...fromEnvironment(sources.environment), ...fromFlags(sources.flags)]);
  return new Map([...optionTable].map(([name, option]) => [name, check(name, option, given.get(name))]));
}

function check(name: string, { schema }: Option, given: Given | undefined): unknown {
  const parsed = schema.safeParse(given?.value);
  if (parsed.success) return parsed.data;
  throw new ConfigError(given?.where ?? name, wordsOf(parsed.error.issues[0]));
}

const KINDS: Readonly<Record<string, string>> = { string: 'a text', number: 'a number', array: 'a list' };

function wordsOf(issue: z.core.$ZodIssue | undefined): string {
  const kind = issue?.code === 'invalid_type' ? KINDS[issue.expected] : undefined;
  return kind === undefined ? (issue?.message ?? 'is invalid') : `must be ${kind}`;
}

function* fromFlags(flags: Sources['flags']): Generator<[string, Given]> {
  for (const [name, text] of flags) {
    const where = `--${name}`;
    const option = optionTable.get(name);
    if (!option) throw new ConfigError(where, 'there is no such option');
    yield [name, { value: asWritten(option.writing, text, where), where }];
  }
}

function* fromEnvironment(environment: Sources['environment']): Generator<[string, Given]> {
  const options = new Map([...optionTable].map(([name, option]) => [variableOf(name), { name, option }]));
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith('WEFT_') || variable === FILE_VARIABLE || text === undefined) continue;
    const found = options.get(variable);
    if (!found) throw new ConfigError(variable, 'there is no such option; weft serve --help lists them');
    yield [found.name, { value: asWritten(found.option.writing, text, variable), where: variable }];
  }
}

function* fromFile({ file, environment }: Sources): Generator<[string, Given]> {
  const path = file ?? environment[FILE_VARIABLE];
  if (path === undefined) return;
  const { fields, place } = readConfigFile(path);
  for (const [name, value] of fields) {
    if (!optionTable.has(name))
      throw new ConfigError(place(name), 'there is no such option; weft serve --help lists them');
    yield [name, { value, where: place(name) }];
  }
}

function asWritten(writing: Writing, text: string, where: string): unknown {
  if (writing === 'list') return text.split(',');
  if (writing === 'text') return text;
  if (/^-?\d{1,16}$/.test(text)) return Number(text);
  throw new ConfigError(where, `must be a whole number, not ${JSON.stringify(text)}`);
}
