import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { benchFolder } from './folder.js';
import { readRuns } from './history.js';
import { benches } from './registry.js';
import { renderResults } from './results.js';

/** Makes bench/RESULTS.md anew. */
export async function writeResults(): Promise<void> {
  const page = join(benchFolder, 'RESULTS.md');
  await writeFile(page, renderResults(await readRuns(), benches));
  console.log(`wrote ${page}`);
}
