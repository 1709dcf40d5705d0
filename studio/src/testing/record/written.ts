/** Every aggregate, and the events that were written to its streams once. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Aggregate } from '../../record/aggregates/aggregate.js';
import { createRecords } from '../../record/views/records.js';
import { told } from './given.js';

export interface Written {
  readonly type: string;
  readonly newStatus?: string;
}

export type AnyAggregate = Aggregate<object, Written>;

// What states and events have in common is all that is asked of them here.
export const aggregates = Object.values(createRecords()).map(({ aggregate }) => aggregate as unknown as AnyAggregate);

const pathOf = (name: string): URL => new URL(`../../record/aggregates/${name}`, import.meta.url);

/** Lines of a file beside the aggregates. */
export function linesOf(name: string): string[] {
  return readFileSync(pathOf(name), 'utf8').trim().split('\n');
}

/** Lines that a file has, all or some that stand together; with `WRITE_KEPT=1` it has these from now on. */
export function kept(name: string, lines: readonly string[], isOne = (_line: string): boolean => true): string[] {
  const before = linesOf(name);
  if (process.env['WRITE_KEPT'] === '1') {
    const others = before.filter((line) => !isOne(line));
    const at = before.findIndex(isOne);
    writeFileSync(pathOf(name), `${others.toSpliced(at < 0 ? others.length : at, 0, ...lines).join('\n')}\n`);
  }
  return linesOf(name).filter(isOne);
}

interface Line extends Written {
  readonly aggregate: string;
}

const lines = linesOf('written-events.jsonl').map((line) => JSON.parse(line) as Line);

/** Events of an aggregate, and the first of them that begins something. */
export function writtenTo({ name, event, evolve }: AnyAggregate): { first: Written; events: readonly Written[] } {
  const events = lines
    .filter(({ aggregate }) => aggregate === name)
    .map(({ aggregate: _, ...written }) => event.parse(written));
  const first = events.find((each) => evolve(undefined, each, told) !== undefined);
  if (!first) throw new Error(`no written event begins ${name}`);
  return { first, events };
}

/** Replacer for JSON, in which a field that is there with nothing in it is another thing than one that is not. */
export const shown = (_name: string, value: unknown): unknown => (value === undefined ? 'undefined' : value);
