/** What stayed: a file of each folder that was tried, with the reasons that somebody has written there, and its score in docs/proof.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './instrument.js';

const [FROM, TO] = ['<!-- mutation: begin -->', '<!-- mutation: end -->'];

export interface Result {
  readonly folder: string;
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

export function writeResult({ folder, mutants, noticed }: Result): void {
  const known = new Map(readSurvivors(listOf(folder)).map((each) => [keyOf(each), each.reason]));
  const stayed = mutants.filter(({ id }) => !noticed.has(id));
  const rows = stayed.map((each) => [each.file, each.from, each.to, known.get(keyOf(each)) ?? ''].join('\t'));
  writeFileSync(listOf(folder), rows.map((row) => `${row}\n`).join(''));
  const explained = stayed.filter((each) => known.get(keyOf(each))).length;
  writeScore(folder, [mutants.length, noticed.size, explained]);
}

const keyOf = ({ file, from, to }: Omit<Survivor, 'reason'>): string => [file, from, to].join('\t');

function writeScore(folder: string, [all, noticed, explained]: readonly [number, number, number]): void {
  const page = join('docs', 'proof.md');
  const [before, rest] = readFileSync(page, 'utf8').split(FROM) as [string, string];
  const [table, after] = rest.split(TO) as [string, string];
  const rows = table.split('\n').filter((row) => row.startsWith('| `') && !row.startsWith(`| \`${folder}\``));
  const score = `${((100 * noticed) / all).toFixed(1)} %`;
  rows.push(
    `| \`${folder}\` | ${all.toLocaleString('en')} | ${noticed.toLocaleString('en')} | ${explained} | ${score} |`,
  );
  const head = ['| sources | mutants | noticed | stay with a reason | score |', '| --- | ---: | ---: | ---: | ---: |'];
  writeFileSync(page, `${before}${FROM}\n\n${[...head, ...rows.sort()].join('\n')}\n\n${TO}${after}`);
}
