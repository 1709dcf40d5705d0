import { operatorWords } from '@weft/server';
import { expect, it } from 'vitest';
import { cliTable } from './table.js';

it('the words of an operator are commands, in their order and with their summaries', () => {
  const nouns = new Set(operatorWords.map(({ noun }) => `${noun} `));
  const words = operatorWords.map(({ noun, verb, summary }) => ({ name: `${noun} ${verb}`, summary }));
  const shown = new Set(['room list', 'room watch']);
  const rows = cliTable
    .filter(({ name }) => [...nouns].some((noun) => name.startsWith(noun)) && !shown.has(name))
    .map(({ name, summary }) => ({ name, summary }));
  expect(rows).toEqual(words);
});
