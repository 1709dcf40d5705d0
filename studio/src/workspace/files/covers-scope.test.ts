import { expect, it } from 'vitest';
import { coversScope } from './covers-scope.js';

it.each([
  [['src/ui/**'], ['src/ui/**'], true],
  [['src/**'], ['src/ui/**', 'src/a.ts'], true],
  [['src/ui/**'], ['src/ui'], true],
  [['src/ui/**'], ['src/ui/'], true],
  [['*.css'], ['**/*.css'], true],
  [['**/*.ts'], ['src/*.ts'], true],
  [['*.ts', '*.css'], ['src/a.ts', 'b.css'], true],
  [['src/*'], ['src/**'], false],
  [['*/**/a.ts'], ['**/a.ts'], false],
  [['src/?.ts'], ['src/*.ts'], false],
  [['src/**'], ['*.ts'], false],
  [['src/**'], ['src/ui/**', 'docs/**'], false],
  [['src/ui/**'], ['src/**'], false],
  [['src/**'], [], false],
  [[], ['src/**'], false],
  [[], [], false],
])('%j covers %j: %s', (patterns, scope, expected) => {
  expect(coversScope(patterns, scope)).toBe(expected);
});
