import { expect, it } from 'vitest';
import { nearestRules } from './nearest-rules.js';

const files = [
  'AGENTS.md',
  'CLAUDE.md',
  'docs/a.md',
  'src/ui/AGENTS.md',
  'src/ui/CLAUDE.md',
  'src/server/.cursorrules',
];

it.each([
  [[], ['AGENTS.md']],
  [['src/ui/**'], ['src/ui/AGENTS.md']],
  [['src/ui'], ['src/ui/AGENTS.md']],
  [['./src/ui/deep/down/*.ts'], ['src/ui/AGENTS.md']],
  [
    ['src/ui/a.ts', 'src/server/b.ts'],
    ['src/ui/AGENTS.md', 'src/server/.cursorrules'],
  ],
  [['src/**'], ['AGENTS.md']],
  [['*.ts', 'docs/**'], ['AGENTS.md']],
  [['**/ui/*.ts'], ['AGENTS.md']],
])('%j: %j', (scope, expected) => {
  expect(nearestRules(files, scope)).toEqual(expected);
});

it('are none where nobody has written any', () => {
  expect(nearestRules(['src/a.ts'], ['src/a.ts'])).toEqual([]);
});
