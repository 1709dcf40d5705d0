import { chmod, readFile, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './testing/temp-folder.js';
import { loadTokens, newTokens, TOKENS_FILE } from './tokens.js';

describe('tokens', () => {
  it('can be had without a folder, new each time', () => {
    const [one, two] = [newTokens(), newTokens()];
    expect(new Set([...Object.values(one), ...Object.values(two)]).size).toBe(6);
    for (const token of Object.values(one)) expect(token).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are made once, each its own, readable by nobody else', async () => {
    const folder = join(await tempFolder(), 'new', 'folder');
    const made = await loadTokens(folder);
    expect(new Set(Object.values(made)).size).toBe(3);
    for (const token of Object.values(made)) expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect((await stat(join(folder, TOKENS_FILE))).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(join(folder, TOKENS_FILE), 'utf8'))).toEqual(made);
    expect(await loadTokens(folder)).toEqual(made);
    expect(await readdir(folder)).toEqual([TOKENS_FILE]);
  });

  it('are the same for all who start at once', async () => {
    const folder = await tempFolder();
    const all = await Promise.all(Array.from({ length: 10 }, () => loadTokens(folder)));
    for (const tokens of all) expect(tokens).toEqual(all[0]);
    expect(await readdir(folder)).toEqual([TOKENS_FILE]);
  });

  it('are refused when others can read the file, saying what to do', async () => {
    const folder = await tempFolder();
    await loadTokens(folder);
    await chmod(join(folder, TOKENS_FILE), 0o640);
    await expect(loadTokens(folder)).rejects.toThrow('chmod 600');
  });

  it('are refused behind a symbolic link', async () => {
    const folder = await tempFolder();
    await loadTokens(folder);
    await rename(join(folder, TOKENS_FILE), join(folder, 'real'));
    await symlink(join(folder, 'real'), join(folder, TOKENS_FILE));
    await expect(loadTokens(folder)).rejects.toThrow('symbolic link');
  });

  it.each(['', '{', '[]', '{"admin":"x"}', JSON.stringify({ admin: 'A'.repeat(64) })])(
    'are refused when the file holds %j',
    async (text) => {
      const folder = await tempFolder();
      await writeFile(join(folder, TOKENS_FILE), text, { mode: 0o600 });
      await expect(loadTokens(folder)).rejects.toThrow('delete it to have new ones made');
    },
  );
});
