import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { branch } from '../../record/aggregates/branch/branch.js';
import { type TestBranches, branchesOf } from '../../testing/git/test-branches.js';
import { type StoredBranch, MAIN, headOf, storedBranch } from './stored-branch.js';
import { moveHeld, openSpace, save } from './save.js';

async function bench() {
  const context = await branchesOf({ a: '1\n2\n3\n', b: '1\n' });
  const { repositoryId } = context;
  const seedSnapshotId = await headOf(context, await storedBranch(context, MAIN));
  await context.change((change) =>
    change.run(branch, 'one', 'create', { branchId: 'one', repositoryId, seedSnapshotId }),
  );
  const place = await storedBranch(context, 'one');
  const { folder } = await openSpace(context, place);
  const write = (path: string, text: string) => writeFile(join(folder, path), text);
  const read = (path: string) => readFile(join(folder, path), 'utf8');
  return { context, place, write, read, folder };
}

/** A commit on top of the branch, which only the store knows of. */
async function next(context: TestBranches, { store, ...place }: StoredBranch, path: string, content: string) {
  const from = await headOf(context, { store, ...place });
  const tree = await store.edit(from, [{ path, content }]);
  return { from, to: await store.commit({ tree, parents: [from], message: 'x', at: context.now() }) };
}

describe('a branch and its folder', () => {
  it('are brought together when both have changed', async () => {
    const { context, place, write, read } = await bench();
    await write('a', '1\n2\nhand\n');
    const { from, to } = await next(context, place, 'b', 'branch\n');
    await place.store.move(place.ref, from, to);
    const head = await save(context, place);
    expect([await read('a'), await read('b')]).toEqual(['1\n2\nhand\n', 'branch\n']);
    expect(await place.store.isAncestor(to, head)).toBe(true);
    expect(await save(context, place)).toBe(head);
  });

  it('fault 24: stay as they are when both have changed the same', async () => {
    const { context, place, write, read } = await bench();
    await write('b', 'hand\n');
    const { from, to } = await next(context, place, 'b', 'branch\n');
    await place.store.move(place.ref, from, to);
    await expect(save(context, place)).rejects.toMatchObject({
      reason: 'reject.workspace_conflict',
      data: { paths: ['b'] },
    });
    expect([await read('b'), await headOf(context, place)]).toEqual(['hand\n', to]);
    await write('b', 'branch\n');
    expect(await save(context, place)).toBe(to);
  });

  it('keep what is written while the branch moves on', async () => {
    const { context, place, write, read } = await bench();
    const { from, to } = await next(context, place, 'b', 'branch\n');
    await write('a', 'hand\n2\n3\n');
    await moveHeld(context, place, from, to);
    expect([await read('a'), await read('b')]).toEqual(['hand\n2\n3\n', '1\n']);
    await save(context, place);
    expect([await read('a'), await read('b')]).toEqual(['hand\n2\n3\n', 'branch\n']);
  });

  it('fault 18: are not saved twice when the host went down in between', async () => {
    const { context, place, write } = await bench();
    await write('b', 'hand\n');
    const { from, to } = await next(context, place, 'b', 'hand\n');
    await place.store.move(place.ref, from, to);
    expect(await save(context, place)).toBe(to);
    await write('b', 'more\n');
    expect(await save(context, place)).not.toBe(to);
  });

  it('fault 20: are saved by many at once, as one commit', async () => {
    const { context, place, write } = await bench();
    const before = await headOf(context, place);
    await write('b', 'hand\n');
    const heads = await Promise.all(Array.from({ length: 8 }, () => save(context, place)));
    expect(new Set(heads).size).toBe(1);
    expect((await place.store.line(heads[0]!)).slice(1)).toEqual(await place.store.line(before));
  });
});
