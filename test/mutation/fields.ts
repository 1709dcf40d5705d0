/**
 * Fields of the inputs of operations as mutants: where one is on, the operation is not told what was said there. What a test then notices
 * is the effect of the field. `effects.tsv` names a test for each, or why there is none.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NamedOperation, operationTable } from '@weft/studio';
import { agentTable } from '@weft/studio/testing';
import type { Mutant } from './instrument.js';
import { nameOf, told } from './told.js';

/** Source in which each input is read, and the text that reads it there. */
const DOOR = 'studio/src/doors/entry/call.ts';
const READ = 'operation.parse(raw)';

const LIST = join('test', 'mutation', 'effects.tsv');

export interface Effect {
  /** `noun.verb.field`; `page.cursor` and `page.limit` stand for those of all lists, which one function reads. */
  readonly field: string;
  /** Test that shows it, behind the path of its file; empty: none. */
  readonly test: string;
  /** Why no test can. */
  readonly reason: string;
}

/** All fields that anybody may send, each once. */
export function acceptedFields(): string[] {
  const operations: readonly NamedOperation[] = [...operationTable, ...agentTable];
  const names = operations.flatMap((each) => Object.keys(each.in.shape).map((field) => nameOf(each, field)));
  return [...new Set(names)].sort();
}

/** The mutants, and the source of the door that has them. */
export function fieldMutants(root: string): { mutants: Mutant[]; sources: Record<string, string> } {
  const names = acceptedFields();
  const mutants = names.map((from, index) => ({ id: index + 1, file: DOOR, line: 0, from, to: '' }));
  const parts = readFileSync(join(root, DOOR), 'utf8').split(READ);
  if (parts.length !== 2) throw new Error(`${DOOR} reads input ${parts.length - 1} times, not once`);
  const ids = JSON.stringify(Object.fromEntries(names.map((name, index) => [name, index + 1])));
  const asked = `${told.name}(operation, ${READ}, ${ids})`;
  const source = `import { ${told.name} } from '${join(root, 'test', 'mutation', 'told.ts')}';\n${parts.join(asked)}`;
  return { mutants, sources: { [DOOR]: source } };
}

export function readEffects(root = '.'): Effect[] {
  const rows = readFileSync(join(root, LIST), 'utf8').split('\n');
  return rows
    .filter((row) => row !== '')
    .map((row) => {
      const [field = '', test = '', reason = ''] = row.split('\t');
      return { field, test, reason };
    });
}

/** Writes down what showed each field. Where only some were tried, or by some tests, the others stay as they were. */
export function writeEffects(mutants: readonly Mutant[], noticed: ReadonlyMap<number, string>, isWhole: boolean): void {
  const before = new Map(readEffects().map((each) => [each.field, each]));
  const shown = new Map(mutants.map(({ id, from }) => [from, noticed.get(id)]));
  const rows = acceptedFields().map((field) => {
    const test = shown.get(field) ?? (isWhole ? '' : (before.get(field)?.test ?? ''));
    return [field, test, test === '' ? (before.get(field)?.reason ?? '') : ''].join('\t');
  });
  writeFileSync(LIST, rows.map((row) => `${row.trimEnd()}\n`).join(''));
}
