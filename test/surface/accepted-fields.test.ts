/**
 * What the studio accepts has an effect or is refused: each field of each operation's input, and each option, is read by the product.
 * The fields are those of the table, so a new one is looked for too. For each a test is named that misses it.
 */
import { operationTable } from '@weft/studio';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isTest, readTree } from '../architecture/source-tree.js';
import { parse } from '../architecture/syntax.js';
import { acceptedFields, readEffects } from '../mutation/fields.js';
import { handlersOf, modulesByNoun, propertiesRead } from './accepted-fields.js';

const OPERATIONS = 'studio/src/operations/';
const OPTIONS = 'studio/src/record/aggregates/options/options.ts';

/** Options with one value: the studio refuses any other, as its tests of options say. The list only becomes shorter. */
const FIXED = [
  'schedulerPollIntervalMs',
  'blockConflictingOps',
  'materializerConcurrency',
  'snapshotOnSync',
  'opsPerSnapshot',
  'allowAgentGitCommits',
  'allowAgentGitPush',
];

const files = readTree();
const sources = [...files.keys()].filter((path) => /^studio\/src\/.*\.ts$/.test(path) && !isTest(path));
const at = (path: string) => parse(path, files.get(path)!);
/** Fields of a page are read by every list alike. */
const PAGED: ReadonlySet<string> = new Set(['cursor', 'limit']);

function readIn(paths: readonly string[]): Set<string> {
  return new Set(paths.flatMap((path) => [...propertiesRead(at(path))]));
}

/** Names of all fields that some answer shows. What is recorded as it was said, to be shown, has its effect there. */
function shown(): Set<string> {
  const names = new Set<string>();
  const collect = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'properties' && typeof value === 'object')
        for (const name of Object.keys(value ?? {})) names.add(name);
      collect(value);
    }
  };
  for (const { out } of operationTable) collect(z.toJSONSchema(out, { unrepresentable: 'any', io: 'output' }));
  return names;
}

/** `operation.field` for all that is accepted, and neither read nor shown. */
function unread(): string[] {
  const nouns = modulesByNoun(at(`${OPERATIONS}table.ts`));
  const known = new Set([...readIn(sources), ...shown()]);
  return operationTable.flatMap((operation) => {
    const [noun = '', verb = ''] = operation.id.split('.');
    const paths = (nouns.get(noun) ?? []).map((module) => module.replace('./', OPERATIONS).replace(/\.js$/, '.ts'));
    const handler = paths.map((path) => handlersOf(at(path)).get(verb)).find((found) => found !== undefined);
    if (!handler) throw new Error(`no handler of ${operation.id} is found in ${paths.join(', ')}`);
    const isRead = (field: string): boolean =>
      handler.used.has(field) || (handler.handsOn && !handler.dropped.has(field) && known.has(field));
    return Object.keys(operation.in.shape)
      .filter((field) => !PAGED.has(field) && !isRead(field))
      .map((field) => `${operation.id}.${field}`);
  });
}

describe('what is accepted', () => {
  it('is read, or recorded and shown: every field of every input', () => {
    expect(unread()).toEqual([]);
  });

  it('is read, or refused but for its one value: every option', () => {
    const read = readIn(sources.filter((path) => path !== OPTIONS && !path.startsWith(`${OPERATIONS}host/`)));
    const change = operationTable.find(({ id }) => id === 'option.change')!;
    expect(Object.keys(change.in.shape).filter((name) => !read.has(name))).toEqual(FIXED);
  });
});

describe('an effect', () => {
  const effects = readEffects();

  it('is looked for of every field that anybody may send, and of no other', () => {
    expect(effects.map(({ field }) => field)).toEqual(acceptedFields());
  });

  it('is shown by a test that is there', () => {
    const gone = effects.filter(({ test }) => {
      const [, path = '', title = ''] = /^(\S+): (.*)$/.exec(test) ?? [];
      const text = files.get(path) ?? '';
      // Names of tests over a table are not in their file as they are.
      return (
        test !== '' && !text.includes(title.replaceAll("'", "\\'")) && !text.includes(title) && !/\.each\(/.test(text)
      );
    });
    expect(gone).toEqual([]);
  });

  it('is missed by a test wherever there is one', () => {
    expect(effects.filter(({ test, reason }) => test === '' && reason === '').map(({ field }) => field)).toEqual([]);
  });
});

describe('a handler', () => {
  const handler = (run: string) =>
    handlersOf(parse('sample.ts', `export const one = operation({}).run(${run});`)).get('one');
  const sets = (used: string[], dropped: string[], handsOn: boolean) => ({
    used: new Set(used),
    dropped: new Set(dropped),
    handsOn,
  });

  it.each([
    ['() => 1', sets([], [], false)],
    ['(c, { a, b }) => f(a)', sets(['a'], ['b'], false)],
    ['(c, { a: _a, ...rest }) => f(rest)', sets([], ['a'], true)],
    ['(c, { a, ...rest }) => f(a, rest.b)', sets(['a', 'b'], [], false)],
    ['(c, { a = 1 }) => ({ a })', sets(['a'], [], false)],
    ['(c, { a }) => f({ a: 1 }, x.a)', sets([], ['a'], false)],
    ['(c, input) => f(input.a)', sets(['a'], [], false)],
    ['(c, input) => { const { a, b } = input; return a; }', sets(['a'], [], false)],
    ['(c, input) => f({ ...input })', sets([], [], true)],
    ['named', sets([], [], true)],
  ])('reads what it uses: %s', (run, expected) => {
    expect(handler(run)).toEqual(expected);
  });
});
