import { access, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shell } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { removeTree } from './remove-tree.js';

it('removes what is nested deeper than a path may be long, and follows no link', async () => {
  const base = await tempFolder();
  const [tree, kept] = [join(base, 'tree'), join(base, 'kept')];
  await mkdir(tree);
  await writeFile(kept, '');
  await symlink(base, join(tree, 'link'));
  const deep = 'n=$(printf %0200d 0); for i in $(seq 60); do mkdir $n $n-b; cd -P $n; done; echo x > end';
  await shell(tree, deep);
  await removeTree(tree);
  await expect(access(tree)).rejects.toThrow('ENOENT');
  await access(kept);
  await removeTree(join(base, 'nowhere'));
});
