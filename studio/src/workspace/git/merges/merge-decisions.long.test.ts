import { it } from 'vitest';
import { expectDecidedAsGit } from '../../../testing/git/merge-decisions.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { nodeObjectStores } from '../objects/node-object-store.js';

it('300 generated merges are decided as git does in a folder', async () => {
  await expectDecidedAsGit(await nodeObjectStores(await tempFolder()).of('repo-1'), 300, 7);
});
