import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { benchFolder } from '../measuring/folder.js';
import { readRuns } from './history.js';
import { benches } from '../registry.js';
import { drawPictures, renderResults } from './results.js';

/** Makes bench/RESULTS.md anew. */
export async function writeResults(): Promise<void> {
  const page = join(benchFolder, 'RESULTS.md');
  const runs = await readRuns();
  await writeFile(page, renderResults(runs, benches));
  for (const { file, drawn } of drawPictures(runs, benches)) await writeFile(join(benchFolder, file), drawn);
  console.log(`wrote ${page}`);
}
