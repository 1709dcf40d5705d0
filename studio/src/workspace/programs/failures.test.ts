import { describe, expect, it } from 'vitest';
import { failuresIn } from './failures.js';

const FOLDER = '/srv/space';
const found = (...lines: string[]) => failuresIn(lines.join('\n'), FOLDER);

describe('failures in the output of', () => {
  it('node --test, as programs read it', () => {
    expect(
      found(
        '# Subtest: sum',
        '    not ok 1 - adds',
        '      ---',
        "      location: '/srv/space/a.test.mjs:3:25'",
        "      failureType: 'testCodeFailure'",
        '      error: |-',
        '        Expected values to be strictly equal:',
        '        ',
        '        2 !== 3',
        '        ',
        "      code: 'ERR_ASSERTION'",
        '      stack: |-',
        '        TestContext.<anonymous> (file:///srv/space/a.test.mjs:5:53)',
        '        Test.run (node:internal/test_runner/test:796:25)',
        '      ...',
        'not ok 1 - sum',
        '  ---',
        "  location: '/srv/space/a.test.mjs:3:1'",
        "  failureType: 'subtestsFailed'",
        "  error: '1 subtest failed'",
        '  ...',
        '1..1',
      ),
    ).toEqual([
      { test: 'adds', file: 'a.test.mjs', line: 5, message: 'Expected values to be strictly equal: | 2 !== 3' },
    ]);
  });

  it('node --test, as people read it', () => {
    expect(
      found(
        '✖ sum (2.9ms)',
        '✖ failing tests:',
        '',
        'test at a.test.mjs:3:25',
        '✖ adds (1.78ms)',
        '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
        '  ',
        '  2 !== 3',
        '  ',
        '      at TestContext.<anonymous> (file:///srv/space/a.test.mjs:5:53)',
        '      at Test.runInAsyncScope (node:async_hooks:206:9)',
      ),
    ).toEqual([
      {
        test: 'adds',
        file: 'a.test.mjs',
        line: 5,
        message: 'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: | 2 !== 3',
      },
    ]);
  });

  it('unittest', () => {
    expect(
      found(
        '======================================================================',
        'ERROR: test_e (test_a.T.test_e)',
        '----------------------------------------------------------------------',
        'Traceback (most recent call last):',
        '  File "/usr/lib/python3.11/unittest/case.py", line 57, in run',
        '  File "/srv/space/test_a.py", line 6, in test_e',
        '    raise ValueError("bad thing")',
        'ValueError: bad thing',
        '',
        'Ran 2 tests in 0.000s',
      ),
    ).toEqual([{ test: 'test_e (test_a.T.test_e)', file: 'test_a.py', line: 6, message: 'ValueError: bad thing' }]);
  });

  it('pytest', () => {
    expect(
      found(
        '=================================== FAILURES ===================================',
        '___________________________________ test_sum ___________________________________',
        '',
        '    def test_sum():',
        '>       assert add(1, 1) == 3',
        'E       assert 2 == 3',
        'E        +  where 2 = add(1, 1)',
        '',
        'tests/test_a.py:4: AssertionError',
        '=========================== short test summary info ============================',
        'FAILED tests/test_a.py::test_sum - assert 2 == 3',
      ),
    ).toEqual([
      { test: 'test_sum', file: 'tests/test_a.py', line: 4, message: 'assert 2 == 3 | +  where 2 = add(1, 1)' },
    ]);
  });

  it('vitest and jest', () => {
    expect(
      found(
        ' FAIL  src/a.test.ts > outer > fails here',
        'AssertionError: expected 1 to be 2 // Object.is equality',
        '',
        '- Expected',
        '+ Received',
        '',
        ' ❯ src/a.test.ts:2:62',
        '⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯',
        '  ● outer › fails there',
        '',
        '    expect(received).toBe(expected)',
        '',
        '      at Object.<anonymous> (src/b.test.js:4:9)',
      ),
    ).toEqual([
      {
        test: 'src/a.test.ts > outer > fails here',
        file: 'src/a.test.ts',
        line: 2,
        message: 'AssertionError: expected 1 to be 2 // Object.is equality',
      },
      {
        test: 'outer › fails there',
        file: 'src/b.test.js',
        line: 4,
        message: 'expect(received).toBe(expected)',
      },
    ]);
  });

  it('go, whose packages are named behind their tests', () => {
    expect(
      found(
        '--- FAIL: TestSum (0.00s)',
        '    --- FAIL: TestSum/of_none (0.00s)',
        '        sum_test.go:9: got 1, want 0',
        'FAIL',
        'FAIL\texample.org/x/core\t0.006s',
        '--- FAIL: TestName (0.00s)',
        'panic: assignment to entry in nil map [recovered]',
        '\tpanic: assignment to entry in nil map',
        '',
        'goroutine 20 [running]:',
        'testing.tRunner.func1.2({0x508ec0, 0x551d20})',
        '\t/usr/lib/go-1.19/src/testing/testing.go:1396 +0x24e',
        'panic({0x508ec0, 0x551d20})',
        '\t/usr/lib/go-1.19/src/runtime/panic.go:884 +0x212',
        'example.org/x/web.TestName(0xc000096680?)',
        '\t/srv/space/web/name_test.go:13 +0x2e',
        'FAIL\texample.org/x/web\t0.011s',
        'FAIL',
      ),
    ).toEqual([
      {
        test: 'TestSum/of_none',
        file: 'sum_test.go',
        line: 9,
        message: 'got 1, want 0',
        within: 'example.org/x/core',
      },
      {
        test: 'TestName',
        file: 'web/name_test.go',
        line: 13,
        message: 'panic: assignment to entry in nil map [recovered] | panic: assignment to entry in nil map',
        within: 'example.org/x/web',
      },
    ]);
  });

  it('go vet, where a package does not compile', () => {
    expect(found('# example.org/x/core', 'vet: core/a.go:6:9: undefined: a')).toEqual([
      { file: 'core/a.go', line: 6, message: 'undefined: a' },
    ]);
  });

  it('tsc, as people read it', () => {
    expect(found(`src/a.ts:3:1 - error TS1005: ')' expected.`, '', '3 ', '', 'Found 1 error in src/a.ts:3')).toEqual([
      { file: 'src/a.ts', line: 3, message: "TS1005: ')' expected." },
    ]);
  });

  it('go and cargo', () => {
    expect(found('--- FAIL: TestSum (0.00s)', '    sum_test.go:12: got 2, want 3', 'FAIL')).toEqual([
      { test: 'TestSum', file: 'sum_test.go', line: 12, message: 'got 2, want 3' },
    ]);
    expect(
      found(
        'test t::fails ... FAILED',
        'failures:',
        '---- t::fails stdout ----',
        '',
        "thread 't::fails' (9922) panicked at src/lib.rs:2:42:",
        'assertion `left == right` failed: not two',
        '  left: 1',
        ' right: 2',
        'stack backtrace:',
        '             at /rustc/5980/library/std/src/panicking.rs:689:5',
        'failures:',
        '    t::fails',
      ),
    ).toEqual([
      {
        test: 't::fails',
        file: 'src/lib.rs',
        line: 2,
        message: 'assertion `left == right` failed: not two | left: 1 | right: 2',
      },
    ]);
  });

  it.each([
    ["src/x.ts(1,7): error TS2322: Type 'number' is no string.", 'src/x.ts', 1, /^TS2322: Type/],
    ['a.c:1:20: error: x undeclared', 'a.c', 1, /^x undeclared$/],
    ['/srv/space/b.go:7:2: undefined: y', 'b.go', 7, /^undefined: y$/],
    ['error[E0425]: cannot find value\n --> src/main.rs:3:5', 'src/main.rs', 3, /cannot find value \(E0425\)/],
    ['  File "/srv/space/a.py", line 3\n    def x(:\n          ^\nSyntaxError: invalid syntax', 'a.py', 3, /^Syntax/],
    ['/srv/space/a.js:4\nconst = 1;\n      ^\n\nSyntaxError: Unexpected token', 'a.js', 4, /^SyntaxError: Unex/],
    ['make: *** [Makefile:2: test] Error 1', undefined, undefined, /Makefile:2: test/],
  ])('a compiler or program: %j', (output, file, line, message) => {
    const [one, ...others] = found(output);
    expect(others).toEqual([]);
    expect([one?.file, one?.line]).toEqual([file, line]);
    expect(one?.message).toMatch(message);
  });

  it('what is well: none', () => {
    expect(found('TAP version 13', 'ok 1 - fine', '# pass 1', 'all done at 12:30:00')).toEqual([]);
    expect(found('')).toEqual([]);
  });
});
