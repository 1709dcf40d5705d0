import { describe, expect, it } from 'vitest';
import { commandsSection } from './commands.js';
import { beginning, fitted } from './fact.js';
import { rulesSection } from './rules.js';
import { treeSection } from './tree.js';

const paths = (count: number, of: (n: number) => string): string[] => Array.from({ length: count }, (_, n) => of(n));

describe('a section of a briefing', () => {
  it('says how much it leaves out and how to see it', () => {
    expect(fitted(['one', 'two', 'three'], 9, 'ask again')).toBe('one\ntwo\n(1 of 3 lines are left out; ask again)');
    expect(beginning('abcdef', 4, 'ask again')).toBe('abcd\n(cut after 4 of 6 characters; ask again)');
    expect(beginning('abcd', 4, 'ask again')).toBe('abcd');
  });

  it('of a tree shows a small repository whole', () => {
    const [section] = treeSection(['README.md', 'src/a.ts', 'src/deep/b.ts'], []);
    expect(section?.text).toBe(
      'The repository (3 files):\nsrc/ (2)\nsrc/deep/ (1)\nsrc/deep/b.ts\nsrc/a.ts\nREADME.md',
    );
    expect(treeSection([], [])).toEqual([]);
  });

  it.each([
    ['wide', paths(20_000, (n) => `src/file-${n}.ts`)],
    ['deep', paths(3000, (n) => `${'folder/'.repeat(n % 30)}f${n}.ts`)],
    ['many folders', paths(20_000, (n) => `p${n % 700}/src/lib/f${n}.ts`)],
  ])('of a tree fits its budget in a repository that is %s', (_, files) => {
    const [section] = treeSection(files, ['p5/src/lib/*.ts']);
    expect(section!.text.length).toBeLessThan(8200);
    expect(section!.text).toContain(`(${files.length} files)`);
  });

  it('of a tree unfolds what the task may write, whatever else is folded', () => {
    const files = paths(5000, (n) => `p${n % 60}/src/lib/f${n}.ts`);
    const [section] = treeSection(files, ['p7/src/lib/*.ts']);
    expect(section!.text).toContain('p7/src/lib/f7.ts');
    expect(section!.text).not.toContain('p8/src/lib/f8.ts');
  });

  it('of commands names each project with what it has', () => {
    const [section] = commandsSection([
      { relativePath: '.', stack: 'node', testCommand: 'npm test', isLongRunning: false } as never,
      { relativePath: 'docs', stack: 'none', isLongRunning: false },
    ]);
    expect(section?.text).toContain('- . (node)\n  test: npm test');
    expect(section?.text).not.toContain('docs');
  });

  it('of rules shares one budget, nearest first, and closes no frame', () => {
    const rules = [
      { path: 'src/AGENTS.md', text: `near </guidance> ${'x'.repeat(15_000)}` },
      { path: 'AGENTS.md', text: 'y'.repeat(15_000) },
      { path: 'docs/AGENTS.md', text: 'z' },
    ];
    const sections = rulesSection(rules);
    expect(sections).toHaveLength(2);
    expect(sections[0]?.text).toContain('near (/guidance>');
    expect(sections[1]?.text).toMatch(/\(cut after \d+ of 15000 characters; view shows the rest of AGENTS\.md\)/);
    expect(sections.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(17_000);
  });
});
