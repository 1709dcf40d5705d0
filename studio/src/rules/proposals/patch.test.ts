import { expect, it } from 'vitest';
import { hunksOf } from './patch.js';

const [ZERO, A, B, C] = ['0', 'a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string, string];

it('a patch is taken apart by files, places and lines, and what stands before the first place is left out', () => {
  const patch = [
    'diff --git a/x b/x',
    `index ${A}..${B} 100644`,
    '--- a/x',
    '+++ b/x',
    '@@ -1,2 +1,2 @@ f()',
    ' a',
    '-b',
    '+--- c',
    ' index of nothing',
    '@@ -9 +9 @@',
    '+d',
    'diff --git a/mode b/mode',
    'old mode 100644',
    'new mode 100755',
    'diff --git a/y b/y',
    'new file mode 100644',
    `index ${ZERO}..${C}`,
    '--- /dev/null',
    '+++ b/y',
    '@@ -0,0 +1 @@',
    '+y',
    '\\ No newline at end of file',
    '',
  ];
  expect([...hunksOf(patch.join('\n'))]).toEqual([
    [
      `${A}..${B}`,
      [
        {
          header: '@@ -1,2 +1,2 @@ f()',
          lines: [
            { kind: 'context', text: 'a' },
            { kind: 'removed', text: 'b' },
            { kind: 'added', text: '--- c' },
            { kind: 'context', text: 'index of nothing' },
          ],
        },
        { header: '@@ -9 +9 @@', lines: [{ kind: 'added', text: 'd' }] },
      ],
    ],
    [`..${C}`, [{ header: '@@ -0,0 +1 @@', lines: [{ kind: 'added', text: 'y' }] }]],
  ]);
  expect(hunksOf('')).toEqual(new Map());
});
