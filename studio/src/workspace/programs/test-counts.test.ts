import { expect, it } from 'vitest';
import { testCounts } from './test-counts.js';

const CASES: readonly [
  tool: string,
  output: string,
  counts: readonly [passed: number, failed: number, skipped: number],
][] = [
  [
    'cargo',
    'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored;',
    [4, 2, 1],
  ],
  ['dotnet', 'Failed!  - Failed:     1, Passed:     5, Skipped:     2, Total:     8, Duration: 1 s', [5, 1, 2]],
  [
    'maven',
    'Tests run: 2, Failures: 0, Errors: 0, Skipped: 0 - in A\n[INFO] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n',
    [2, 2, 1],
  ],
  ['vitest', ' Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 7 passed | 2 skipped (10)\n', [7, 1, 2]],
  ['jest', 'Test Suites: 1 passed, 1 total\nTests:       1 failed, 2 skipped, 3 passed, 6 total\n', [3, 1, 2]],
  [
    'pytest',
    '=================== 1 failed, 12 passed, 3 skipped, 1 warning in 0.12s ===================\n',
    [12, 1, 3],
  ],
  ['node', 'ℹ tests 4\nℹ suites 0\nℹ pass 2\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n', [2, 1, 1]],
  ['node as TAP', '# tests 2\n# pass 2\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n', [2, 0, 0]],
  ['ctest', '75% tests passed, 1 tests failed out of 4\n', [3, 1, 0]],
  ['unittest', 'Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n', [2, 2, 1]],
  ['mocha', '  5 passing (10ms)\n  1 pending\n  2 failing\n', [5, 2, 1]],
  [
    'go -v',
    '--- PASS: TestA (0.00s)\n    --- FAIL: TestB/x (0.00s)\n--- SKIP: TestC (0.00s)\nok  \tx\t0.1s\n',
    [1, 1, 1],
  ],
  ['go', 'ok  \texample/a\t0.002s\nFAIL\texample/b\t0.003s\n?   \texample/c\t[no test files]\nFAIL\n', [1, 1, 1]],
  ['nothing known', 'all fine', [0, 0, 0]],
];

it.each(CASES)('tests are counted of %s', (_tool, output, [passed, failed, skipped]) => {
  expect(testCounts(output)).toEqual({ totalTests: passed + failed + skipped, passed, failed, skipped });
});
