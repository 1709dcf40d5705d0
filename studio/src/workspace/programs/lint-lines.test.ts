import { expect, it } from 'vitest';
import { lintResults } from './lint-lines.js';

const CASES: readonly [tool: string, output: string, expected: object][] = [
  [
    'go vet',
    './a.go:3:2: unreachable code',
    { ruleId: '', severity: 'error', file: 'a.go', line: 3, message: 'unreachable code' },
  ],
  [
    'ruff',
    'src/a.py:1:8: F401 `os` imported but unused',
    { ruleId: 'F401', severity: 'error', file: 'src/a.py', line: 1, message: '`os` imported but unused' },
  ],
  [
    'gcc',
    '/w/a.c:7:3: warning: unused variable',
    { ruleId: '', severity: 'warning', file: 'a.c', line: 7, message: 'unused variable' },
  ],
  [
    'clippy',
    'warning[W1]: needless return\n --> src/main.rs:2:5\n  |',
    { ruleId: 'W1', severity: 'warning', file: 'src/main.rs', line: 2, message: 'needless return' },
  ],
  [
    'eslint',
    '/w/src/a.ts\n  2:1  error  No unused vars  no-unused-vars\n\n',
    { ruleId: 'no-unused-vars', severity: 'error', file: 'src/a.ts', line: 2, message: 'No unused vars' },
  ],
];

it.each(CASES)('complaints of %s are read', (_tool, output, expected) => {
  expect(lintResults(`some words first\n${output}\nand last`, '/w')).toEqual([expected]);
});

it('complaints are bounded', () => {
  expect(lintResults('a.c:1:1: bad\n'.repeat(5000), '/w')).toHaveLength(200);
});
