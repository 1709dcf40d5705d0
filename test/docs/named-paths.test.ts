import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout } from '../architecture/source-tree.js';
import { brokenPaths } from './named-paths.js';

const tree = new Set([
  'README.md',
  'docs',
  'docs/a.md',
  'core',
  'core/src',
  'core/src/graph',
  'core/src/graph/order.ts',
]);
const broken = (text: string): string[] => brokenPaths(new Map([['docs/a.md', text]]), tree);

describe('paths that Markdown names', () => {
  it.each([
    ['a link to nothing', '[b](b.md)', 'b.md'],
    ['a link above the root', '[b](../../README.md)', '../../README.md'],
    ['an anchor without a heading', '# One\n\n[b](#two)', '#two'],
    ['a path from the root', 'see `core/src/graph/chain.ts`', 'core/src/graph/chain.ts'],
    ['a file by the end of its path', 'see `graph/chain.ts`', 'graph/chain.ts'],
    ['a file by its name', 'see `chain.ts`', 'chain.ts'],
    ['the folder of a pattern', 'one `core/src/nouns/<noun>.ts`', 'core/src/nouns/'],
  ])('finds %s', (_what, text, path) => {
    expect(broken(text)).toEqual([expect.stringMatching(/^docs\/a\.md:\d+ /)]);
    expect(broken(text)[0]?.endsWith(` ${path}`)).toBe(true);
  });

  it.each([
    '[b](../README.md) and [c](https://example.org/b.md)',
    '# One `two`, three\n\n[b](#one-two-three) and [c](a.md#one-two-three)',
    '`core/src/graph/`, `graph/`, `graph/order.ts`, `order.ts`, `core/src/graph/*.ts`',
    '`/studio/events`, `merge/unit`, `package.json`, `@weft/core/client`, `replica.text(key)`',
    '```sh\ncat core/nothing.ts\n```',
  ])('says nothing of %s', (text) => {
    expect(broken(text)).toEqual([]);
  });

  it('finds a folder by its name, on pages about how the code is built', () => {
    const of = (page: string): string[] => brokenPaths(new Map([[page, 'see `chain/` and `graph/`']]), tree);
    expect(of('core/README.md')).toEqual(['core/README.md:1 chain/']);
    expect(of('docs/a.md')).toEqual([]);
  });

  it('are there', () => {
    const all = new Set<string>();
    walk('', all);
    const pages = [...all].filter((path) => path.endsWith('.md') && !path.startsWith('docs/generated/'));
    expect(pages.length).toBeGreaterThan(90);
    const texts = new Map(pages.map((path) => [path, readFileSync(join(checkout, path), 'utf8')]));
    expect(brokenPaths(texts, all)).toEqual([]);
  });
});

function walk(folder: string, into: Set<string>): void {
  for (const entry of readdirSync(join(checkout, folder), { withFileTypes: true })) {
    if (/^(\.git|node_modules|dist|\.dist-.*|weft-data|out)$/.test(entry.name)) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    into.add(path);
    if (entry.isDirectory()) walk(path, into);
  }
}
