import { expect, it } from 'vitest';
import { placedNotes } from './placed-notes.js';

it('what a review says of a line of a changed file is of that line, and nothing else is', () => {
  const notes = [
    'src/a.ts:12: major: none is refused',
    'odd:3:4: a name with a colon',
    'gone.ts:1: not among the changes',
    'src/a.ts: about all of it',
    'src/a.ts:9:',
    'minor: nothing tests it (no test is there yet)',
  ].join('\n');
  expect(placedNotes(notes, ['src/a.ts', 'odd', 'odd:3'])).toEqual([
    { path: 'src/a.ts', line: 12, text: 'major: none is refused' },
    { path: 'odd:3', line: 4, text: 'a name with a colon' },
  ]);
});
