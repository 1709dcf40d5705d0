/** Starts with few descriptors: whatever it is that then cannot be opened, one line says why, and what to do. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { BIN } from '../support/programs/weft-process.js';

const run = promisify(execFile);

it.each([20, 24, 32, 48, 80])('weft up where %i files may be open', async (most) => {
  const store = join(await tempFolder(), 'data');
  const up = `ulimit -n ${most}; exec "$0" "$1" up --listen 127.0.0.1:0 --studio-listen 127.0.0.1:0 --agents off --store "$2"`;
  const asked = run('/bin/sh', ['-c', up, process.execPath, BIN, store], { timeout: 60_000 });
  const { code, stderr } = await asked.then(
    () => ({ code: 0, stderr: 'it went on' }),
    (error: unknown) => error as { code: number; stderr: string },
  );
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(/^weft: .*\bopen\b.*ulimit -n/);
  expect(code).toBe(1);
});
