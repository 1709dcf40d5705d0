/** Tables for people: columns that line up, under a head that stands out where there are colours. */
import type { Terminal } from '../syntax/define.js';

type Row = readonly (string | number)[];

export function table(head: readonly string[], rows: readonly Row[], { paint }: Pick<Terminal, 'paint'>): string[] {
  const lines = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const isNumeric = head.map((_, column) => rows.every((row) => typeof row[column] === 'number'));
  const [first = '', ...others] = lines.map((line) =>
    line
      .map((text, column) => (isNumeric[column] ? text.padStart(widths[column]!) : text.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
  return [paint('bold', first), ...others];
}

/** Lines for a record, one for each field that has a value. */
export function fields(record: object): string[] {
  const shown = Object.entries(record).filter(([, value]) => value !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(
    ([name, value]) => `${name.padEnd(width)}  ${typeof value === 'object' ? JSON.stringify(value) : value}`,
  );
}
