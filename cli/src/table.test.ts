import { operatorWords } from '@weft/server';
import { expect, it } from 'vitest';
import { cliTable } from './table.js';

it('the words of an operator are commands, in their order and with their summaries', () => {
  const nouns = new Set(operatorWords.map(({ noun }) => `${noun} `));
  const words = operatorWords.map(({ noun, verb, summary }) => ({ name: `${noun} ${verb}`, summary }));
  // What the command line does by itself, with files or over and over.
  const own = new Set(['room list', 'room watch']);
  for (const verb of ['init', 'key', 'request', 'certify', 'rotate', 'sign', 'adopt', 'revoke', 'show'])
    own.add(`authority ${verb}`);
  const rows = cliTable
    .filter(({ name }) => [...nouns].some((noun) => name.startsWith(noun)) && !own.has(name))
    .map(({ name, summary }) => ({ name, summary }));
  // The groups of the help are in an order of their own.
  const nounOf = ({ name }: { readonly name: string }): string => name.replace(/ .*/, '');
  const byNoun = (a: { readonly name: string }, b: { readonly name: string }): number =>
    nounOf(a).localeCompare(nounOf(b));
  expect(rows.toSorted(byNoun)).toEqual(words.toSorted(byNoun));
});
