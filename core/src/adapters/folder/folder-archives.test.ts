import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ArchiveNameError, type ArchiveStore } from '../../ports/archive-store.js';
import { archiveBattery } from '../../testing/batteries/archive-battery.js';
import { memoryArchives } from '../memory/memory-archives.js';
import { folderArchives } from './folder-archives.js';

async function place(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-archives-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function* bytes(...values: number[]): AsyncGenerator<Uint8Array> {
  yield Uint8Array.from(values);
}

async function expectOutside(store: ArchiveStore, name: string): Promise<void> {
  await expect(store.open(name), name).rejects.toBeInstanceOf(ArchiveNameError);
  await expect(store.put(name, bytes(1)), name).rejects.toBeInstanceOf(ArchiveNameError);
}

describe('archives in memory', () => {
  for (const { name, run } of archiveBattery)
    it(name, () => {
      const store = memoryArchives();
      return run(() => store);
    });
});

describe('archives in a folder', () => {
  for (const { name, run } of archiveBattery)
    it(name, async () => {
      const folder = await place();
      await run(() => folderArchives(join(folder, 'archives')));
      const left = await readdir(join(folder, 'archives', '.incoming')).catch(() => []);
      expect(left).toEqual([]);
    });

  it('[AR8] may be named by whole paths, of this folder alone', async () => {
    const [folder, other] = [await place(), await place()];
    const store = folderArchives(folder);
    await store.put(join(folder, 'sub', 'a.weft'), bytes(1, 2));
    expect((await stat(join(folder, 'sub', 'a.weft'))).mode & 0o777).toBe(0o600);
    const file = await store.open('sub/a.weft');
    expect(file?.size).toBe(2);
    await file?.close();
    await writeFile(join(other, 'a.weft'), 'secret');
    for (const name of [join(other, 'a.weft'), `${folder}/../${other}/a.weft`, '/etc/passwd', `${folder}x/a`, folder])
      await expectOutside(store, name);
  });

  it('[AR8] are not reached by links, nor through what is no folder', async () => {
    const [folder, other] = [await place(), await place()];
    const store = folderArchives(folder);
    await writeFile(join(other, 'a.weft'), 'secret');
    await symlink(join(other, 'a.weft'), join(folder, 'link.weft'));
    await symlink(other, join(folder, 'linked'));
    await symlink(join(other, 'new.weft'), join(folder, 'dangling.weft'));
    await mkdir(join(folder, 'sub'));
    await writeFile(join(folder, 'plain'), '');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const name of ['link.weft', 'linked/a.weft', 'dangling.weft', 'sub', 'plain/a', 'pipe'])
      await expectOutside(store, name);
    expect(await readdir(other)).toEqual(['a.weft']);
  });

  it('[AR8] that a crash has left half written go after a day', async () => {
    const folder = await place();
    const incoming = join(folder, '.incoming');
    await mkdir(incoming);
    for (const name of ['old', 'new']) await writeFile(join(incoming, name), 'half');
    const before = new Date(Date.now() - 25 * 3_600_000);
    await utimes(join(incoming, 'old'), before, before);
    await folderArchives(folder).put('a', bytes(1));
    expect(await readdir(incoming)).toEqual(['new']);
  });
});
