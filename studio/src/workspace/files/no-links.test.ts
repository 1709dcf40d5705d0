import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { atEntry, inFolder, readRegular } from './no-links.js';

const outside = { reason: 'reject.path_outside_repository' };
const noFile = { reason: 'reject.not_a_file' };

async function folderWithLinks(): Promise<string> {
  const folder = await tempFolder();
  await mkdir(join(folder, 'real', 'deep'), { recursive: true });
  await writeFile(join(folder, 'real', 'a'), 'text');
  await symlink('/etc', join(folder, 'out'));
  await symlink('real', join(folder, 'in'));
  await symlink('nowhere', join(folder, 'dangling'));
  return folder;
}

describe('a path', () => {
  it('leads through folders, and through no link', async () => {
    const folder = await folderWithLinks();
    expect(await inFolder(folder, 'real', (at) => readdir(at))).toEqual(['a', 'deep']);
    expect(await inFolder(folder, '.', (at) => readdir(at))).toHaveLength(4);
    for (const path of ['out', 'in', 'in/deep', 'dangling', 'out/ssl'])
      await expect(
        inFolder(folder, path, (at) => readdir(at)),
        path,
      ).rejects.toMatchObject(outside);
    for (const path of ['real/none', 'real/a', 'real/a/b', 'none/x'])
      expect(await inFolder(folder, path, (at) => readdir(at)), path).toBeUndefined();
    await expect(inFolder(folder, '../x', (at) => readdir(at))).rejects.toMatchObject(outside);
    const linked = join(folder, 'in');
    await expect(inFolder(linked, '', (at) => readdir(at))).rejects.toMatchObject(outside);
  });

  it('leads where it led when it was opened, whatever is put in its place', async () => {
    const folder = await folderWithLinks();
    const found = await inFolder(folder, 'real/deep', async (at) => {
      await rename(join(folder, 'real'), join(folder, 'moved'));
      await symlink('/etc', join(folder, 'real'));
      await writeFile(join(at, 'new'), 'here');
      return readdir(at);
    });
    expect(found).toEqual(['new']);
    expect(await readFile(join(folder, 'moved', 'deep', 'new'), 'utf8')).toBe('here');
  });

  it('is made where that is wanted, never through a link or a file', async () => {
    const folder = await folderWithLinks();
    const write = (path: string) =>
      atEntry(folder, path, (absolute) => writeFile(absolute, 'x'), { make: true }).then(() => 'done');
    expect(await write('new/deep/file')).toBe('done');
    expect(await readFile(join(folder, 'new', 'deep', 'file'), 'utf8')).toBe('x');
    await expect(write('in/x')).rejects.toMatchObject(outside);
    await expect(write('dangling/x')).rejects.toMatchObject(outside);
    expect(await atEntry(folder, 'real/a/x', (at) => writeFile(at, 'x'), { make: true })).toBeUndefined();
    const gone = join(folder, 'gone');
    expect(await atEntry(gone, 'x', (at) => writeFile(at, 'x'), { make: true })).toBeUndefined();
  });
});

describe('a file', () => {
  it('is read when it is a regular one of a bounded size', async () => {
    const folder = await folderWithLinks();
    await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
    await symlink('real/a', join(folder, 'link'));
    expect((await readRegular(folder, 'real/a', 10))?.toString()).toBe('text');
    expect(await readRegular(folder, 'real/none', 10)).toBeUndefined();
    expect(await readRegular(folder, 'real/a/b', 10)).toBeUndefined();
    await expect(readRegular(folder, 'real/a', 3)).rejects.toMatchObject({ reason: 'reject.file_too_large' });
    for (const path of ['pipe', 'real', 'link'])
      await expect(readRegular(folder, path, 10)).rejects.toMatchObject(noFile);
    await expect(readRegular(folder, 'in/a', 10)).rejects.toMatchObject(outside);
  });
});
