import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../../testing/git/git-repository.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { NodeObjectStore, nodeObjectStores } from '../objects/node-object-store.js';
import type { ObjectStore } from '../objects/object-store.js';
import { clearStaleLocks } from './stale-locks.js';

describe('fault 18: locks and unfinished packs that were left behind', () => {
  it('are taken away, wherever they are, and nothing else is', async () => {
    const folder = await tempFolder();
    const store = new NodeObjectStore('repo-1', join(folder, 'repo-1.git'));
    await store.init();
    await mkdir(join(store.folder, 'refs/weft/branches'), { recursive: true });
    for (const name of ['packed-refs.lock', 'config.lock', 'refs/weft/branches/one.lock', 'HEAD.lock'])
      await writeFile(join(store.folder, name), '');
    const packs = join(store.folder, 'objects/pack');
    for (const name of ['tmp_pack_aB3', 'tmp_idx_aB3', 'pack-1.keep']) await writeFile(join(packs, name), '');
    const again = await nodeObjectStores(folder).of('repo-1');
    expect(await again.move('refs/weft/branches/one', undefined, await again.commit(await empty(again)))).toBe(true);
    expect((await readdir(store.folder)).filter((name) => name.endsWith('.lock'))).toEqual([]);
    expect(await readdir(packs)).toEqual(['pack-1.keep']);
  });

  it('stay while a git that may own them lives', async () => {
    const folder = await tempFolder();
    await git(folder, 'init', '--quiet', '--bare');
    await writeFile(join(folder, 'HEAD.lock'), '');
    const child = spawn('git', ['cat-file', '--batch'], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.write('HEAD\n');
    await once(child.stdout, 'data');
    expect(await clearStaleLocks(folder)).toEqual([]);
    child.stdin.end();
    await once(child, 'exit');
    expect(await clearStaleLocks(folder)).toEqual([join(folder, 'HEAD.lock')]);
  });
});

async function empty(store: ObjectStore) {
  return { tree: await store.emptyTree(), parents: [], message: 'x', at: '2026-01-01T00:00:00Z' };
}
