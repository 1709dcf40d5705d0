import { access } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { git, shell } from '../../testing/git/git-repository.js';
import { type TestBranches, branchesOf } from '../../testing/git/test-branches.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { MAIN, headOf, storedBranch } from './stored-branch.js';
import { Radar } from './radar.js';

const at = '2026-01-02T03:04:05.000Z';
const base = { a: '1\n2\n3\n4\n5\n', b: '1\n' };

async function commitWith(
  store: ObjectStore,
  from: string,
  files: Readonly<Record<string, string | null>>,
): Promise<string> {
  const edits = Object.entries(files).map(([path, content]) => ({ path, content }));
  return store.commit({ tree: await store.edit(from, edits), parents: [from], message: 'x', at });
}

const WAYS = ['merge=union', '-merge', 'binary', 'merge=text', 'merge=own', 'merge=unknown', 'mine', '!merge'];

/** Merges one into the other; says first whether git was content. */
const REALLY_MERGE = `
git checkout --quiet --force --detach "$0" || exit 1
git merge --quiet --no-edit "$1" >&2 && echo clean || echo conflicted
git diff --name-only --diff-filter=U`;

/** Paths that git leaves in conflict when it merges one into the other. */
async function inConflict(folder: string, one: string, other: string): Promise<string[]> {
  const [outcome, ...paths] = (await shell(folder, REALLY_MERGE, one, other)).split('\n').filter((line) => line !== '');
  expect(outcome).toBe(paths.length > 0 ? 'conflicted' : 'clean');
  return paths;
}

async function mainOf(context: TestBranches) {
  const place = await storedBranch(context, MAIN, context.repositoryId);
  return { store: place.store, main: await headOf(context, place) };
}

/** The store, and how many pairs it was asked to merge. */
function counting(store: ObjectStore): { store: ObjectStore; pairs: () => number } {
  let pairs = 0;
  const counted = Object.create(store, {
    tryPairs: {
      value: (asked: readonly (readonly [string, string])[]) => {
        pairs += asked.length;
        return store.tryPairs(asked);
      },
    },
  }) as ObjectStore;
  return { store: counted, pairs: () => pairs };
}

describe('the radar', () => {
  it('E1: sees what would be in conflict, and merges again only what has moved', async () => {
    const { store: plain, main } = await mainOf(await branchesOf(base));
    const { store, pairs } = counting(plain);
    const heads = new Map([
      ['one', await commitWith(plain, main, { b: 'one\n' })],
      ['two', await commitWith(plain, main, { b: 'two\n' })],
      ['three', await commitWith(plain, main, { a: null })],
      ['same', main],
    ]);
    const radar = new Radar();
    const seen = [{ branchIds: ['one', 'two'], conflicts: [{ path: 'b', kind: 'contents' }] }];
    expect(await radar.look(store, heads)).toEqual(seen);
    expect(await radar.look(store, heads)).toEqual(seen);
    expect(pairs()).toBe(6);
    heads.set('three', await commitWith(plain, main, { b: 'three\n' }));
    expect((await radar.look(store, heads)).map(({ branchIds }) => branchIds.join())).toEqual([
      'one,three',
      'one,two',
      'three,two',
    ]);
    expect(pairs()).toBe(9);
    expect(await radar.look(store, new Map([['one', main]]))).toEqual([]);
  });

  it('E1: says nothing else than real merges in a folder, whatever attributes say', async () => {
    const context = await branchesOf(base);
    const { folder } = context;
    const { store, main } = await mainOf(context);
    // A program that fails is as good as one that is not run.
    await git(folder, 'config', 'merge.own.driver', 'false');
    const text = fc.constantFrom('1\n2\n3\n4\n5\n', 'X\n2\n3\n4\n5\n', '1\n2\n3\n4\nY\n', 'Z\n2\n3\n4\nZ\n', null);
    const said = (...names: string[]) =>
      fc.constantFrom(null, null, ...names.flatMap((name) => WAYS.map((way) => `${name} ${way}\n`)));
    const files = fc.record({
      a: text,
      b: fc.constantFrom('1\n', '2\n', null),
      'dir/c': text,
      '.gitattributes': said('a', '*', 'dir/c', '[attr]mine'),
      'dir/.gitattributes': said('c', '*'),
    });
    let collisions = 0;
    await fc.assert(
      fc.asyncProperty(files, fc.array(files, { minLength: 3, maxLength: 3 }), async (first, sides) => {
        const start = await commitWith(store, main, first);
        const heads = new Map<string, string>();
        for (const [n, side] of sides.entries()) heads.set(`b${n}`, await commitWith(store, start, side));
        const fetched = [...heads].map(([name, commit]) => `+${commit}:refs/heads/${name}`);
        await git(folder, 'fetch', '--quiet', '--no-write-fetch-head', store.folder, ...fetched);
        const real: unknown[] = [];
        for (const [one, other] of [
          ['b0', 'b1'],
          ['b0', 'b2'],
          ['b1', 'b2'],
        ] as const) {
          const paths = new Set([...(await inConflict(folder, one, other)), ...(await inConflict(folder, other, one))]);
          if (paths.size > 0) real.push([one, other, [...paths].sort()]);
        }
        collisions += real.length;
        const seen = await new Radar().look(store, heads);
        expect(seen.map(({ branchIds, conflicts }) => [...branchIds, conflicts.map(({ path }) => path)])).toEqual(real);
      }),
      { numRuns: 8 },
    );
    expect(collisions).toBeGreaterThan(0);
  });

  it('E1: says of which files only a program could merge them, and asks nobody about files that change on one side', async () => {
    const attributes = 'a merge=own\nb merge=unknown\nc merge=own\n';
    const context = await branchesOf({ ...base, c: '1\n', '.gitattributes': attributes });
    const { store, main } = await mainOf(context);
    const heads = new Map([
      ['one', await commitWith(store, main, { a: 'X\n2\n3\n4\n5\n', b: '1\n2\n' })],
      ['two', await commitWith(store, main, { a: '1\n2\n3\n4\nY\n', c: '2\n' })],
    ]);
    // Nothing is configured, so git merges them as texts.
    expect(await new Radar().look(store, heads)).toEqual([]);
    const mark = join(context.folder, '..', 'mark');
    await git(context.folder, 'config', 'merge.own.driver', `touch ${mark}`);
    expect(await new Radar().look(store, heads)).toMatchObject([{ conflicts: [{ path: 'a', kind: 'driver' }] }]);
    await expect(access(mark)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
