/** Rows of a diff: which lines stand beside each other, which words of them are marked, and which lines were moved. */
import { describe, expect, it } from 'vitest';
import { linesAgainst } from './against.js';
import { coloursOf } from './colours.js';
import { rowsOf } from './diff-rows.js';
import { movesOf } from './moved.js';
import { counterparts, wordMarks } from '../words.js';

type Change = Parameters<typeof rowsOf>[0];

function change(path: string, lines: readonly string[], header = '@@ -1,9 +1,9 @@'): Change {
  const kinds = { '+': 'added', '-': 'removed', ' ': 'context' } as const;
  const parsed = lines.map((line) => ({ kind: kinds[line[0] as '+'], text: line.slice(1) }));
  return { path, changeKind: 'Modified', hunks: [{ header, lines: parsed }] };
}

describe('words', () => {
  it('marks what a line and its counterpart do not share, and nothing where they have little in common', () => {
    const [before, after] = ['const total = sum(items);', 'const total = sumOf(all, items);'];
    const [gone = [], come = []] = wordMarks(before, after) ?? [];
    expect(gone.map(([from, to]) => before.slice(from, to))).toEqual(['sum']);
    expect(come.map(([from, to]) => after.slice(from, to)).join('|')).toBe('sumOf|all, ');
    expect(wordMarks('return', 'if (a) b();')).toBeUndefined();
    expect(wordMarks(`${'x '.repeat(2_000)}a`, `${'x '.repeat(2_000)}b`)).toBeUndefined();
  });

  it('finds the line that one became among more of them, in order', () => {
    expect(
      counterparts(['let a = one(1);', 'let b = two(2);'], ['// new', 'let a = one(11);', 'let b = two(22);']),
    ).toEqual([1, 2]);
    expect(counterparts(['alpha beta', 'gamma delta'], ['gamma delta epsilon'])).toEqual([undefined, 0]);
  });

  it('pairs by place alone where there are many lines', () => {
    const lines = (word: string): string[] => Array.from({ length: 100 }, (_none, at) => `${word} ${at}`);
    expect(counterparts(lines('a'), lines('b'))).toEqual(lines('a').map((_line, at) => at));
    expect(new Set(counterparts(lines('a'), lines('b').slice(1)))).toEqual(new Set([undefined]));
  });
});

it('counterparts stand beside each other, and lines between them alone', () => {
  const rows = rowsOf(
    change('a', ['-let a = one(1);', '-let b = two(2);', '+// new', '+let a = one(11);', '+let b = two(22);']),
    true,
  );
  const sides = rows.flatMap((row) => (row.kind === 'pair' ? [[row.left?.text, row.right?.text]] : []));
  expect(sides).toEqual([
    [undefined, '// new'],
    ['let a = one(1);', 'let a = one(11);'],
    ['let b = two(2);', 'let b = two(22);'],
  ]);
});

describe('moved lines', () => {
  const block = ['function hypotenuse(a, b) {', '  return Math.sqrt(a * a + b * b);', '}'];

  it('are found across files and however far they are indented, by their numbers on both sides', () => {
    const moves = movesOf([
      change(
        'old.js',
        block.map((line) => `-${line}`),
        '@@ -10,3 +9,0 @@',
      ),
      change('new.js', ['+// maths', ...block.map((line) => `+  ${line}`)], '@@ -0,0 +1,4 @@'),
    ]);
    expect([...(moves.get('old.js')?.gone ?? [])]).toEqual([
      [10, { path: 'new.js', line: 2 }],
      [11, { path: 'new.js', line: 3 }],
      [12, { path: 'new.js', line: 4 }],
    ]);
    expect(moves.get('new.js')?.come.get(2)).toEqual({ path: 'old.js', line: 10 });
    expect(moves.get('new.js')?.come.has(1)).toBe(false);
  });

  it('are not what is short, and a removed line has gone to one place', () => {
    expect(movesOf([change('a', ['-}', '+x', '+}'])]).size).toBe(0);
    const twice = movesOf([
      change('a', [
        ...block.map((line) => `-${line}`),
        ...block.map((line) => `+${line}`),
        '+',
        ...block.map((line) => `+${line}`),
      ]),
    ]);
    expect(twice.get('a')?.come.size).toBe(3);
  });
});

it('a side of a conflict knows its own lines, and what they were', () => {
  expect(linesAgainst('a\nlet x = one;\nb', 'a\nlet x = two;\nb\nc')).toEqual([
    { text: 'a', isOwn: false },
    { text: 'let x = two;', isOwn: true, was: 'let x = one;' },
    { text: 'b', isOwn: false },
    { text: 'c', isOwn: true },
  ]);
});

describe('colours', () => {
  it('are classes of parts of lines, over several lines too', async () => {
    const lines = await coloursOf('src/a.ts', 'const a: string = `x\ny`; // why\n');
    const words = (at: number, text: string) =>
      lines?.[at]?.map(([from, to, kind]) => `${kind} ${text.slice(from, to)}`);
    expect(words(0, 'const a: string = `x')).toEqual(['k const', 'd a', 't string', 's `x']);
    expect(words(1, 'y`; // why')).toEqual(['s y`', 'c // why']);
  });

  it.each(['a.js', 'a.json', 'a.css', 'a.html', 'a.py', 'a.rs', 'a.go', 'a.java', 'a.cpp', 'a.yml', 'a.tsx'])(
    'there is a grammar for %s, which takes whatever it is given',
    async (path) => {
      expect(await coloursOf(path, '<\u0000 "}{[ é 𝒳 \n\n "a": 1, # x')).toBeDefined();
    },
  );

  it('there are none of other languages, and of very long texts', async () => {
    expect(await coloursOf('a.bin', 'x')).toBeUndefined();
    expect(await coloursOf('constructor', 'x')).toBeUndefined();
    expect(await coloursOf('a.ts', 'x'.repeat(400_000))).toBeUndefined();
  });
});
