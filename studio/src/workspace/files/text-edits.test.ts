import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editText } from './text-edits.js';

const CODE = ['export function sum(a, b) {', '  if (a) {', '    return a + b;', '  }', '  return b;', '}', ''].join(
  '\n',
);

function edited(text: string, old: string, now: string, all?: boolean): string {
  const found = editText(text, [{ old, new: now, all }]);
  return 'fault' in found ? `refused: ${found.fault}` : found.text;
}

describe('an edit', () => {
  it.each([
    ['exactly what is there', '  return b;\n', '  return a;\n', '  return a;\n'],
    ['less than a line', 'return b', 'return a', '  return a;\n'],
    ['blanks at the end', '  return b;   ', '  return a;', '  return a;\n'],
    [
      'another indentation',
      'if (a) {\n  return a + b;\n}',
      'if (a) {\n  return 2;\n}',
      '  if (a) {\n    return 2;\n  }\n',
    ],
    ['tabs for blanks', '\treturn b;', '\treturn a;', '  return a;\n'],
    ['numbers of lines', '    5\t  return b;', '    5\t  return a;', '  return a;\n'],
    ['nothing in its place', '  return b;\n', '', '  }\n}\n'],
  ])('finds its place by %s', (_, old, now, expected) => {
    const text = edited(CODE, old, now);
    expect(text).toContain(expected);
    expect(text.split('\n').length).toBe(CODE.split('\n').length - (now === '' ? 1 : 0));
  });

  it('keeps the line breaks of the file', () => {
    const text = CODE.replaceAll('\n', '\r\n');
    const expected = text.replace('  return b;', '  const c = b;\r\n  return c;');
    expect(edited(text, '  return b;\n}\n', '  const c = b;\n  return c;\n}\n')).toBe(expected);
  });

  it('that fits nowhere shows the nearest lines, and where they differ', () => {
    const old = '  if (a) {\n    return a - b;\n  }';
    expect(edited(CODE, old, 'x')).toBe(
      [
        'refused: the old text is not in the file. The nearest lines are:',
        '2\t  if (a) {',
        '3\t    return a + b;',
        '4\t  }',
        'Line 3 is the first that differs. You gave there:     return a - b;',
      ].join('\n'),
    );
    expect(edited(CODE, 'return a - c;', 'x')).toContain('3\t    return a + b;');
    expect(edited('# nothing\n', 'class Entirely: other', 'x')).toMatch(/nothing like it; view the file$/);
  });

  it('that fits at several places names them, unless all are meant', () => {
    const text = 'one\ntwo\none\n';
    expect(edited(text, 'one', '1')).toMatch(/stands at 2 places, at lines 1, 3; .*or say all/);
    expect(edited(text, 'one', '1', true)).toBe('1\ntwo\n1\n');
    expect(edited('  one\n    one\n', 'one  ', '1')).toMatch(/2 places, at lines 1, 2/);
    expect(edited('  one\n    one\n', 'one  ', '1', true)).toBe('  1\n    1\n');
  });

  it('of nothing, or to the same, is refused', () => {
    expect(edited(CODE, '', 'x')).toMatch(/^refused: .* empty/);
    expect(edited(CODE, 'sum', 'sum')).toMatch(/^refused: .* the same/);
  });
});

describe('several edits', () => {
  it('are made in their order, and say where', () => {
    const found = editText('a\nb\nc\n', [
      { old: 'c', new: 'three\n3' },
      { old: 'a\n', new: 'one\n1\n' },
    ]);
    if ('fault' in found) throw new Error(found.fault);
    expect(found.text).toBe('one\n1\nb\nthree\n3\n');
    expect(found.places.map(({ start, end }) => found.text.slice(start, end))).toEqual(['one\n1\n', 'three\n3']);
  });

  it('are made all or none', () => {
    const edits = [
      { old: 'a', new: 'x' },
      { old: 'q', new: 'y' },
    ];
    expect(editText('a\nb\n', edits)).toMatchObject({ fault: expect.stringMatching(/^edit 2 of 2: /) as string });
  });

  it('exact ones are what replacing a part of a text is', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '\n', ' ', '\t'), { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, text, fc.string({ maxLength: 5 }), (before, after, old, now) => {
        const whole = `${before}<${old}>${after}`;
        fc.pre(`<${old}>` !== now);
        expect(edited(whole, `<${old}>`, now)).toBe(`${before}${now}${after}`);
      }),
      { numRuns: 200 },
    );
  });
});
