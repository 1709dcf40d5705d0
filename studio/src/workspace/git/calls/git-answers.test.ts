import { describe, expect, it } from 'vitest';
import { isReason } from '../../../reasons.js';
import { blamedLines, differencesOf, foundLines, mergesOf, pastCommits } from './git-answers.js';

const ID = 'a1'.repeat(20);
const OTHER = 'b2'.repeat(20);

describe('what git printed', () => {
  it.each<[string, () => unknown]>([
    ['a list of differences', () => differencesOf(`${ID} ${OTHER}`)],
    ['a difference', () => differencesOf(`${ID} ${OTHER}\n:100644 100644 ${ID} ${OTHER} M`)],
    ['the path of a difference', () => differencesOf(`${ID} ${OTHER}\n:100644 100644 ${ID} ${OTHER} M\0docs/a`)],
    ['a line that was searched for', () => foundLines(`${ID}:docs/a.md\x003\0found`, ID, 10)],
    ['the number of such a line', () => foundLines(`${ID}:docs/a.md\x003`, ID, 10)],
    ['messages of a merge', () => mergesOf(`1\0${ID}\0\x00900000000\0docs/a.md\0`, [])],
  ])('is refused when it ends in the middle of %s', (_, read) => {
    const refused = (() => {
      try {
        return read();
      } catch (error) {
        return error;
      }
    })();
    expect(isReason(refused, 'reject.git_failed')).toBe(true);
  });

  it('shows a commit whose time no calendar has', () => {
    const year = '+292277026-12-04T15:30:07+00:00';
    expect(pastCommits(`${ID}\n${year}\nAnn\nSubject\0`)).toMatchObject([
      { commit: ID, at: '1970-01-01T00:00:00.000Z' },
    ]);
    const blamed = `${ID} 1 1 1\nauthor Ann\ncommitter-time 9999999999999\nsummary Subject\n\tline\n`;
    expect(blamedLines(blamed)).toMatchObject([{ at: '1970-01-01T00:00:00.000Z', text: 'line' }]);
  });
});
