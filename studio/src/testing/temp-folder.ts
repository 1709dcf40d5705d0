import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeTree } from '../workspace/files/remove-tree.js';

/** A folder of its own for the running test, by its real path; it is removed when the test ends. */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'weft-studio-')));
  // What was being thrown away in the background may still be there for a moment.
  onTestFinished(() => removeTree(folder));
  return folder;
}
