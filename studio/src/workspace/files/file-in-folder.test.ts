import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { readBytes, removeFile, textOf, writeText } from './file-in-folder.js';

const notAFile = { reason: 'reject.not_a_file' };
const outside = { reason: 'reject.path_outside_repository' };

describe('a file of a folder', () => {
  it('is read, written whole with its mode kept, and removed', async () => {
    const folder = await tempFolder();
    expect(await readBytes(folder, 'a/b.txt')).toBeUndefined();
    await writeText(folder, 'a/b.txt', 'ü\r\n');
    await chmod(join(folder, 'a/b.txt'), 0o755);
    await writeText(folder, 'a/b.txt', 'two');
    expect((await readBytes(folder, 'a/b.txt'))?.toString()).toBe('two');
    expect((await stat(join(folder, 'a/b.txt'))).mode & 0o777).toBe(0o755);
    expect(await readdir(join(folder, 'a'))).toEqual(['b.txt']);
    expect(await removeFile(folder, 'a/b.txt')).toBe(true);
    expect(await removeFile(folder, 'a/b.txt')).toBe(false);
    await expect(removeFile(folder, 'a')).rejects.toMatchObject(notAFile);
  });

  it('is there whole or not at all, and nothing else is, whenever one looks', async () => {
    const folder = join(await tempFolder(), 'workspace');
    await mkdir(folder);
    const seen = new Set<string>();
    let isDone = false;
    const writing = writeText(folder, 'a.txt', 'x'.repeat(8 << 20)).then(() => (isDone = true));
    while (!isDone) seen.add((await readdir(folder)).join());
    await writing;
    expect([...seen].filter((names) => names !== '' && names !== 'a.txt')).toEqual([]);
    expect((await stat(join(folder, 'a.txt'))).size).toBe(8 << 20);
  });

  it('fault 39: is never reached through a link, a pipe, another case or dots', async () => {
    const folder = await tempFolder();
    const other = await tempFolder();
    await writeFile(join(other, 'secret'), 'secret');
    await symlink(join(other, 'secret'), join(folder, 'link'));
    await symlink(other, join(folder, 'away'));
    await expect(readBytes(folder, 'link')).rejects.toMatchObject(notAFile);
    await expect(writeText(folder, 'link', 'x')).rejects.toMatchObject(notAFile);
    for (const path of ['away/secret', '../secret', '/etc/passwd', '.GIT/config', 'a\0b'])
      for (const reach of [readBytes, removeFile, (at: string, name: string) => writeText(at, name, 'x')])
        await expect(reach(folder, path)).rejects.toMatchObject(outside);
    expect(await readFile(join(other, 'secret'), 'utf8')).toBe('secret');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await expect(readBytes(folder, 'pipe')).rejects.toMatchObject(notAFile);
    await mkdir(join(folder, 'Src'));
    await writeText(folder, 'Src/a.ts', '1');
    for (const twin of ['src/b.ts', 'Src/A.ts'])
      await expect(writeText(folder, twin, '2')).rejects.toMatchObject(outside);
    await writeText(folder, 'Src/b.ts', '2');
  });

  it('fault 16: is not made where the workspace has gone, also while it is being written', async () => {
    const gone = { reason: 'reject.workspace_gone' };
    const base = await tempFolder();
    const folder = join(base, 'workspace');
    for (const path of ['a', 'a/b/c']) await expect(writeText(folder, path, 'x')).rejects.toMatchObject(gone);
    for (let round = 0; round < 20; round++) {
      await mkdir(folder);
      const writing = Array.from({ length: 20 }, (_, n) => writeText(folder, `a${n}/b/c/d`, 'x'));
      await rename(folder, join(base, `away-${round}`));
      for (const ended of await Promise.allSettled(writing))
        if (ended.status === 'rejected') expect(ended.reason).toMatchObject(gone);
      expect((await readdir(base)).filter((name) => !name.startsWith('away-'))).toEqual([]);
    }
  });

  it('is text only when every byte of it is', () => {
    expect(textOf(Buffer.from('\ufeffü'))).toBe('\ufeffü');
    expect(textOf(Buffer.from([0x61, 0]))).toBeUndefined();
    expect(textOf(Buffer.from([0xff, 0xfe]))).toBeUndefined();
  });
});
