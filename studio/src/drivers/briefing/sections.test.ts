import { describe, expect, it } from 'vitest';
import { commandsSection, timeKey } from './commands.js';
import { beginning, fitted } from './fact.js';
import { outlineSection } from './outline.js';
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

  it('of commands says how long they took, roughly', () => {
    const took = (seconds: number) =>
      commandsSection(
        [{ relativePath: '.', stack: 'node', testCommand: 'npm test', isLongRunning: false } as never],
        new Map([[timeKey('.', 'npm test'), seconds]]),
      )[0]?.text;
    for (const [seconds, text] of [
      [2, 'took seconds'],
      [5, 'took about 5 seconds'],
      [44, 'took about 40 seconds'],
      [89, 'took about 90 seconds'],
      [250, 'took about 4 minutes'],
      [7000, 'took about 100 minutes'],
    ] as const)
      expect(took(seconds)).toContain(`test: npm test (${text})`);
  });

  it.each([
    [
      'a.ts',
      'export async function open(a: string) {\n  const inner = 1;\n}\nexport const two = 2;\n',
      ['1: async function open(a: string)', '4: const two'],
    ],
    [
      'a.py',
      'class Door:\n    def open(self, wide=False):\n        def inner(): pass\n',
      ['1: class Door', '2: def open(self, wide=False)'],
    ],
    [
      'a.go',
      'package a\n\nfunc (d *Door) Open() error {\n}\ntype Door struct {\n',
      ['3: func (d *Door) Open() error', '5: type Door struct'],
    ],
    [
      'a.rs',
      'pub struct Door;\nimpl Door {\n    pub fn open(&self) -> bool {\n',
      ['1: struct Door', '3: fn open(&self) -> bool'],
    ],
    ['A.java', 'public final class Door {\n}\n', ['1: final class Door']],
  ])('of an outline names what %s declares, with lines', (path, text, lines) => {
    expect(outlineSection([{ path, text }], [])[0]?.text.split('\n').slice(1)).toEqual([
      path,
      ...lines.map((line) => `  ${line}`),
    ]);
  });

  it('of an outline begins with what the task may change, then with what others use most, and fits its budget', () => {
    const user = (n: number) => ({
      path: `u${n}.ts`,
      text: `import { used, other } from './a.js';\nexport const user${n} = used;\n`,
    });
    const sources = [
      { path: 'rarely.ts', text: 'export const rarely = 1;\n' },
      { path: 'used.ts', text: 'export const used = 1;\n' },
      { path: 'ours/x.ts', text: 'export const alone = 1;\n' },
      ...Array.from({ length: 2000 }, (_, n) => user(n)),
    ];
    const [section] = outlineSection(sources, ['ours/**']);
    expect(
      section?.text
        .split('\n')
        .filter((line) => !line.startsWith(' '))
        .slice(1, 3),
    ).toEqual(['ours/x.ts', 'used.ts']);
    expect(section!.text.length).toBeLessThan(10_200);
    expect(section!.text).toMatch(/of 4006 lines are left out; symbols, asked for an outline, and grep find/);
    expect(outlineSection([{ path: 'notes.md', text: '# A\n' }], [])).toEqual([]);
    // A line without an end, as programs make them.
    expect(outlineSection([{ path: 'min.js', text: `const x = '${'y'.repeat(1000)}';` }], [])).toEqual([]);
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
