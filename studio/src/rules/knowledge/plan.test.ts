import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePlan, slicesOf } from './plan.js';

const slice = (sliceId: string, ...dependsOn: string[]) => ({ sliceId, goal: `do ${sliceId}`, dependsOn });
const plan = (...slices: object[]): string => JSON.stringify({ slices });
const refused = (data: unknown) => expect.objectContaining({ reason: 'reject.plan_invalid', data }) as Error;

describe('a plan', () => {
  it('is taken with what it leaves out', () => {
    expect(parsePlan(plan(slice('b', 'a'), slice('a')))).toEqual({
      slices: [
        { ...slice('b', 'a'), fileScope: [], steps: [] },
        { ...slice('a'), fileScope: [], steps: [] },
      ],
    });
  });

  it('may build on slices of earlier plans', () => {
    expect(parsePlan(plan(slice('b', 'a')), new Set(['a'])).slices).toHaveLength(1);
    expect(() => parsePlan(plan(slice('b', 'a')))).toThrow(refused({ missing: ['a'] }));
  });

  it('says which slices wait for each other', () => {
    const cyclic = plan(slice('free'), slice('a', 'b'), slice('b', 'c'), slice('c', 'a', 'free'));
    expect(() => parsePlan(cyclic)).toThrow(refused({ cycle: ['a', 'b', 'c'] }));
    expect(() => parsePlan(plan(slice('a', 'a')))).toThrow(refused({ cycle: ['a'] }));
  });

  it('names every slice once', () => {
    expect(() => parsePlan(plan(slice('a'), slice('a')))).toThrow(refused({ repeated: ['a'] }));
  });

  it('says what is wrong with its form', () => {
    expect(() => parsePlan('nothing')).toThrow(/^planContent is not JSON/);
    expect(() => parsePlan(plan())).toThrow(/^planContent is not a plan: slices: /);
    expect(() => parsePlan(plan({ ...slice('a'), scope: [] }))).toThrow(/scope/);
    expect(() => parsePlan(plan({ sliceId: 'a' }))).toThrow(
      refused([{ field: 'slices.0.goal', message: expect.any(String) as string }]),
    );
  });

  it('has a cycle exactly when its slices cannot be put in order', () => {
    const edges = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 8 });
    fc.assert(
      fc.property(edges, (edges) => {
        const needs = [0, 1, 2, 3, 4, 5].map((i) => edges.filter(([from]) => from === i).map(([, to]) => to));
        const reaches = (from: number, to: number, seen: readonly number[] = []): boolean =>
          needs[from]!.some((next) => next === to || (!seen.includes(next) && reaches(next, to, [...seen, next])));
        const isCyclic = [0, 1, 2, 3, 4, 5].some((i) => reaches(i, i));
        const text = plan(...needs.map((to, i) => slice(`s${i}`, ...to.map((one) => `s${one}`))));
        const read = (): unknown => parsePlan(text);
        if (isCyclic) expect(read).toThrow('wait for each other');
        else expect(read()).toBeDefined();
      }),
    );
  });

  it('that cannot be read has no slices', () => {
    expect(slicesOf('{')).toEqual([]);
    expect(slicesOf(undefined)).toEqual([]);
    expect(slicesOf(plan(slice('a')))).toHaveLength(1);
  });
});
