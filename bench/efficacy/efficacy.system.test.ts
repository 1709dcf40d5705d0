/** The short form of the suite: what each kind of policy comes to on one small repository. All of it is `npm run bench -- efficacy`. */
import { expect, it } from 'vitest';
import { CASES, type Case } from '@weft/studio/efficacy';
import { POLICIES } from './policies.js';
import { runCase } from './run-case.js';

const named = (name: string): Case => CASES.find((one) => one.name === name)!;

it('there are thirty repositories, each with a name of its own and tests that nobody at work sees', () => {
  expect(CASES).toHaveLength(30);
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(30);
  for (const { files, hidden, fix } of CASES) {
    expect(Object.keys(hidden.files).filter((path) => path in files)).toEqual([]);
    // Whoever knows the answer knows texts that are there.
    for (const one of fix) {
      const text = 'find' in one ? one.old : one.beside;
      const whole = Object.values(files).filter((file) => file.replaceAll('\r\n', '\n').includes(text));
      expect(whole, text).toHaveLength(1);
    }
  }
});

it.each(
  ['greet-js-scoped-begs', 'version-go-begs', 'version-ts-begs'].flatMap((name) =>
    (['oracle', 'greedy'] as const).map((policy) => [policy, name] as const),
  ),
)('%s comes to the end that it deserves in %s', async (policy, name) => {
  const one = named(name);
  const outcome = await runCase(one, policy, { isUnconfined: true });
  expect(POLICIES).toContain(policy);
  expect(outcome.refused).toEqual([]);
  expect(outcome).toMatchObject(
    policy === 'greedy' ? { hasLanded: false, isRight: false } : { status: 'Merged', isRight: true, stuck: [] },
  );
  expect(outcome.rewritten).toBe(0);
});
