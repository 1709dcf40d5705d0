import { expect, it } from 'vitest';
import { Keys } from './keys.js';

const names = (...pieces: string[]): string[] => {
  const keys = new Keys();
  return pieces.flatMap((piece) => keys.in(piece).map(({ name }) => name));
};

it('keys have names, also when several come at once', () => {
  expect(names('jk\u001b[A\u001b[B\u001bOA\r\u007f\u0003ü😀')).toEqual([
    'j',
    'k',
    'up',
    'down',
    'up',
    'enter',
    'backspace',
    'ctrl-c',
    'ü',
    '😀',
  ]);
  expect(names('\u001b')).toEqual(['escape']);
});

it('a sequence that comes in two pieces is one key, and one that nobody knows is none', () => {
  expect(names('\u001b[', '5~', 'a')).toEqual(['page-up', 'a']);
  expect(names('\u001b[1;5Cq\u0001')).toEqual(['q']);
});

it('what is pasted is text and no keys, on one line, however it is cut', () => {
  const keys = new Keys();
  expect(keys.in('\u001b[200~yes\r\nit')).toEqual([]);
  expect(keys.in(' is\u001b[20')).toEqual([]);
  expect(keys.in('1~q')).toEqual([
    { name: 'paste', text: 'yes it is' },
    { name: 'q', text: 'q' },
  ]);
});

it('a paste is bounded, and its end is found all the same', () => {
  const keys = new Keys();
  keys.in('\u001b[200~');
  for (let n = 0; n < 100; n++) expect(keys.in('x'.repeat(1000))).toEqual([]);
  keys.in('\u001b[20');
  const [pasted, next] = keys.in('1~q');
  expect([pasted?.name, next?.name]).toEqual(['paste', 'q']);
  expect(pasted?.text.length).toBeLessThan(20_000);
});
