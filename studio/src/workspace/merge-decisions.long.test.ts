import { expect, it } from 'vitest';
import { decideAsGit } from '../testing/merge-decisions.js';
import { tempFolder } from '../testing/temp-folder.js';
import { nodeObjectStores } from './node-object-store.js';

it('300 generated merges are decided as git does in a folder', { timeout: 1_800_000 }, async () => {
  const store = await nodeObjectStores(await tempFolder()).of('repo-1');
  await decideAsGit(store, 300);
  expect(await store.refs('refs/weft/t/')).toHaveProperty('size', 3);
});
