/**
 * The words of an operator as commands: `weft room lock`, `weft session revoke`, and whatever else is in the table of the server.
 * Flags, their help and how they are read follow from the schemas; nothing here knows a word by name.
 */
import { readFile } from 'node:fs/promises';
import { type Word, type WordField, operatorWords, wordFields } from '@weft/server';
import { shown } from '../../output/show.js';
import { operate } from '../../serving/operator.js';
import {
  type Definition,
  type Flag,
  type FlagTable,
  type Terminal,
  UsageError,
  cliCommand,
} from '../../syntax/define.js';
import { archiveFlags, folderFlags } from '../../syntax/flags.js';
import { configOf } from '../../serving/server-flags.js';

/** Placeholders of values, by the type of the field. */
const VALUES: Readonly<Record<WordField['type'], string | undefined>> = {
  text: 'text',
  number: 'number',
  boolean: undefined,
  list: 'a,b',
  json: 'json|@file',
};

/** Field that is named by its place behind the command. */
const OPERAND = 'room';

/** Field that says an archive is read or written: then flags say where those are. */
const ARCHIVE = 'archive';

/** Flags that count where no server runs. */
const OWN = ['admin-key', 'archive-root', 'archive-trust'];

const ADMIN_KEY = { summary: "File with the server's admin key, where no server runs.", value: 'file' };

/** The command of a word, by the name that it has in the table of commands. */
export function wordCommand(name: string): Definition {
  const word = operatorWords.find(({ noun, verb }) => `${noun} ${verb}` === name);
  if (word === undefined) throw new Error(`no operator says ${name}`);
  return commandOf(word);
}

function commandOf(word: Word): Definition {
  const { noun, isForPrograms = false } = word;
  const fields = wordFields(word);
  const isPlaced = noun === OPERAND;
  const given = isPlaced ? fields.filter(({ name }) => name !== OPERAND) : fields;
  const own: FlagTable = Object.fromEntries(given.map((field) => [flagOf(field), asFlag(field)]));
  return cliCommand({
    operands: isPlaced ? [OPERAND] : [],
    flags: { ...own, ...(ARCHIVE in word.in.shape ? archiveFlags : folderFlags), 'admin-key': ADMIN_KEY },
  }).run(async (flags, terminal, operands) => {
    const input: Record<string, unknown> = isPlaced ? { [OPERAND]: operands[0] } : {};
    const values = new Map<string, string | boolean | undefined>(Object.entries(flags));
    for (const field of given) {
      const value = values.get(flagOf(field));
      if (value !== undefined) input[field.name] = await read(field, value);
    }
    const named = OWN.filter((name) => values.get(name) !== undefined).map((name) => `--${name}`);
    const unused =
      named.length === 0 ? undefined : `a server runs, which has its own: ${named.join(' and ')} was not used`;
    const answer = await operate(configOf(flags, terminal), word, input, terminal, { unused });
    show(answer, flags.json || isForPrograms, terminal);
  });
}

function flagOf({ name }: WordField): string {
  return name.replaceAll('_', '-');
}

function asFlag({ type, about: summary, choices, isRequired }: WordField): Flag {
  const value = VALUES[type];
  if (value === undefined) return { summary };
  return { summary, value, ...(choices ? { choices } : {}), mayBeEmpty: type === 'list', isRequired };
}

async function read(field: WordField, value: string | boolean): Promise<unknown> {
  const flag = flagOf(field);
  if (typeof value === 'boolean') return value;
  if (field.type === 'number') return numberOf(flag, value);
  if (field.type === 'list') return value.split(',').filter((item) => item !== '');
  if (field.type === 'json') return jsonOf(flag, value.startsWith('@') ? await textOf(flag, value.slice(1)) : value);
  return value;
}

function numberOf(flag: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`--${flag} takes a number, not ${JSON.stringify(text)}`);
}

function jsonOf(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--${flag} takes JSON, or @ and the name of a file with it`, { cause: error });
  }
}

async function textOf(flag: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--${flag}: cannot read ${file}`, { cause: error });
  });
}

function show(result: object, json: boolean, terminal: Terminal): void {
  if (json) return terminal.out(JSON.stringify(result));
  for (const line of shown(result, terminal)) terminal.out(line);
}
