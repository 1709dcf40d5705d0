import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout, readTree } from '../architecture/source-tree.js';
import { unprovenFigures } from './claimed-figures.js';

const results = '# Results\n\n## text\n\n| weft | 551,079 ±11% | 2.03 |\n\n## state\n\n| weft | 17.5 |\n';
const unproven = (text: string): string[] => unprovenFigures(new Map([['README.md', text]]), results);

describe('figures that pages claim', () => {
  it.each([
    'opens in 2 ms',
    'a delivery costs 0.9 µs',
    'takes 400,000 /s and 400,000 edits/s',
    'is 3.5× as fast',
    '[17.5 µs](bench/RESULTS.md#text) a change',
    '[2.03 ms](bench/RESULTS.md#never)',
  ])('%s: has no run', (text) => {
    expect(unproven(text)).toEqual([expect.stringMatching(/^README\.md:1 /)]);
  });

  it.each([
    '[2.03 ms](bench/RESULTS.md#text) to open',
    'closed after 30 s, at most 8 MiB, 200 requests a second',
    '`--silent-ms 8000 ms`, see [the results](bench/RESULTS.md)',
    '```\n12 ms\n```',
  ])('%s: is no claim without a run', (text) => {
    expect(unproven(text)).toEqual([]);
  });

  // Rules set limits. Records say what was measured on the day of the decision.
  it('have their runs in bench/history', () => {
    const read = (path: string): boolean =>
      path.endsWith('.md') && !/^(core\/SPEC\.md|docs\/(decisions|generated)\/)/.test(path);
    const pages = [...readTree()].filter(
      ([path]) => read(path) && path !== 'bench/RESULTS.md' && path !== 'CHANGELOG.md',
    );
    expect(pages.length).toBeGreaterThan(10);
    const page = readFileSync(join(checkout, 'bench', 'RESULTS.md'), 'utf8');
    expect(unprovenFigures(new Map(pages), page)).toEqual([]);
  });
});
