/** What stayed: a file of each folder that was tried, with the reasons that somebody has written there, and its score in docs/proof.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './instrument.js';

const [FROM, TO] = ['<!-- mutation: begin -->', '<!-- mutation: end -->'];

export interface Result {
  readonly folder: string;
  /** How many there are; those of `mutants` were tried. */
  readonly all: number;
  readonly mutants: readonly Mutant[];
  /** What noticed each. */
  readonly noticed: ReadonlyMap<number, string>;
}

export interface Survivor {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Empty where nobody has said one. */
  readonly reason: string;
}

const listOf = (folder: string): string => join('test', 'mutation', 'survivors', `${folder.replaceAll('/', '-')}.tsv`);

export function readSurvivors(path: string): Survivor[] {
  if (!existsSync(path)) return [];
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .filter((row) => row !== '');
  return rows.map((row) => {
    const [file = '', from = '', to = '', reason = ''] = row.split('\t');
    return { file, from, to, reason };
  });
}

/** Those of the mutants that the list of the folder has, without a reason. */
export function unexplained(folder: string, mutants: readonly Mutant[]): Mutant[] {
  const listed = new Set(
    readSurvivors(listOf(folder))
      .filter(({ reason }) => reason === '')
      .map(keyOf),
  );
  return mutants.filter((mutant) => listed.has(keyOf(mutant)));
}

export function writeResult({ folder, all, mutants, noticed }: Result): void {
  const known = new Map(readSurvivors(listOf(folder)).map((each) => [keyOf(each), each.reason]));
  const stayed = mutants.filter(({ id }) => !noticed.has(id));
  const rows = stayed.map((each) => [each.file, each.from, each.to, known.get(keyOf(each)) ?? ''].join('\t'));
  writeFileSync(listOf(folder), rows.map((row) => `${row}\n`).join(''));
  const explained = stayed.filter((each) => known.get(keyOf(each))).length;
  writeScore(folder, [all, mutants.length, noticed.size, explained]);
}

const keyOf = ({ file, from, to }: Omit<Survivor, 'reason'>): string => [file, from, to].join('\t');

function writeScore(
  folder: string,
  counts: readonly [all: number, tried: number, noticed: number, explained: number],
): void {
  const page = join('docs', 'proof.md');
  const [before, rest] = readFileSync(page, 'utf8').split(FROM) as [string, string];
  const [table, after] = rest.split(TO) as [string, string];
  const rows = table.split('\n').filter((row) => row.startsWith('| `') && !row.startsWith(`| \`${folder}\``));
  const [, tried, noticed] = counts;
  const score = `${((100 * noticed) / tried).toFixed(1)} %`;
  rows.push(`| \`${folder}\` | ${counts.map((count) => count.toLocaleString('en')).join(' | ')} | ${score} |`);
  writeFileSync(page, `${before}${FROM}\n\n${tableOf(rows.sort()).join('\n')}\n\n${TO}${after}`);
}

const HEAD = ['sources', 'mutants', 'tried', 'noticed', 'stay with a reason', 'score'];

/** A table as the formatter leaves it: all columns but the first are numbers. */
function tableOf(rows: readonly string[]): string[] {
  const cells = [HEAD, ...rows.map((row) => row.split('|').slice(1, -1)).map((all) => all.map((cell) => cell.trim()))];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const lined = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join(' | ')} |`;
  const [head, ...rest] = cells.map(lined);
  const line = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [head!, `| ${line.join(' | ')} |`, ...rest];
}
