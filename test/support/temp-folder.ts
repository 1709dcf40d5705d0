import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Has something done when a test, or a file of tests, is over. */
export type WhenFinished = (end: () => Promise<void>) => void;

/** Empty folder that goes with the test. Tests that run beside each other each name their own end. */
export async function tempFolder(whenFinished: WhenFinished = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-test-'));
  whenFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
