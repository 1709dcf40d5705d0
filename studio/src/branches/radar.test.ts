import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { git } from '../testing/git-repository.js';
import { type TestGround, groundWith } from '../testing/test-ground.js';
import type { ObjectStore } from '../workspace/object-store.js';
import { MAIN, headOf, placeOf } from './place.js';
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

async function mainOf(ground: TestGround) {
  const place = await placeOf(ground, MAIN, ground.repositoryId);
  return { store: place.store, main: await headOf(ground, place) };
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
    const { store: plain, main } = await mainOf(await groundWith(base));
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

  it('E1: says nothing else than a real merge in a folder', { timeout: 60_000 }, async () => {
    const ground = await groundWith(base);
    const { store, main } = await mainOf(ground);
    const text = fc.constantFrom('1\n2\n3\n4\n5\n', 'X\n2\n3\n4\n5\n', '1\n2\n3\n4\nY\n', 'Z\n2\n3\n4\nZ\n', null);
    const files = fc.record({ a: text, b: fc.constantFrom('1\n', '2\n', null) });
    await fc.assert(
      fc.asyncProperty(fc.array(files, { minLength: 3, maxLength: 3 }), async (sides) => {
        const heads = new Map<string, string>();
        for (const [n, side] of sides.entries()) heads.set(`b${n}`, await commitWith(store, main, side));
        for (const [name, commit] of heads)
          await git(
            ground.folder,
            'fetch',
            '--quiet',
            '--no-write-fetch-head',
            store.folder,
            `+${commit}:refs/heads/${name}`,
          );
        const real: string[] = [];
        for (const [one, other] of [
          ['b0', 'b1'],
          ['b0', 'b2'],
          ['b1', 'b2'],
        ] as const) {
          await git(ground.folder, 'checkout', '--quiet', '--force', '--detach', one);
          await git(ground.folder, 'merge', '--quiet', '--no-edit', other).catch(() => real.push(`${one},${other}`));
        }
        const seen = await new Radar().look(store, heads);
        expect(seen.map(({ branchIds }) => branchIds.join())).toEqual(real);
      }),
      { numRuns: 10 },
    );
  });
});
