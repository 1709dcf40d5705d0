import { it } from 'vitest';
import { expectDecidedAsGit } from '../../../testing/git/merge-decisions.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { nodeObjectStores } from '../objects/node-object-store.js';

/** More of them are in `merge-decisions.long.test.ts`. */
it('60 generated merges are decided as git does in a folder', { timeout: 120_000 }, async () => {
  await expectDecidedAsGit(await nodeObjectStores(await tempFolder()).of('repo-1'), 60, 7);
});
