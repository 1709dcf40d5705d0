import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests, textFiles } from './vitest.base.js';
import { inSource, nativeSources } from './vitest.native.js';
import { programWorkers } from './vitest.workers.js';

// Whole programs: ours as their users start, kill and install them, and those of the machine, a browser, a sandbox, a
// metrics scraper.
export default defineConfig({
  plugins: [nativeSources, textFiles],
  test: {
    ...everySuite,
    onStackTrace: inSource,
    maxWorkers: programWorkers,
    include: folders.map((folder) => `${folder}/**/*.system.test.ts`),
    exclude: neverTests,
  },
});
