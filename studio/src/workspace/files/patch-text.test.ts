import { describe, expect, it } from 'vitest';
import { parsePatch } from './patch-parser.js';
import { patchText } from './patch-text.js';

const CODE = [
  'class A:',
  '    def one(self):',
  '        return 1',
  '',
  '    def two(self):',
  '        return 1',
  '',
].join('\n');

function patched(text: string, patch: string): string {
  const parsed = parsePatch(patch);
  if ('fault' in parsed) return `refused: ${parsed.fault}`;
  const [file] = parsed.files;
  if (file?.kind !== 'update') throw new Error('no file is updated');
  const found = patchText(text, file.hunks);
  return 'fault' in found ? `refused: ${found.fault}` : found.text;
}

const unified = (...lines: string[]): string => ['--- a/x.py', '+++ b/x.py', ...lines, ''].join('\n');
const marked = (...lines: string[]): string =>
  ['*** Begin Patch', '*** Update File: x.py', ...lines, '*** End Patch'].join('\n');

describe('a patch', () => {
  it('in the form of git names files that are made, changed, moved and removed', () => {
    const text = [
      'diff --git a/old.py b/new.py',
      '--- a/old.py',
      '+++ b/new.py',
      '@@ -1 +1 @@',
      '-a',
      '+b',
      'diff --git a/gone b/gone',
      'deleted file mode 100644',
      '--- a/gone',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-x',
      '--- /dev/null',
      '+++ b/made',
      '@@ -0,0 +1,2 @@',
      '+one',
      '+',
    ].join('\n');
    expect(parsePatch(text)).toEqual({
      files: [
        { kind: 'update', path: 'old.py', to: 'new.py', hunks: [{ old: ['a'], now: ['b'], line: 1 }] },
        { kind: 'delete', path: 'gone' },
        { kind: 'add', path: 'made', text: 'one\n\n' },
      ],
    });
  });

  it('in the form with marks does so too', () => {
    const text = [
      '*** Begin Patch',
      '*** Update File: old.py',
      '*** Move to: new.py',
      '@@ def one(self):',
      '-a',
      '+b',
      '*** Delete File: gone',
      '*** Add File: made',
      '+one',
      '+',
      '*** End Patch',
    ].join('\n');
    expect(parsePatch(text)).toEqual({
      files: [
        { kind: 'update', path: 'old.py', to: 'new.py', hunks: [{ old: ['a'], now: ['b'], below: 'def one(self):' }] },
        { kind: 'delete', path: 'gone' },
        { kind: 'add', path: 'made', text: 'one\n\n' },
      ],
    });
  });

  it.each([
    ['', /no file is named/],
    ['hello', /no file is named/],
    [marked('? what'), /each line begins with a blank, - or \+.*\? what/],
    [marked(), /changes nothing in it/],
    ['*** Add File: x\nno plus', /each line begins with \+/],
    ['*** Delete File: x\n*** Delete File: x', /names x twice/],
  ])('that is none says what is wrong: %j', (text, why) => {
    expect(parsePatch(text)).toMatchObject({ fault: expect.stringMatching(why) as string });
  });

  it('is put where its lines are, near the line that it names, whatever it counts', () => {
    const second = CODE.replace(/return 1\n$/, 'return 2\n');
    expect(patched(CODE, unified('@@ -6,99 +6,1 @@', '-        return 1', '+        return 2'))).toBe(second);
    expect(patched(CODE, marked('@@ def two(self):', '-        return 1', '+        return 2'))).toBe(second);
    expect(patched(CODE, marked('@@ def two(self):', '-return 1', '+return 2'))).toBe(second);
  });

  it('of several hunks counts on from the one before', () => {
    const hunks = [
      '@@ -1,1 +1,3 @@',
      '-class A:',
      '+class A:',
      '+    """Says."""',
      '+',
      '@@ -6,1 +8,1 @@',
      '-        return 1',
    ];
    const expected = CODE.replace('class A:\n', 'class A:\n    """Says."""\n\n').replace(/return 1\n$/, 'return 2\n');
    expect(patched(CODE, unified(...hunks, '+        return 2'))).toBe(expected);
  });

  it('adds where it names a line, and else at the end', () => {
    expect(patched('a\nb\n', unified('@@ -1,0 +2,1 @@', '+x'))).toBe('a\nx\nb\n');
    expect(patched('a\nb\n', marked('@@', '+x'))).toBe('a\nb\nx\n');
    expect(patched('', marked('@@', '+x'))).toBe('x\n');
    expect(patched('a', marked('@@', ' a', '+x'))).toBe('a\nx');
  });

  it('keeps lines of context as they are there', () => {
    expect(patched('a  \r\nb\r\n', marked(' a', '-b', '+c'))).toBe('a  \r\nc\r\n');
  });

  it('that fits nowhere shows the nearest lines', () => {
    expect(patched(CODE, marked('     def one(self):', '-        return 3', '+        return 2'))).toMatch(
      /The nearest lines are:\n2\t {4}def one\(self\):\n3\t {8}return 1\nLine 3 is the first that differs/,
    );
    expect(patched(CODE, marked('@@ def none', '+x'))).toMatch(/no line has the text behind @@: def none/);
    expect(patched(CODE, marked('-return 1', '+return 2'))).toMatch(/but for blanks, at 2 places/);
  });
});
