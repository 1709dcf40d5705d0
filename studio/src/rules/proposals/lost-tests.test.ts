import { describe, expect, it } from 'vitest';
import { nodeObjectStores } from '../../workspace/git/objects/node-object-store.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { lossOf, lostTests } from './lost-tests.js';

const JS = "test('a', () => {\n  assert.equal(1, 1);\n  expect(2).toBe(2);\n});\n";

describe('what a change takes from the tests', () => {
  it.each([
    ['test/a.test.js', JS, undefined, 'test/a.test.js is deleted, with 2 checks'],
    ['test/a.test.js', JS, JS.replace(/.*assert.*\n/, ''), 'test/a.test.js has 1 of 2 checks fewer'],
    ['a.spec.ts', JS, JS.replace("test('a'", "test.skip('a'"), 'a.spec.ts skips 1 more'],
    [
      'tests/test_a.py',
      'self.assertEqual(1, 1)\n',
      '@unittest.skip("x")\n',
      'tests/test_a.py has 1 of 1 checks fewer, and skips 1 more',
    ],
    ['test/a.test.js', JS, `${JS}// more\n`, undefined],
    ['test/a.test.js', JS, JS.replaceAll('2', '3'), undefined],
    ['test/data.txt', 'nothing\n', undefined, undefined],
  ])('%s', (path, before, after, expected) => {
    expect(lossOf(path, before, after)).toBe(expected);
  });

  it('is found among all that it changes; what is moved, or no test, has lost nothing', async () => {
    const store = await nodeObjectStores(await tempFolder()).of('repo-1');
    const edits = (files: Readonly<Record<string, string | null>>) =>
      Object.entries(files).map(([path, content]) => ({ path, content }));
    const from = await store.edit(
      await store.emptyTree(),
      edits({ 'test/a.test.js': JS, 'test/b.test.js': `${JS}//\n`, 'src/c.js': JS, 'src/latest.js': JS.toUpperCase() }),
    );
    const to = await store.edit(
      from,
      edits({
        'test/a.test.js': null,
        'test/moved.test.js': JS,
        'test/b.test.js': '//\n',
        'src/c.js': '',
        'src/latest.js': '',
      }),
    );
    expect(await lostTests(store, await store.changes(from, to))).toEqual(['test/b.test.js has 2 of 2 checks fewer']);
  });
});
