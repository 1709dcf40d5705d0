/** Test count parsers: how many tests ran, from output for people. */
export interface TestCounts {
  readonly totalTests: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

type Found = Partial<Omit<TestCounts, 'totalTests'>> & { readonly total?: number };
type Reader = (text: string) => Found[];

const number = (text: string | undefined): number => Number(text ?? 0);
/** Reader that adds up all matches, each of them a run. */
const every =
  (pattern: RegExp, read: (groups: Readonly<Record<string, string | undefined>>) => Found): Reader =>
  (text) =>
    [...text.matchAll(pattern)].map((match) => read(match.groups ?? {}));

/** Counts in a line with `12 passed`, `1 failed` and the like, in any order. */
const counted = (line: string): Found => {
  const of = (...names: string[]): number =>
    [...line.matchAll(/(\d+) ([a-z]+)/g)].reduce(
      (sum, [, n, name = '']) => sum + (names.includes(name) ? number(n) : 0),
      0,
    );
  return {
    passed: of('passed', 'xpassed'),
    failed: of('failed', 'error', 'errors'),
    skipped: of('skipped', 'todo', 'xfailed', 'deselected', 'pending'),
  };
};

/** Readers by priority: those that say more come first. */
const READERS: readonly Reader[] = [
  // cargo
  every(/^test result: .*? (?<passed>\d+) passed; (?<failed>\d+) failed; (?<skipped>\d+) ignored/gm, (found) => ({
    passed: number(found['passed']),
    failed: number(found['failed']),
    skipped: number(found['skipped']),
  })),
  // dotnet
  every(/Failed:\s+(?<failed>\d+), Passed:\s+(?<passed>\d+), Skipped:\s+(?<skipped>\d+), Total:/g, (found) => ({
    passed: number(found['passed']),
    failed: number(found['failed']),
    skipped: number(found['skipped']),
  })),
  // maven: the last line is the sum of those before
  (text) =>
    [...text.matchAll(/Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)/g)].slice(-1).map((match) => {
      const [, total, failures, errors, skipped] = match.map(Number);
      return { total: total ?? 0, failed: (failures ?? 0) + (errors ?? 0), skipped: skipped ?? 0 };
    }),
  // vitest and jest
  every(/^\s*Tests:? +(?<line>.*\d+ (passed|failed|skipped).*)$/gm, ({ line = '' }) => counted(line)),
  // pytest
  every(/^=+ (?<line>.*\d+ (passed|failed|error|skipped).* in [\d.]+s.*?) =+$/gm, ({ line = '' }) => counted(line)),
  // node --test, as people and as programs read it
  (text) => {
    const of = (name: string): number | undefined => {
      const found = [...text.matchAll(new RegExp(`^(?:#|ℹ) ${name} (\\d+)$`, 'gm'))].at(-1);
      return found && number(found[1]);
    };
    const passed = of('pass');
    if (passed === undefined) return [];
    return [
      { passed, failed: (of('fail') ?? 0) + (of('cancelled') ?? 0), skipped: (of('skipped') ?? 0) + (of('todo') ?? 0) },
    ];
  },
  // ctest
  every(/^\d+% tests passed, (?<failed>\d+) tests failed out of (?<total>\d+)/gm, (found) => ({
    total: number(found['total']),
    failed: number(found['failed']),
  })),
  // unittest
  every(/^Ran (?<total>\d+) tests? in [^]*?^(?<line>OK.*|FAILED.*)$/gm, ({ total, line = '' }) => {
    const of = (name: string): number => number(new RegExp(`${name}=(\\d+)`).exec(line)?.[1]);
    return { total: number(total), failed: of('failures') + of('errors'), skipped: of('skipped') };
  }),
  // mocha
  (text) => {
    const of = (name: string): number => number(new RegExp(`^\\s+(\\d+) ${name}\\b`, 'm').exec(text)?.[1]);
    return /^\s+\d+ passing\b/m.test(text)
      ? [{ passed: of('passing'), failed: of('failing'), skipped: of('pending') }]
      : [];
  },
  // go names every test only when it is asked to, else every package
  (text) => goCounts(text, /^\s*--- (PASS|FAIL|SKIP): /gm),
  (text) => goCounts(text, /^(ok|FAIL|\?) {0,3}\t/gm),
];

export function testCounts(output: string): TestCounts {
  for (const reader of READERS) {
    const found = reader(output);
    if (found.length === 0) continue;
    const sum = (of: (one: Found) => number | undefined): number => found.reduce((all, one) => all + (of(one) ?? 0), 0);
    const [failed, skipped] = [sum((one) => one.failed), sum((one) => one.skipped)];
    const passed = sum((one) => one.passed ?? Math.max((one.total ?? 0) - (one.failed ?? 0) - (one.skipped ?? 0), 0));
    return { totalTests: passed + failed + skipped, passed, failed, skipped };
  }
  return { totalTests: 0, passed: 0, failed: 0, skipped: 0 };
}

function goCounts(text: string, pattern: RegExp): Found[] {
  const marks = [...text.matchAll(pattern)].map(([, mark = '']) => mark);
  const of = (...wanted: string[]): number => marks.filter((mark) => wanted.includes(mark)).length;
  return marks.length === 0 ? [] : [{ passed: of('PASS', 'ok'), failed: of('FAIL'), skipped: of('SKIP', '?') }];
}
