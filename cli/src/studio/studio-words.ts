/** `weft studio <noun> <verb> --field value`: any operation of a running studio, from the studio's own table. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type CommandField, type NamedOperation, commandFields, commandWords, operationTable } from '@weft/studio';
import { type Terminal, UsageError } from '../syntax/define.js';
import { nearest } from '../syntax/near-misses.js';
import { shown } from '../output/show.js';
import { eventLine, withPayload } from './event-text.js';
import { StudioClient } from './studio-client.js';
import { connectionFlags } from './studio-connection.js';

export async function runStudioWords([noun, verb, ...args]: readonly string[], terminal: Terminal): Promise<void> {
  if (noun === 'help') return terminal.out(allHelp());
  const ofNoun = operationTable.filter((operation) => commandWords(operation)[0] === noun);
  if (ofNoun.length === 0) throw new UsageError(unknownNoun(noun));
  const operation = ofNoun.find((candidate) => commandWords(candidate)[1] === verb);
  if (verb === '--help' || verb === '-h' || (!operation && verb === undefined)) return terminal.out(nounHelp(ofNoun));
  if (!operation) {
    const verbs = ofNoun.map((one) => commandWords(one)[1]);
    const near = nearest(verb ?? '', verbs);
    const meant =
      near === undefined ? `: ${verbs.join(', ')}; see weft studio ${noun} --help` : `; did you mean ${near}?`;
    throw new UsageError(`${noun} cannot ${verb}${elsewhere(noun, verb)}${meant}`);
  }
  if (args.includes('--help') || args.includes('-h')) return terminal.out(operationHelp(operation));
  await call(operation, args, terminal);
}

async function call(operation: NamedOperation, args: readonly string[], terminal: Terminal): Promise<void> {
  const { input, at, store, isPlain } = read(operation, args);
  const client = new StudioClient({ at, store }, terminal);
  if (operation.follow)
    return client.follow(operation.id, input, (event) =>
      terminal.out(isPlain ? JSON.stringify(withPayload(event)) : eventLine(event, terminal)),
    );
  const { data, next } = await client.ask(operation.id, input).catch((error: unknown) => {
    terminal.stop.throwIfAborted();
    throw error;
  });
  if (isPlain) terminal.out(JSON.stringify(data));
  else for (const line of shown(data, terminal)) terminal.out(line);
  if (next !== undefined) terminal.err(`there is more: --cursor ${next}`);
}

function read(operation: NamedOperation, args: readonly string[]) {
  const fields = commandFields(operation);
  const hint = `see weft studio ${commandWords(operation).join(' ')} --help`;
  const options = Object.fromEntries([
    ...['at', 'store'].map((name) => [name, { type: 'string' }] as const),
    ['json', { type: 'boolean' }] as const,
    ...fields.flatMap(({ name, kind }) =>
      [name, dashed(name)].map((written) => {
        if (kind === 'switch') return [written, { type: 'boolean' }] as const;
        return [written, { type: 'string', multiple: kind === 'texts' }] as const;
      }),
    ),
  ]);
  let values: Readonly<Record<string, unknown>>;
  try {
    ({ values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false, allowNegative: true }));
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${reason}; ${hint}`, { cause: error });
  }
  const saidFor = (name: string): unknown => values[name] ?? values[dashed(name)];
  const missing = fields.filter(({ name, isRequired }) => isRequired && saidFor(name) === undefined);
  if (missing.length > 0) throw new UsageError(`${missing.map(({ name }) => `--${name}`).join(', ')} missing; ${hint}`);
  const given = fields.filter(({ name }) => saidFor(name) !== undefined);
  const input = Object.fromEntries(
    given.map((field) => [field.name, hostPath(operation, field.name, valueOf(field, saidFor(field.name), hint))]),
  );
  const { at, store, json = false } = values;
  return { input, at: textIn(at), store: textIn(store), isPlain: json === true };
}

function valueOf({ name, kind }: CommandField, given: unknown, hint: string): unknown {
  if (typeof given !== 'string' || kind === 'text') return given;
  // What has a number may have none: so a limit is taken away.
  if (kind === 'number' && given === 'null') return null;
  try {
    if (kind === 'number' && Number.isNaN(Number(given))) throw new TypeError('no number');
    return kind === 'number' ? Number(given) : JSON.parse(given);
  } catch (cause) {
    throw new UsageError(`--${name} takes ${kind === 'number' ? 'a number' : 'JSON'}, not ${given}; ${hint}`, {
      cause,
    });
  }
}

/** Fields that name a folder of the machine, and nouns of which `path` does. */
const HOST_PATHS = /^(target|repository|newRepository|gitRepo|targetGitRepo)Path$/;
const ROOTS: ReadonlySet<string> = new Set(['repository.register', 'repository.create', 'repository.plan']);

/** A folder of the machine as the studio takes it: one that is relative is meant from here. */
function hostPath({ id }: NamedOperation, name: string, value: unknown): unknown {
  const isHostPath = HOST_PATHS.test(name) || (name === 'path' && ROOTS.has(id));
  return isHostPath && typeof value === 'string' ? resolve(value) : value;
}

/** Flag in kebab case (`--branch-id`) for a field in camel case (`branchId`). */
function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function unknownNoun(noun = ''): string {
  const near = nearest(noun, nouns());
  return near === undefined
    ? `the studio knows no ${noun}; it knows ${nouns().join(', ')}`
    : `the studio knows no ${noun}; did you mean weft studio ${near}?`;
}

/** Hint at another noun: operations for outside tools stand under nouns of their own. */
function elsewhere(noun: string | undefined, verb: string | undefined): string {
  const words = operationTable.map(commandWords).find(([other, does]) => other === `external-${noun}` && does === verb);
  return words ? `, but ${words[0]} can` : '';
}

function nouns(): string[] {
  return [...new Set(operationTable.map((operation) => commandWords(operation)[0]))];
}

function allHelp(): string {
  const rows = nouns()
    .sort()
    .map((noun) => {
      const verbs = operationTable.map(commandWords).filter(([first]) => first === noun);
      return [noun, verbs.map(([, verb]) => verb).join(', ')] as const;
    });
  return ['Usage: weft studio <noun> <verb> [--field value]', '', ...columns(rows)].join('\n');
}

function nounHelp(ofNoun: readonly NamedOperation[]): string {
  const rows = ofNoun.map((operation) => [commandWords(operation).join(' '), operation.summary] as const);
  return ['Usage: weft studio <noun> <verb> [--field value]', '', ...columns(rows)].join('\n');
}

function operationHelp(operation: NamedOperation): string {
  const rows = commandFields(operation).map(({ name, kind, isRequired, summary, choices }): [string, string] => [
    kind === 'switch' ? `--${name}` : `--${name} <${kind === 'texts' ? 'text, again for more' : kind}>`,
    `${isRequired ? 'Required. ' : ''}${summary}${choices ? ` One of: ${choices.join(', ')}.` : ''}`,
  ]);
  const where: [string, string][] = Object.entries(connectionFlags).map(([name, { value, summary }]) => [
    `--${name} <${value}>`,
    summary,
  ]);
  const usage = `Usage: weft studio ${commandWords(operation).join(' ')} [--field value]`;
  const plain: [string, string] = ['--json', 'JSON for programs, on one line.'];
  return [usage, '', operation.summary, '', ...columns([...rows, ...where, plain])].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
