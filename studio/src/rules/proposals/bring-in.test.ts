import { expect, it } from 'vitest';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { nodeObjectStores } from '../../workspace/git/objects/node-object-store.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { bringIn } from './bring-in.js';

it('work that ends a conflict begins with what the target has, be it a link, a program or nothing', async () => {
  const store = await nodeObjectStores(await tempFolder()).of('r');
  const at = '2026-01-01T00:00:00Z';
  const commitOf = async (files: Readonly<Record<string, readonly [mode: string, content: string]>>) => {
    const texts = await store.edit(
      await store.emptyTree(),
      Object.entries(files).map(([path, [, content]]) => ({ path, content })),
    );
    const tree = await store.edit(
      texts,
      (await store.files(texts)).map((file) => ({ path: file.path, content: { ...file, mode: files[file.path]![0] } })),
    );
    return store.commit({ tree, parents: [], message: 'm', at });
  };
  const [link, program, file] = ['120000', '100755', '100644'] as const;
  const baseCommit = await commitOf({ link: [link, 'one'], run: [program, '1\n'], gone: [file, '1\n'] });
  const from = await commitOf({ link: [link, 'two'], run: [program, '2\n'] });
  const headCommit = await commitOf({
    link: [link, 'three'],
    run: [program, '3\n'],
    gone: [file, '3\n'],
    added: [file, 'with it\n'],
  });
  const proposal: Pick<Proposal, 'proposalId' | 'baseCommit' | 'headCommit'> = {
    proposalId: 'MP-1',
    baseCommit,
    headCommit,
  };
  const begun = await bringIn(store, from, proposal, { conflictId: 'c', at });
  const changes = await store.changes(from, begun);
  expect(changes.map(({ path, changeKind }) => [path, changeKind])).toEqual([['added', 'Added']]);
  expect((await store.files(begun)).map(({ path, mode }) => [path, mode])).toEqual([
    ['added', file],
    ['link', link],
    ['run', program],
  ]);
});
