import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { instrument } from './instrument.js';

/** What stands in place of what. */
const mutantsOf = (source: string): string[] =>
  instrument('some.ts', source, 1).mutants.map(({ from, to }) => `${from} -> ${to}`);

/** What the function `f` of a source answers with a mutant on. */
function run(source: string, on: number, ...args: unknown[]): unknown {
  const { code } = instrument('some.ts', source, 1);
  const { outputText } = ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ESNext } });
  const make = new Function('globalThis', `${outputText}; return f;`) as (
    world: object,
  ) => (...given: unknown[]) => unknown;
  return make({ __mutant: (id: number) => id === on })(...args);
}

describe('mutants', () => {
  it.each([
    ['const a = b < c;', ['b < c -> true', 'b < c -> false', 'b < c -> b <= c']],
    ['const a = b === "text";', ['b === "text" -> true', 'b === "text" -> false']],
    ['if (a && b) c();', ['a && b -> a', 'a && b -> b', 'a && b -> false', 'c() -> undefined']],
    ['if (a || !b) c();', ['a || !b -> a', 'a || !b -> !b', 'a || !b -> true', 'c() -> undefined']],
    ['const a = b ?? c;', ['b ?? c -> b', 'b ?? c -> c']],
    ['const a = b ? c : d;', ['b -> true', 'b -> false']],
    ['const a = !b;', ['!b -> b']],
    ['const a = b + c * 2;', ['b + c * 2 -> b - c * 2', 'c * 2 -> c / 2']],
    ['const a = "text" + b;', ['"text" -> \'\'']],
    ['a += b; c++;', ['a += b -> undefined', 'c++ -> undefined']],
    ['const a = b?.c.d(e?.f);', ['b?.c.d(e?.f) -> b.c.d(e?.f)', 'e?.f -> e.f']],
    ['for (const a of b) c(a);', ['b -> []', 'c(a) -> undefined']],
    ['const a = [b].some(c).d;', ['[b].some(c) -> [b].every(c)', '[b] -> []']],
    ['const a = b.filter(c);', ['b.filter(c) -> b']],
    ['const f = (a) => { g(a); };', ['{ g(a); } -> {}', 'g(a) -> undefined']],
    ['throw new Error(`no ${a} of these`);', []],
    ['import a from "a"; export type B = "b" | true; const c: B = d as B;', []],
    ['class A { constructor() { super(); } b = true; "c" = 1; }', ['true -> false']],
  ])('of %s', (source, mutants) => {
    expect(mutantsOf(source)).toEqual(mutants);
  });

  it('are all in one source, of which one or none is on', () => {
    const source = `
      function f(list: readonly number[], at?: { most: number }): number {
        let sum = 0;
        for (const each of list) if (each < (at?.most ?? 10) && each !== 3) sum += each;
        while (sum > 100) sum -= 100;
        return sum;
      }`;
    const { mutants } = instrument('some.ts', source, 1);
    const given = [[1, 2, 3, 9, 10, 200], undefined] as const;
    expect(run(source, 0, ...given)).toBe(12);
    const answer = (id: number): unknown => attempt(() => run(source, id, ...given));
    const of = (text: string) => answer(mutants.find(({ to }) => to === text)!.id);
    expect(of('each <= (at?.most ?? 10)')).toBe(22);
    expect(of('each !== 3')).toBe(22);
    expect(of('[]')).toBe(0);
    expect(of('at.most')).toBe('TypeError');
    expect(of('{}')).toBeUndefined();
  });

  it('say the line that they are in, and leave lines where they were', () => {
    const source = 'const a = 1;\n\nconst b = a && c;\n';
    const { code, mutants } = instrument('some.ts', source, 7);
    expect(mutants.map(({ id, line }) => [id, line])).toEqual([
      [7, 3],
      [8, 3],
    ]);
    expect(code.split('\n')).toHaveLength(4);
  });
});

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return (error as Error).name;
  }
}
