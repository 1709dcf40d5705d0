import { expect, it } from 'vitest';
import { type Count, Counts } from './counts.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Processes of one cluster, each with what its host has counted of all; words between them arrive when `deliver` is called. */
function processes(...names: readonly string[]) {
  const under: (() => void)[] = [];
  const all = new Map<string, { counts: Counts; total: Map<string, number> }>();
  for (const name of names) {
    const total = new Map<string, number>();
    const heed = (of: string, by: number): void => void total.set(of, (total.get(of) ?? 0) + by);
    const counts = new Counts({
      heed,
      tell: (told) => {
        for (const [other, { counts: theirs }] of all)
          if (other !== name) under.push(() => theirs.told(name, told, false));
      },
    });
    all.set(name, { counts, total });
  }
  return {
    of: (name: string) => all.get(name)!.counts,
    heeded: (name: string, of: string) => all.get(name)!.total.get(of) ?? 0,
    enter: (name: string, of: string, by: 1 | -1 = 1) => all.get(name)!.counts.counted(of, by),
    deliver: async () => {
      await turn();
      for (const arrive of under.splice(0)) arrive();
    },
  };
}

const [ADDRESS, KEY] = ['address 10.0.0.1', 'key ab'];

it('what one counts the others heed within the turn, whatever goes up and down, and the number of all is nobody else’s', async () => {
  const { enter, heeded, deliver } = processes('a', 'b', 'c');
  for (let i = 0; i < 5; i++) enter('a', ADDRESS);
  enter('b', ADDRESS);
  enter('a', ADDRESS, -1);
  enter('a', 'all');
  enter('c', KEY);
  await deliver();
  expect(['a', 'b', 'c'].map((name) => heeded(name, ADDRESS))).toEqual([1, 4, 5]);
  expect(['a', 'b', 'c'].map((name) => heeded(name, KEY))).toEqual([1, 1, 0]);
  expect(heeded('b', 'all')).toBe(0);
  for (let i = 0; i < 4; i++) enter('a', ADDRESS, -1);
  await deliver();
  expect(heeded('b', ADDRESS)).toBe(0);
});

it('all that a process counts takes the place of what was told of it before', () => {
  const { of, heeded } = processes('a', 'b');
  of('b').told('a', [[ADDRESS, 3]], true);
  of('b').told('a', [[KEY, 2]], true);
  expect([heeded('b', ADDRESS), heeded('b', KEY)]).toEqual([0, 2]);
  expect(of('a').all).toEqual([] satisfies readonly Count[]);
});

it('a process that is not heard is taken to be pressed as hard as this one, until it is heard or gone', async () => {
  const { of, enter, heeded, deliver } = processes('a', 'b');
  of('b').told('a', [[KEY, 7]], true);
  enter('b', ADDRESS);
  enter('b', KEY);
  of('b').heard('a', false);
  expect([heeded('b', ADDRESS), heeded('b', KEY)]).toEqual([1, 7]);
  enter('b', ADDRESS);
  expect(heeded('b', ADDRESS)).toBe(2);
  enter('b', ADDRESS, -1);
  expect(heeded('b', ADDRESS)).toBe(1);
  of('b').heard('a', true);
  expect([heeded('b', ADDRESS), heeded('b', KEY)]).toEqual([0, 7]);
  of('b').heard('a', false);
  of('b').gone('a');
  await deliver();
  expect([heeded('b', ADDRESS), heeded('b', KEY)]).toEqual([0, 0]);
});
