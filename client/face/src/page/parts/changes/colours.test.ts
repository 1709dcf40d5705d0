import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wholeLines } from './colours.js';
import { highlighted, parserOf } from './grammars.js';

const CODE = [
  '/* one',
  ' two',
  'three */ const a = `x',
  '${b}',
  'y`;',
  '',
  '// end',
  'function f() { return "s"; }',
  '',
].join('\n');

it('colours found part by part are those of the whole, also where a comment or a text goes over the end of a part', async () => {
  const parser = (await parserOf('typescript'))!;
  const tree = parser.parse(CODE);
  const kinds = (spans: ReturnType<typeof highlighted>): string[] => {
    const kind = Array.from(CODE, () => '');
    for (const [from, to, name] of spans) kind.fill(name, from, to);
    // Ends of lines are never drawn.
    return kind.filter((_name, at) => CODE[at] !== '\n');
  };
  const whole = kinds(highlighted(tree, 0, CODE.length));
  expect(new Set(whole).size).toBeGreaterThan(3);
  for (let length = 0; length <= CODE.length; length++)
    expect(kinds([...wholeLines(CODE, length)].flatMap(([from, to]) => highlighted(tree, from, to)))).toEqual(whole);
});

it('parts hold every line of a text once, in order', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '\n') }), fc.nat(9), (text, length) => {
      const parts = [...wholeLines(text, length)].map(([from, to]) => text.slice(from, to));
      expect(parts.join('\n')).toBe(text);
    }),
  );
});
