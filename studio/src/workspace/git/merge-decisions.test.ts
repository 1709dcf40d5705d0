import { expect, it } from 'vitest';
import { DONE, decideAsGit } from '../../testing/merge-decisions.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { nodeObjectStores } from './node-object-store.js';

const IN_CONFLICT = [
  'contents',
  'modify/delete',
  'rename/rename',
  'rename/delete',
  'distinct modes',
  'file/directory',
].map((kind) => `conflict: ${kind}`);

it('300 generated merges are decided as git does in a folder', { timeout: 300_000 }, async () => {
  const store = await nodeObjectStores(await tempFolder()).of('repo-1');
  const tally = await decideAsGit(store, 300, 7);
  // Each kind was there, and often.
  for (const kind of DONE) expect(tally.get(kind) ?? 0, kind).toBeGreaterThan(30);
  expect([...tally.keys()]).toEqual(expect.arrayContaining(IN_CONFLICT));
});
