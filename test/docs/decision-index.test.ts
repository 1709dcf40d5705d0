import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout } from '../architecture/source-tree.js';
import { wrongRecords } from './decision-index.js';

const accepted = (title: string): string => `# ${title}\n\n**Status.** Accepted.\n`;
const superseded = (title: string, by: string): string => `# ${title}\n\n**Status.** Superseded by ${by}.\n`;

describe('the index of decisions', () => {
  it.each([
    ['a record without a line', '', { '0001-a.md': accepted('1. A') }, '0001-a.md stands 0 times'],
    ['a line without a record', '- [2](0002-b.md) B.', {}, 'leads to 0002-b.md'],
    ['a line under another number', '- [2](0001-a.md) A.', { '0001-a.md': accepted('1. A') }, 'calls 0001-a.md 2'],
    ['a record without a status', '- [1](0001-a.md) A.', { '0001-a.md': '# 1. A\n\nText.\n' }, 'no status'],
    ['a title without its number', '- [1](0001-a.md) A.', { '0001-a.md': accepted('A') }, 'number and title'],
    [
      'a line that does not say who supersedes',
      '- [1](0001-a.md) A.\n- [2](0002-b.md) B.',
      { '0001-a.md': superseded('1. A', '[decision 2](0002-b.md)'), '0002-b.md': accepted('2. B') },
      'differ about who supersedes it',
    ],
    [
      'a successor that is not there',
      '- [1](0001-a.md) A. (Superseded by 3.)',
      { '0001-a.md': superseded('1. A', '[decision 3](0003-c.md)') },
      'which is not record 3',
    ],
    [
      'a number that two have',
      '- [1](0001-a.md) A.\n- [1](0001-b.md) B.',
      { '0001-a.md': accepted('1. A'), '0001-b.md': accepted('1. B') },
      '0001-b.md has the number of 0001-a.md',
    ],
  ])('finds %s', (_what, index, records, complaint) => {
    expect(wrongRecords(index, new Map(Object.entries(records)))).toEqual([expect.stringContaining(complaint)]);
  });

  it('has every record once, each with a status', () => {
    const folder = join(checkout, 'docs', 'decisions');
    const names = readdirSync(folder).filter((name) => name !== 'README.md');
    const records = new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
    expect(wrongRecords(readFileSync(join(folder, 'README.md'), 'utf8'), records)).toEqual([]);
  });
});
