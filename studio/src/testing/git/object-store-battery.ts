/** What every object store must do: with it, a store in memory may stand in for git's where git would take too long. */
import { describe, expect, it } from 'vitest';
import { STUDIO_IDENTITY } from '../../workspace/git/objects/git-identity.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';

export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
export const at = '2026-01-02T03:04:05.000Z';

export async function treeWith(
  store: ObjectStore,
  files: Readonly<Record<string, string>>,
  from = EMPTY_TREE,
): Promise<string> {
  return store.edit(
    from,
    Object.entries(files).map(([path, content]) => ({ path, content })),
  );
}

export function objectStoreBattery(emptyStore: () => Promise<ObjectStore>): void {
  describe('an object store', () => {
    it('tells of the past: commits, by path too, what they said, and who wrote each line', async () => {
      const store = await emptyStore();
      const commits: string[] = [];
      for (const [index, files] of [{ a: '1\n2\n', b: 'x\n' }, { a: '1\ntwo\n' }, { 'c d': 'y\n' }].entries()) {
        const tree = await treeWith(store, files, commits.at(-1));
        const message = `Step ${index}\n\nMore of it.`;
        commits.push(
          await store.commit({ tree, parents: commits.slice(-1), message, at: `2026-01-0${index + 2}T03:04:05Z` }),
        );
      }
      const [first = '', second = '', third = ''] = commits;
      const subjects = async (wanted: Parameters<ObjectStore['history']>[1]) =>
        (await store.history(third, wanted)).map(({ subject }) => subject);
      expect(await subjects({ most: 5 })).toEqual(['Step 2', 'Step 1', 'Step 0']);
      expect(await subjects({ most: 1, skip: 1 })).toEqual(['Step 1']);
      expect(await subjects({ most: 5, path: 'a' })).toEqual(['Step 1', 'Step 0']);
      expect(await store.history(first, { most: 1 })).toEqual([
        { commit: first, at: '2026-01-02T03:04:05.000Z', author: 'Weft', subject: 'Step 0' },
      ]);
      expect(await store.messageOf(third)).toBe('Step 2\n\nMore of it.');
      expect((await store.blame(third, 'a', 1, 2)).map(({ commit, line, text }) => [commit, line, text])).toEqual([
        [first, 1, '1'],
        [second, 2, 'two'],
      ]);
      expect(await store.resolve(third.slice(0, 12))).toBe(third);
      expect(await store.resolve(`${third.slice(0, 12)}~1`)).toBe(second);
      for (const id of ['HEAD', '--all', 'refs/heads/x', 'abc', `${first}^`])
        expect(await store.resolve(id)).toBeUndefined();
      const below = await store.patch(first, third, 1 << 20, 'c d');
      expect(below.text).toContain('c d');
      expect(below.text).not.toContain('two');
    });

    it('names who wrote a commit, and who made it where that is another', async () => {
      const store = await emptyStore();
      const [ada, eve] = ['Ada', 'Eve'].map((name) => ({ name, email: `${name}@example.test` }));
      const wanted = { tree: await treeWith(store, { a: '1' }), parents: [], message: 'm', at };
      const own = await store.commit(wanted);
      const [theirs, made] = [
        await store.commit({ ...wanted, author: ada }),
        await store.commit({ ...wanted, author: ada, committer: eve }),
      ];
      expect(await Promise.all([own, theirs, made].map((commit) => store.authorOf(commit)))).toEqual([
        STUDIO_IDENTITY,
        ada,
        ada,
      ]);
      expect(new Set([own, theirs, made]).size).toBe(3);
      // The id that git gives to these very bytes.
      expect(made).toBe('5dabdbe3d2a820cdb8471e9ab01c87baf54d23d9');
    });

    it('E7: writes the same commit for the same words', async () => {
      const [one, other] = [await emptyStore(), await emptyStore()];
      const wanted = { parents: [], message: 'Merge it\n\nWeft-Proposal: MP-1', at };
      const commits = await Promise.all(
        [one, other].map(async (store) => store.commit({ ...wanted, tree: await treeWith(store, { a: '1' }) })),
      );
      expect(commits[0]).toBe(commits[1]);
      expect(await one.commit({ ...wanted, tree: await one.treeOf(commits[0]!) })).toBe(commits[0]);
    });

    it('fault 20: of many who move a ref from one place, one does', async () => {
      const store = await emptyStore();
      const tree = await treeWith(store, { a: '1' });
      const commits = await Promise.all(
        Array.from({ length: 8 }, (_, n) => store.commit({ tree, parents: [], message: `n ${n}`, at })),
      );
      for (const from of [undefined, 'first'] as const) {
        const seen = from === undefined ? undefined : await store.at('refs/weft/x');
        const targets = commits.filter((commit) => commit !== seen);
        const won = await Promise.all(targets.map((to) => store.move('refs/weft/x', seen, to)));
        expect(won.filter(Boolean)).toHaveLength(1);
        expect(await store.at('refs/weft/x')).toBe(targets[won.indexOf(true)]);
      }
      const now = await store.at('refs/weft/x');
      expect(await store.move('refs/weft/x', commits[0] === now ? commits[1] : commits[0], undefined)).toBe(false);
      expect(await store.move('refs/weft/x', now, undefined)).toBe(true);
      expect(await store.at('refs/weft/x')).toBeUndefined();
    });

    it('changes files of a tree: writes, replaces, deletes, and turns a folder into a file', async () => {
      const store = await emptyStore();
      const tree = await treeWith(store, { 'a/b': '1', 'a/c': '2', d: '3' });
      const changed = await store.edit(tree, [
        { path: 'a', content: 'file' },
        { path: 'd', content: null },
        { path: 'e\nf', content: Buffer.from([0, 255]) },
        { path: 'gone', content: null },
      ]);
      expect((await store.files(changed)).map(({ path }) => path)).toEqual(['a', 'e\nf']);
      const changes = await store.changes(tree, changed);
      expect(changes.map(({ path, changeKind }) => [path, changeKind])).toEqual([
        ['a', 'Added'],
        ['a/b', 'Deleted'],
        ['a/c', 'Deleted'],
        ['d', 'Deleted'],
        ['e\nf', 'Added'],
      ]);
      for (const path of ['../x', '.git/config', '/x'])
        await expect(store.edit(tree, [{ path, content: '' }])).rejects.toMatchObject({
          reason: 'reject.path_outside_repository',
        });
    });

    it('takes over files as another tree has them, and changes very many at once', async () => {
      const store = await emptyStore();
      const names = Array.from({ length: 520 }, (_, n) => `folder/${String(n).padStart(4, '0')}`);
      const tree = await treeWith(store, Object.fromEntries(names.map((name) => [name, name])));
      expect((await store.files(tree)).map(({ path }) => path)).toEqual(names);
      const file = (await store.entry(tree, names[7]!))!;
      const changed = await store.edit(tree, [
        ...names.slice(0, 519).map((path) => ({ path, content: null })),
        { path: 'link', content: { ...file, mode: '120000' } },
        { path: 'last', content: 'text' },
      ]);
      const left = (await store.files(changed)).map(({ path, mode }) => [path, mode]);
      expect(left).toEqual([
        [names[519], '100644'],
        ['last', '100644'],
        ['link', '120000'],
      ]);
      const read = async (path: string): Promise<string> =>
        (await store.read((await store.entry(changed, path))!.id)).toString();
      expect([await read('link'), await read('last'), await read(names[519]!)]).toEqual([names[7], 'text', names[519]]);
    });

    it('shows changes as text, with names as people wrote them, and cuts it where a line ends', async () => {
      const store = await emptyStore();
      const [none, tree] = [await store.emptyTree(), await treeWith(store, { a: 'one\ntwo\n', ü: 'three\n' })];
      const { text, isWhole } = await store.patch(none, tree);
      expect(isWhole).toBe(true);
      expect(text).toContain('+++ b/a\n@@ -0,0 +1,2 @@\n+one\n+two\ndiff --git a/ü b/ü\n');
      const most = Buffer.byteLength(text) - 2;
      expect(await store.patch(none, tree, most)).toEqual({
        text: text.slice(0, text.indexOf('+three')),
        isWhole: false,
      });
    });

    it('reads many files at once, without those that are long and those that there is no room for', async () => {
      const store = await emptyStore();
      const tree = await treeWith(store, { a: 'a\n', b: '\0\n\n', c: '', d: 'x'.repeat(100), e: 'long'.repeat(100) });
      const [a, b, c, d, e] = (await store.files(tree)).map(({ id }) => id) as [string, string, string, string, string];
      const textOf = (read: ReadonlyMap<string, Buffer>): string[] => [...read.values()].map(String);
      const missing = 'f'.repeat(40);
      expect(textOf(await store.readMany([a, a, missing, e, b, c, d], 200, 1000))).toEqual([
        'a\n',
        '\0\n\n',
        '',
        'x'.repeat(100),
      ]);
      expect([...(await store.readMany([d, a, b, c], 200, 102)).keys()]).toEqual([d, a, c]);
      expect(await store.readMany([], 200, 1000)).toEqual(new Map());
    });

    it('puts on top only what a side changed, from any base', async () => {
      const store = await emptyStore();
      const base = await treeWith(store, { a: '1\n', b: '1\n' });
      const ours = await treeWith(store, { a: '2\n', mine: 'x' }, base);
      const theirs = await treeWith(store, { b: '2\n' }, base);
      const merged = await store.merge(base, ours, theirs);
      expect(merged).toMatchObject({ clean: true, conflicts: [] });
      expect((await store.changes(ours, merged.tree)).map(({ path }) => path)).toEqual(['b']);
      expect(await store.merge(base, base, theirs)).toMatchObject({ tree: theirs, clean: true });
      expect(await store.merge(base, ours, base)).toMatchObject({ tree: ours, clean: true });
      expect(await store.merge(base, ours, ours)).toMatchObject({ tree: ours, clean: true });
    });

    it('names the files in conflict, and of which kind', async () => {
      const store = await emptyStore();
      const base = await treeWith(store, { text: 'a\n', gone: 'a\n', 'b\nb': '\0a' });
      const ours = await store.edit(await treeWith(store, { text: 'b\n', 'b\nb': '\0b', both: '1\n' }, base), [
        { path: 'gone', content: null },
      ]);
      const theirs = await treeWith(store, { text: 'c\n', gone: 'c\n', 'b\nb': '\0c', both: '2\n' }, base);
      expect(await store.merge(base, ours, theirs)).toMatchObject({
        clean: false,
        conflicts: [
          { path: 'b\nb', kind: expect.stringMatching(/^(binary|contents)$/) as string },
          { path: 'both', kind: 'contents' },
          { path: 'gone', kind: 'modify/delete' },
          { path: 'text', kind: 'contents' },
        ],
      });
    });

    it('says what merging many pairs would come to', async () => {
      const store = await emptyStore();
      const base = await treeWith(store, { a: 'one\n', b: 'two\n' });
      const first = await store.commit({ tree: base, parents: [], message: 'x', at });
      const branch = async (files: Readonly<Record<string, string>>) =>
        store.commit({ tree: await treeWith(store, files, base), parents: [first], message: 'x', at });
      const [one, other, third] = [await branch({ a: '1\n' }), await branch({ b: '2\n' }), await branch({ a: '3\n' })];
      const tried = await store.tryPairs([
        [one, other],
        [one, third],
      ]);
      expect(tried.map(({ clean, conflicts }) => [clean, conflicts.map(({ path }) => path)])).toEqual([
        [true, []],
        [false, ['a']],
      ]);
    });

    it("names things as git does, so that one store's objects are another's", async () => {
      const store = await emptyStore();
      const files = { 'a.b': '1\n', 'a/b': '2\n', a0: 'ü\n', 'a/c/d e': '' };
      const tree = await treeWith(store, files);
      expect(tree).toBe('c689cd131f58447036bfff3c80858cd67ab5190b');
      const author = { name: 'Ann', email: 'ann@example.test' };
      const first = await store.commit({ tree, parents: [], message: 'One\n\nMore.\n', at, author });
      const merge = await store.commit({ tree, parents: [first], message: 'ü', at });
      expect([first, merge]).toEqual([
        '1f4c50bfb66aa0d749672d8bc2c362336de282a4',
        '9a44220f1c5407321a5e519e5fee65875c9fd0c5',
      ]);
    });

    it('merges what both sides have changed in one file, where their lines are apart', async () => {
      const lines = (...changed: readonly (readonly [number, string])[]): string =>
        Array.from({ length: 9 }, (_, n) => `${changed.find(([line]) => line === n)?.[1] ?? n}\n`).join('');
      const mergedOf = async (ours: string, theirs: string) => {
        const store = await emptyStore();
        const base = await treeWith(store, { a: lines() });
        const { tree, clean } = await store.merge(
          base,
          await treeWith(store, { a: ours }, base),
          await treeWith(store, { a: theirs }, base),
        );
        return [clean, (await store.read((await store.entry(tree, 'a'))!.id)).toString()];
      };
      expect(await mergedOf(lines([1, 'one']), lines([7, 'seven']))).toEqual([true, lines([1, 'one'], [7, 'seven'])]);
      expect(await mergedOf(lines([1, '1\nmore']), lines([6, '']))).toEqual([true, lines([1, '1\nmore'], [6, ''])]);
      expect(await mergedOf(lines([1, 'x']), lines([1, 'x']))).toEqual([true, lines([1, 'x'])]);
      expect(await mergedOf(lines([1, 'x']), lines([1, 'y']))).toEqual([
        false,
        expect.stringMatching(/^0\n<<<<<<< .*\nx\n=======\ny\n>>>>>>> .*\n2\n/),
      ]);
      expect((await mergedOf(lines([1, 'x']), lines([2, 'y'])))[0]).toBe(false);
      expect((await mergedOf(`${lines()}ours\n`, `${lines()}theirs\n`))[0]).toBe(false);
    });
  });
}
