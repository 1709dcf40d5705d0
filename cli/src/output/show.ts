/** Tables for people: columns that line up, under a head that stands out where there are colours. */
import type { Terminal } from '../syntax/define.js';

/** Text of others as a terminal may show it: without control characters, which a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (letter) => (letter === '\t' || letter === '\n' ? letter : '\ufffd'));
}

type Row = readonly (string | number)[];
type Painting = Pick<Terminal, 'paint'>;

/** Letters of one cell. What is longer can be read with --json. */
const WIDEST = 60;
const MOST_COLUMNS = 7;
/** Ends of the names of fields that tell people less than others. */
const LATE = /(At|Sha|Commit|Hash|Ref)$/;

export function table(head: readonly string[], rows: readonly Row[], { paint }: Painting): string[] {
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
  const given = Object.entries(record).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...given.map(([name]) => name.length));
  return given.map(
    ([name, value]) =>
      `${name.padEnd(width)}  ${printable(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
  );
}

/** Any answer: a list as a table, a record as its fields with a table below for each list in it. */
export function shown(answer: unknown, painting: Painting): string[] {
  if (Array.isArray(answer)) return listed(answer, painting);
  if (!isRecord(answer)) return [String(answer)];
  const lists = Object.entries(answer).filter(([, value]) => isListOfRecords(value));
  const rest = Object.fromEntries(Object.entries(answer).filter(([, value]) => !isListOfRecords(value)));
  return [
    ...fields(rest),
    ...lists.flatMap(([name, value]) => [
      ...(Object.keys(rest).length > 0 || lists.length > 1 ? ['', painting.paint('bold', name)] : []),
      ...listed(value as unknown[], painting),
    ]),
  ];
}

function listed(items: readonly unknown[], painting: Painting): string[] {
  if (items.length === 0) return ['none'];
  if (!items.every(isRecord)) return items.map(cell);
  const names = [...new Set(items.flatMap((item) => Object.keys(item).filter((name) => isPlain(item[name]))))];
  const chosen = [...names.filter((name) => !LATE.test(name)), ...names.filter((name) => LATE.test(name))].slice(
    0,
    MOST_COLUMNS,
  );
  const rows = items.map((item) =>
    chosen.map((name) => (typeof item[name] === 'number' ? item[name] : cell(item[name]))),
  );
  return table(chosen, rows, painting);
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = printable((typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\s+/g, ' '));
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text;
}

function isPlain(value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'object';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOfRecords(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}
