import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Empty folder that goes with the test. Tests that run beside each other each name their own end. */
export async function tempFolder(whenFinished = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-test-'));
  whenFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
