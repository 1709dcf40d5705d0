import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/temp-folder.js';
import { Credentials } from './credentials.js';

const held = (source: ConstructorParameters<typeof Credentials>[0]) => new Credentials(source);

describe('a key', () => {
  it('comes from a variable, a file or a command, each time that it is asked for', async () => {
    const file = join(await tempFolder(), 'key');
    await writeFile(file, 'from-file\n', { mode: 0o600 });
    process.env['WEFT_TEST_KEY'] = 'from-env';
    const keys = held({
      env: { env: 'WEFT_TEST_KEY' },
      file: { file },
      command: { command: [process.execPath, '-e', 'console.log("from-command")'] },
    });
    expect(await Promise.all(['env', 'file', 'command', 'none'].map((name) => keys.keyOf(name)))).toEqual([
      'from-env',
      'from-file',
      'from-command',
      undefined,
    ]);
    delete process.env['WEFT_TEST_KEY'];
    await writeFile(file, 'another');
    expect(await Promise.all(['env', 'file'].map((name) => keys.keyOf(name)))).toEqual([undefined, 'another']);
    expect(['env', 'file', 'none'].map((name) => keys.has(name))).toEqual([true, true, false]);
  });

  it('that was given counts before its source, until it is evicted', async () => {
    const keys = held({ main: { env: 'PATH' } });
    keys.keep({ credentialRef: 'main', apiKey: 'given' }, () => 'x');
    expect(await keys.keyOf('main')).toBe('given');
    keys.evict();
    expect(await keys.keyOf('main')).not.toBe('given');
  });

  it('is refused from a file that others may read, and nothing of it is told', async () => {
    const file = join(await tempFolder(), 'key');
    await writeFile(file, 'sk-secret');
    await chmod(file, 0o644);
    const error: unknown = await held({ main: { file } })
      .keyOf('main')
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ fault: 'unauthorized', message: expect.stringContaining('chmod 600') as string });
    const gone = held({
      main: { file: `${file}-gone` },
      odd: { command: [process.execPath, '-e', 'console.log("sk-secret"); process.exit(3)'] },
    });
    await expect(gone.keyOf('main')).rejects.toThrow('cannot be read (ENOENT)');
    const failed: unknown = await gone.keyOf('odd').catch((thrown: unknown) => thrown);
    expect(String(failed)).toContain('fails (3)');
    expect(String(failed) + String(error)).not.toContain('sk-secret');
  });
});
