import { expect, it, onTestFinished, vi } from 'vitest';
import { Convoys } from './convoys.js';

/** Questions that are answered, or not, when the test says so. */
function far(options: { readonly most?: number; readonly patienceMs?: number } = {}) {
  const asked: { readonly keys: readonly string[]; readonly answer: (error?: Error) => void }[] = [];
  const convoys = new Convoys<string, string>({
    most: 3,
    ...options,
    ask: (keys) =>
      new Promise((resolve, reject) => {
        const answers = new Map(keys.map((key) => [key, `of ${key}`]));
        asked.push({ keys, answer: (error) => (error ? reject(error) : resolve(answers)) });
      }),
  });
  return { convoys, asked, keys: () => asked.map(({ keys }) => keys.join('')) };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('two are under way, and what is asked meanwhile goes as one, so many at most', async () => {
  const { convoys, asked, keys } = far();
  const all: Promise<string>[] = [];
  for (const key of 'abcdef') {
    all.push(convoys.ask(key));
    await turn();
  }
  expect(keys()).toEqual(['a', 'b']);
  asked[1]!.answer();
  await turn();
  expect(keys()).toEqual(['a', 'b', 'cde']);
  asked[0]!.answer();
  await turn();
  expect(keys()).toEqual(['a', 'b', 'cde', 'f']);
  for (const { answer } of asked) answer();
  expect(await Promise.all(all)).toEqual([...'abcdef'].map((key) => `of ${key}`));
});

it('what is asked at once goes as one, and nothing is asked twice that has not left', async () => {
  const { convoys, asked, keys } = far();
  const all = ['a', 'b', 'a'].map((key) => convoys.ask(key));
  await turn();
  const again = convoys.ask('a');
  await turn();
  expect(keys()).toEqual(['ab', 'a']);
  for (const { answer } of asked) answer();
  expect(await Promise.all([...all, again])).toEqual(['of a', 'of b', 'of a', 'of a']);
});

it('one that fails is told to those in it alone, and the next ones go', async () => {
  const { convoys, asked, keys } = far();
  const failing = [convoys.ask('a'), convoys.ask('b')].map((one) => one.catch(String));
  await turn();
  const other = convoys.ask('c');
  await turn();
  asked[0]!.answer(new Error('it is away'));
  expect(await Promise.all(failing)).toEqual(['Error: it is away', 'Error: it is away']);
  const later = convoys.ask('d');
  await turn();
  expect(keys()).toEqual(['ab', 'c', 'd']);
  for (const { answer } of asked) answer();
  expect(await Promise.all([other, later])).toEqual(['of c', 'of d']);
});

it('ones that are not answered hold up nobody for long', async () => {
  const { convoys, asked } = far({ patienceMs: 1 });
  const slow = [convoys.ask('a')];
  await turn();
  slow.push(convoys.ask('b'));
  await turn();
  const third = convoys.ask('c');
  await expect.poll(() => asked.length).toBe(3);
  asked[2]!.answer();
  expect(await third).toBe('of c');
  for (const { answer } of asked) answer();
  expect(await Promise.all(slow)).toEqual(['of a', 'of b']);
});

it('one that is answered late makes room for nobody a second time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { convoys, asked, keys } = far({ patienceMs: 500 });
  const all: Promise<string>[] = [];
  const ask = async (key: string): Promise<void> => {
    all.push(convoys.ask(key));
    await turn();
  };
  await ask('a');
  vi.advanceTimersByTime(500);
  for (const key of 'bc') await ask(key);
  asked[0]!.answer();
  await turn();
  await ask('d');
  expect(keys()).toEqual(['a', 'b', 'c']);
  asked[1]!.answer();
  await turn();
  expect(keys()).toEqual(['a', 'b', 'c', 'd']);
  for (const { answer } of asked) answer();
  expect(await Promise.all(all)).toEqual([...'abcd'].map((key) => `of ${key}`));
});
