import { expect, it } from 'vitest';
import { hunksOf } from './patch.js';

it('a patch is taken apart by places and lines, and what stands before the first place is left out', () => {
  const patch = [
    'diff --git a/x b/x',
    '--- a/x',
    '+++ b/x',
    '@@ -1,2 +1,2 @@ f()',
    ' a',
    '-b',
    '+--- c',
    '@@ -9 +9 @@',
    '+d',
    '',
  ];
  expect(hunksOf(patch.join('\n'))).toEqual([
    {
      header: '@@ -1,2 +1,2 @@ f()',
      lines: [
        { kind: 'context', text: 'a' },
        { kind: 'removed', text: 'b' },
        { kind: 'added', text: '--- c' },
      ],
    },
    { header: '@@ -9 +9 @@', lines: [{ kind: 'added', text: 'd' }] },
  ]);
  expect(hunksOf('')).toEqual([]);
});
